package loop

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Updates brings pull requests up to date with their base, and tells what git
// merged from what a hand did.
type Updates interface {
	// Freshen merges the base into a pull request's branch, if its head still is
	// where it was seen; one that is up to date is no error. It never forces.
	Freshen(ctx context.Context, name, head string) error
	// MergeOnly says whether the head went from one commit to another by clean
	// merges of the base alone.
	MergeOnly(ctx context.Context, name, from, to string) (bool, error)
	// Foreign lists others than the developer identity who wrote the commits
	// that came in between.
	Foreign(ctx context.Context, name, from, to string) ([]string, error)
}

// Branches are the branches of pull requests as worktrees have them.
type Branches interface {
	// CheckedOut lists the branches that a worktree of this repository has.
	CheckedOut(ctx context.Context) ([]string, error)
	// Checkout makes a worktree for a run with that branch checked out.
	Checkout(ctx context.Context, issue board.Issue, branch, run string) (Worktree, error)
}

// freshen brings open pull requests up to date (dispatcher-system.md, One
// firing 5). One that cannot be is shown, and tried again a few times at most.
func (f *firing) freshen(ctx context.Context) error {
	f.refresh()
	f.lookAtBranches(ctx)
	done := 0
	for _, p := range plan.Freshen(&f.facts) {
		if f.e.modeNow() != state.ModeRunning {
			break
		}
		if err := f.e.d.Updates.Freshen(ctx, p.Name, p.HeadSHA); err != nil {
			f.refused(&p, err)
			f.say(f.rowOf(&p), true, "bring %s up to date: %v", p.Name, err)
			continue
		}
		done++
		f.say(f.rowOf(&p), false, "%s was %d behind %s and is up to date", p.Name, p.Behind, p.Base)
	}
	if done == 0 {
		return nil
	}
	return f.readFacts(ctx)
}

// refused remembers an update that failed.
func (f *firing) refused(p *board.PullRequest, err error) {
	r := f.facts.Refused[p.Name]
	if r.Head != p.HeadSHA || r.Base != p.BaseSHA {
		r = plan.Refusal{Head: p.HeadSHA, Base: p.BaseSHA}
	}
	r.Times, r.Why = r.Times+1, err.Error()
	f.facts.Refused[p.Name] = r
}

// lookAtBranches brings up to date which branches are checked out, if any pull
// request asks for it. When that cannot be told, no branch is touched.
func (f *firing) lookAtBranches(ctx context.Context) {
	f.facts.CheckedOut = nil
	if f.e.d.Branches == nil || f.e.d.Updates == nil || !plan.AnyBehind(&f.facts) {
		return
	}
	list, err := f.e.d.Branches.CheckedOut(ctx)
	if err != nil {
		f.say("", true, "list the branches that are checked out: %v", err)
		return
	}
	f.facts.CheckedOut = make(map[string]bool, len(list))
	for _, b := range list {
		f.facts.CheckedOut[b] = true
	}
}

// rowOf is a row that a pull request belongs to, for the log; empty for none.
func (f *firing) rowOf(p *board.PullRequest) board.Ref {
	for _, shown := range plan.OpenPulls(&f.facts) {
		if shown.PR.Name == p.Name {
			return shown.Ref
		}
	}
	return ""
}

// compare finds out what happened to the head that a run judged or worked on
// (design.md, section 7): nothing, clean merges of the base, or a person's or
// an agent's work.
func (f *firing) compare(ctx context.Context, fin *plan.Finished) error {
	pr, r := fin.PR, &fin.Run
	if r.Kind == board.KindDeveloper || r.Head == "" || pr == nil || pr.State != board.PullOpen || pr.Name != r.PR {
		return nil
	}
	if fin.MergeOnly = pr.HeadSHA == r.Head; fin.MergeOnly || f.e.d.Updates == nil {
		return nil
	}
	var err error
	if fin.MergeOnly, err = f.e.d.Updates.MergeOnly(ctx, pr.Name, r.Head, pr.HeadSHA); err != nil {
		return err
	}
	if r.Kind == board.KindCleaner {
		fin.Foreign, err = f.e.d.Updates.Foreign(ctx, pr.Name, r.Head, pr.HeadSHA)
	}
	return err
}
