package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// conflicts puts back what a clean-up left behind, and starts a cleaner at a
// pull request in conflict while its slot is free (dispatcher-system.md, One
// firing 6).
func (f *firing) conflicts(ctx context.Context) error {
	f.refresh()
	for _, r := range plan.LeftCleanUps(&f.facts) {
		if err := f.putBack(ctx, r); err != nil {
			f.skip(r.Ref)
			f.say(r.Ref, true, "put %s back after a clean-up that was left behind: %v", r.Ref, err)
		}
	}
	for {
		f.refresh()
		ds := plan.Conflicts(&f.facts)
		if len(ds) == 0 || !f.facts.Free(board.KindCleaner) {
			return nil
		}
		d := ds[0]
		if err := f.cleanUp(ctx, d); err != nil {
			f.say(d.Issue.Ref, true, "start the cleaner on %s: %v", d.PR.Name, err)
		}
		f.skip(d.Issue.Ref)
	}
}

// cleanUp reads the row, the pull request and the worktrees once more, writes
// down what our move would hide, and starts.
func (f *firing) cleanUp(ctx context.Context, d state.Dispatch) error {
	issue, err := f.e.d.Board.Issue(ctx, d.Issue.Ref)
	if err != nil {
		return err
	}
	pulls, err := f.e.d.Pulls.List(ctx)
	if err != nil {
		return fmt.Errorf("list pull requests: %w", err)
	}
	f.replace(issue)
	f.facts.Pulls = pulls
	f.lookAtBranches(ctx)
	now := plan.Conflicts(&f.facts)
	at := slices.IndexFunc(now, func(n state.Dispatch) bool { return n.Issue.Ref == d.Issue.Ref && n.PR.Name == d.PR.Name })
	if at < 0 {
		return nil
	}
	d = now[at]
	j := plan.Judgement{Kind: d.Kind, Agent: d.Agent, PR: d.PR}
	if err := f.rememberAll(ctx, issue, j); err != nil {
		return err
	}
	r := f.newRun(issue, j)
	r.Attempt = 1 // a clean-up that fails is not tried again at the same head and base
	return f.start(ctx, r, issue, d.PR, nil)
}

// putBack takes over the claim of a clean-up that nobody goes on with, and then
// undoes it as one of ours whose worker never lived: whatever cuts that, the
// journal knows.
func (f *firing) putBack(ctx context.Context, r state.Run) error {
	r.ID = f.e.o.NewID()
	r.Session, r.ClaimedAt = r.ID, f.e.o.Now()
	if err := f.book.put(r); err != nil {
		return err
	}
	if err := f.claim(ctx, &r, nil); err != nil {
		return err
	}
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	if err != nil {
		return err
	}
	if err := f.carry(ctx, r, plan.Revert(&r, &issue)); err != nil {
		return err
	}
	if issue, err = f.e.d.Board.Issue(ctx, r.Ref); err != nil {
		return err
	}
	f.replace(issue)
	f.notify(r.Ref, fmt.Sprintf("%s: another session left a clean-up behind; the row is back in %s", r.Ref, issue.State))
	return nil
}

// rememberAll writes down that the owner's move ended a hold or a count of
// failed tries of any kind, before a clean-up moves the row.
func (f *firing) rememberAll(ctx context.Context, issue board.Issue, j plan.Judgement) error {
	for _, k := range board.Kinds() {
		if _, needed := plan.Reset(&issue, k, headOf(j.PR)); needed {
			return f.remember(ctx, issue, plan.Judgement{Kind: k, PR: j.PR})
		}
	}
	return nil
}

// announce writes down where a clean-up found its row, before it is moved: what
// another machine needs to put it back.
func (f *firing) announce(ctx context.Context, r state.Run, pr *board.PullRequest) error {
	writes, _ := f.board(r)
	_, err := writes.Comment(ctx, r.Ref, board.ActorDispatcher, plan.CleanUpStarts(&r, pr))
	return err
}

// workplace is where a run works: a developer's issue has a branch of its own,
// a cleaner works on that of the pull request, whosever it is.
func (f *firing) workplace(ctx context.Context, r state.Run, issue board.Issue, pr *board.PullRequest) (Worktree, error) {
	if r.Kind != board.KindCleaner || pr == nil || f.e.d.Branches == nil {
		return f.e.d.Worktrees.Create(ctx, issue, r.ID)
	}
	w, err := f.e.d.Branches.Checkout(ctx, issue, pr.Head, r.ID)
	w.Base = pr.BaseSHA
	return w, err
}
