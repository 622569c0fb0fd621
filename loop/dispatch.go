package loop

import (
	"context"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// topUp starts armed retries that are due and then new work, until a cap is
// reached or nothing is eligible (dispatcher-system.md, One firing 4).
func (f *firing) topUp(ctx context.Context) error {
	f.reachAgain(ctx)
	f.retries(ctx)
	for {
		f.refresh()
		ds := plan.TopUp(&f.facts)
		if len(ds) == 0 {
			break
		}
		d := ds[0]
		if err := f.dispatch(ctx, d); err != nil {
			f.skip(d.Issue.Ref)
			f.say(d.Issue.Ref, true, "start the %s on %s: %v", d.Kind, d.Issue.Ref, err)
		}
	}
	f.answerFirst()
	// A retry may have found its pull request merged and let its row go.
	return f.closeMerged(ctx)
}

// dispatch reads the row once more, puts a board error right, and starts.
func (f *firing) dispatch(ctx context.Context, d state.Dispatch) error {
	issue, err := f.e.d.Board.Issue(ctx, d.Issue.Ref)
	if err != nil {
		return err
	}
	f.replace(issue)
	f.facts.Lives[issue.Ref] = f.showsLife(&issue)
	j := plan.Judge(&f.facts, &issue)
	if j.Hold != "" || j.Kind != d.Kind {
		f.skip(issue.Ref)
		return nil
	}
	if err := f.remember(ctx, issue, j); err != nil {
		return err
	}
	r := f.newRun(issue, j)
	if j.SetFirst != board.RoleNone {
		writes, _ := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
		if err := writes.SetStateFrom(ctx, issue.Ref, j.SetFirst, issue.Role); err != nil {
			return err
		}
		f.say(issue.Ref, false, "board error put right: %s has the open pull request %s, so it is %s",
			issue.Ref, j.PR.Name, j.SetFirst.DefaultName())
		r.PriorRole = j.SetFirst
		if issue, err = f.e.d.Board.Issue(ctx, issue.Ref); err != nil {
			return err
		}
	}
	if err := f.start(ctx, r, issue, j.PR, nil); err != nil {
		return err
	}
	f.tookOver(issue.Claim, issue.Ref)
	return nil
}

// skip leaves a row to the next firing.
func (f *firing) skip(ref board.Ref) { f.facts.Skip[ref] = true }

// replace puts a row that was read again in the place of the polled one. What
// a board answers to a poll may be shared with others and is never written to.
func (f *firing) replace(issue board.Issue) {
	f.facts.Rows, f.facts.Others = put(f.facts.Rows, issue), put(f.facts.Others, issue)
}

func put(rows []board.Issue, issue board.Issue) []board.Issue {
	rows = slices.Clone(rows)
	for i := range rows {
		if rows[i].Ref == issue.Ref {
			rows[i] = issue
		}
	}
	return rows
}

// remember writes down that the owner's move ended a hold or a count of failed
// tries, before our own move of the row hides it.
func (f *firing) remember(ctx context.Context, issue board.Issue, j plan.Judgement) error {
	text, needed := plan.Reset(&issue, j.Kind, headOf(j.PR))
	if !needed {
		return nil
	}
	writes, _ := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	_, err := writes.Comment(ctx, issue.Ref, board.ActorDispatcher, text)
	return err
}

func (f *firing) newRun(issue board.Issue, j plan.Judgement) state.Run {
	id := f.e.o.NewID()
	r := state.Run{
		ID: id, Session: id, Ref: issue.Ref, Kind: j.Kind, Agent: j.Agent,
		Attempt: plan.Tries(&issue, j.Kind, headOf(j.PR)) + 1, Title: issue.Title, Milestone: issue.Milestone,
		PriorRole: issue.Role, PriorDelegate: issue.Delegate, Phase: state.PhaseClaiming,
	}
	return r
}

func headOf(pr *board.PullRequest) string {
	if pr == nil {
		return ""
	}
	return pr.HeadSHA
}
