package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

// handToOwner lets the owner go on in a worker's session. The worker is ended
// first: two writers in one session would undo each other. Its claim stays and
// is stamped, its slot is free, until the owner hands it back.
func (f *firing) handToOwner(ctx context.Context, c state.Command) error {
	r, ours := f.runFor(c)
	switch {
	case f.e.d.Sessions == nil:
		return errors.New("this loop cannot hand a session over")
	case !ours:
		return fmt.Errorf("no worker of this loop works on %s", c.Ref)
	case r.Phase == state.PhaseTakenOver || r.Stopped == state.StoppedTakeOver:
		return nil // asked twice
	case r.Stopped != "":
		return fmt.Errorf("the %s on %s is being stopped: %s", r.Kind, r.Ref, firstOf(r.StopNote, string(r.Stopped)))
	case r.Phase != state.PhaseRunning:
		return fmt.Errorf("the %s on %s does not run: it is %s", r.Kind, r.Ref, r.Phase)
	}
	if err := f.e.d.Sessions.MayTakeOver(ctx, r.ID); err != nil {
		return err
	}
	r.Stopped, r.StopNote = state.StoppedTakeOver, "you take it over"
	if err := f.book.put(r); err != nil {
		return err
	}
	f.say(r.Ref, false, "you take the %s's session over; its agent ends", r.Kind)
	f.stop(r)
	return nil
}

// runFor is the run that a command names, by its id or by its row.
func (f *firing) runFor(c state.Command) (state.Run, bool) {
	if c.Run == "" {
		return f.runOn(c.Ref)
	}
	for _, r := range f.book.runs {
		if r.ID == c.Run {
			return r, true
		}
	}
	return state.Run{}, false
}

// handOver settles the end of a worker whose session its owner wants: it is
// the owner's now, unless it had reported before it could be told.
func (f *firing) handOver(ctx context.Context, r state.Run, exit state.WorkerExit) error {
	said := report.Parse(r.Kind, exit.Final)
	if exit.Problem == "" && (said.Status != report.StatusNone || said.Verdict != report.VerdictNone) {
		r.Stopped, r.StopNote = "", ""
		f.notify(r.Ref, fmt.Sprintf("the %s on %s had finished before you could take it over", r.Kind, r.Ref))
		return f.settle(ctx, r, exit)
	}
	if err := f.charge(r, exit); err != nil {
		return err
	}
	f.afterRun(ctx, r)
	r.Phase, r.EndedAt = state.PhaseTakenOver, exit.Ended
	r.Stopped, r.StopNote, r.StalledAt = "", "", time.Time{}
	f.say(r.Ref, false, "the %s's session is yours: `dispatcher take-over %s`", r.Kind, r.Ref)
	if err := f.book.put(r); err != nil {
		return err
	}
	return f.keep(ctx, r, f.e.o.PID)
}

// keep names a living process in the lock of a worktree that its owner has, so
// that nobody prunes it: the owner's, else this loop's.
func (f *firing) keep(ctx context.Context, r state.Run, pid int) error {
	if r.Worktree == "" || f.e.keeps[r.ID] == pid {
		return nil
	}
	if err := f.e.d.Worktrees.Hold(ctx, r.Worktree, r.ID, pid); err != nil {
		return fmt.Errorf("lock %s: %w", r.Worktree, err)
	}
	f.e.keeps[r.ID] = pid
	return nil
}

// lookTaken takes a session back when the process that its owner worked in is
// gone, however it went: also when that, or this loop, was killed.
func (f *firing) lookTaken(ctx context.Context, r state.Run) error {
	if r.Stopped != "" {
		return f.settleStopped(ctx, r)
	}
	t, err := f.e.d.Sessions.Taker(ctx, r.ID)
	switch {
	case err != nil:
		return err
	case t.Lives:
		return f.keep(ctx, r, cmp.Or(t.PID, f.e.o.PID))
	case !t.Came:
		return f.keep(ctx, r, f.e.o.PID)
	}
	return f.backToWork(ctx, r)
}

// takenAgain leaves a session to its owner who has opened it once more before
// its next try could start: two writers in one session would undo each other.
func (f *firing) takenAgain(ctx context.Context, r state.Run) (bool, error) {
	if !r.HandedBack || f.e.d.Sessions == nil {
		return false, nil
	}
	t, err := f.e.d.Sessions.Taker(ctx, r.ID)
	if err != nil || !t.Lives {
		return false, err
	}
	r.Phase, r.HandedBack, r.PutOff = state.PhaseTakenOver, false, ""
	r.Attempt++ // backToWork takes it off again
	f.say(r.Ref, false, "you have opened the %s's session again", r.Kind)
	if err := f.book.put(r); err != nil {
		return true, err
	}
	return true, f.keep(ctx, r, cmp.Or(t.PID, f.e.o.PID))
}

// handBack is the owner's word that the loop may go on.
func (f *firing) handBack(ctx context.Context, c state.Command) error {
	r, ours := f.runFor(c)
	if !ours || r.Phase != state.PhaseTakenOver {
		return fmt.Errorf("%s is not in your hands", firstOf(string(c.Ref), c.Run))
	}
	t, err := f.e.d.Sessions.Taker(ctx, r.ID)
	if err != nil {
		return err
	}
	if t.Lives && t.PID == 0 {
		return errors.New("something that was started in its session still runs; end that first")
	}
	if t.Lives {
		return fmt.Errorf("its session is open in pid %d; leave it first", t.PID)
	}
	return f.backToWork(ctx, r)
}

// backToWork arms the same try again, in the same session. Whatever became of
// its row and its pull request meanwhile is looked at before it starts.
func (f *firing) backToWork(ctx context.Context, r state.Run) error {
	delete(f.e.keeps, r.ID)
	f.free(ctx, r)
	r.Phase, r.NotBefore, r.Resume, r.HandedBack = state.PhaseRetrying, f.e.o.Now(), true, true
	r.Attempt-- // the next one is the same try
	r.PutOff = "you handed it back"
	f.say(r.Ref, false, "you handed %s back; its %s goes on", r.Ref, r.Kind)
	return f.book.put(r)
}
