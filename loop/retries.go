package loop

import (
	"context"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// retries starts the next try of every run whose wait is over and that has a
// slot. A run whose row has left its hands meanwhile is settled at once,
// however long its wait.
func (f *firing) retries(ctx context.Context) {
	f.retriedAt = f.e.o.Now()
	for _, old := range slices.Clone(f.book.runs) {
		f.refresh()
		due := !old.NotBefore.After(f.retriedAt) && f.facts.Free(old.Kind) && !f.barred(old.Kind, old.Agent)
		due = due && old.Phase == state.PhaseRetrying
		waits := old.Phase == state.PhaseRetrying || old.Phase == state.PhaseTakenOver
		if !waits || f.facts.Rests(old.Ref) || !due && !f.left(old) {
			continue
		}
		if err := f.retry(ctx, old, due); err != nil {
			f.say(old.Ref, true, "try %s again: %v", old.Ref, err)
		}
	}
}

// left says whether the poll saw the row of a waiting run somewhere else:
// moved by its owner, released, or taken over.
func (f *firing) left(r state.Run) bool {
	for i := range f.facts.Rows {
		if row := &f.facts.Rows[i]; row.Ref == r.Ref {
			return row.Unreadable == "" && (row.Role != board.RoleInProgress || row.Claim == nil || row.Claim.Session != r.Session)
		}
	}
	return false
}

// retry starts a new run in the place of one that failed. Both stand in the
// journal until the claim has passed to the new one.
func (f *firing) retry(ctx context.Context, old state.Run, due bool) error {
	fin, err := f.finish(ctx, old)
	switch {
	case gone(err):
		return f.drop(ctx, old, "its issue is gone")
	case err != nil:
		return err
	}
	if ds := plan.Again(fin); ds != nil {
		return f.carry(ctx, old, ds)
	}
	if !due {
		return nil
	}
	if _, over := plan.OverBudget(&f.facts, &fin.Issue); over {
		return f.overBudget(ctx, old, fin.Issue)
	}
	if again, err := f.takenAgain(ctx, old); again || err != nil {
		return err
	}
	old.Resume = old.Resume && !f.facts.Settings.Sessionless[f.facts.Settings.KindOf(old.Agent)]
	return f.start(ctx, nextTry(&old, f.e.o.NewID()), fin.Issue, fin.PR, &old)
}

// nextTry is a new run in the place of one that failed or was put off: it keeps
// where the row came from and why the try before it failed, the session if that
// goes on, and nothing that was measured.
func nextTry(old *state.Run, id string) state.Run {
	session := id
	if old.Resume {
		session = old.Session
	}
	return state.Run{
		ID: id, Session: session, Resume: old.Resume, HandedBack: old.HandedBack, PutOff: old.PutOff, PutOffs: old.PutOffs, Ref: old.Ref, Kind: old.Kind, Agent: old.Agent, Attempt: old.Attempt + 1,
		Phase: state.PhaseClaiming, Title: old.Title, Milestone: old.Milestone,
		PriorRole: old.PriorRole, PriorDelegate: old.PriorDelegate, Failure: old.Failure,
	}
}
