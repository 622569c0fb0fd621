package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// recover is what a loop does before its first firing: it looks at every run
// that the journal holds, re-adopts living workers, lets those go on that died with the
// loop, and gives back the rows of workers that never started. What ended meanwhile is
// settled by the first firing (design.md, sections 5 to 7).
func (f *firing) recover(ctx context.Context) {
	f.opening = true
	f.at("recovering")
	for _, r := range slices.Clone(f.book.runs) {
		if err := f.readopt(ctx, r); err != nil {
			f.say(r.Ref, true, "recover the %s on %s: %v", r.Kind, r.Ref, err)
		}
	}
	f.e.post(func(ctx context.Context) { f.e.runsChanged(ctx, slices.Clone(f.book.runs)) })
}

func (f *firing) readopt(ctx context.Context, r state.Run) error {
	switch r.Phase {
	case state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting:
		return f.unfinishedStart(ctx, r)
	case state.PhaseRunning:
	case state.PhaseEnded, state.PhaseVerifying, state.PhaseRetrying, state.PhaseTakenOver:
		return nil
	}
	st, err := f.e.d.Watcher.Observe(ctx, r.ID)
	if err != nil {
		return err
	}
	switch st.Phase {
	case state.WorkerRunning:
		f.say(r.Ref, false, "re-adopted the living %s", r.Kind)
		// The loop before may have died before it named the worker in the
		// worktree's lock; with a dead loop's pid in it, it would be pruned.
		return f.running(ctx, &r, st)
	case state.WorkerExited:
		return nil
	case state.WorkerDead, state.WorkerAbsent:
		if r.Stopped != "" {
			return nil // what it was stopped for stands, whatever ended it
		}
		if err := f.charge(r, f.vanished(st)); err != nil {
			return err
		}
		issue, err := f.e.d.Board.Issue(ctx, r.Ref)
		if gone(err) {
			return f.drop(ctx, r, "its issue is gone")
		}
		if err != nil {
			return err
		}
		f.say(r.Ref, true, "the %s died while no loop ran", r.Kind)
		return f.carry(ctx, r, plan.Revive(f.e.o.Now(), &r, &issue))
	}
	return fmt.Errorf("run %s is in the unknown phase %q", r.ID, st.Phase)
}

// unfinishedStart settles a start that was cut: a supervisor that lives is
// adopted, one that never came is forbidden for ever, and the row is put back
// where it was.
func (f *firing) unfinishedStart(ctx context.Context, r state.Run) error {
	st, err := f.e.d.Watcher.Forbid(ctx, r.ID)
	if err != nil {
		return err
	}
	switch st.Phase {
	case state.WorkerRunning:
		f.say(r.Ref, false, "re-adopted the %s that had just started", r.Kind)
		return f.running(ctx, &r, st)
	case state.WorkerExited:
		r.Phase = state.PhaseRunning
		return f.book.put(r)
	case state.WorkerAbsent, state.WorkerDead:
	}
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	if gone(err) {
		return f.drop(ctx, r, "its issue is gone")
	}
	if err != nil {
		return err
	}
	if c := issue.Claim; r.Epoch == 0 && c != nil && c.Session == r.Session {
		r.Epoch = c.Epoch // the claim was made and not journalled; what follows carries its fence
	}
	return f.carry(ctx, r, plan.Revert(&r, &issue))
}
