package loop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// reconcile compares every running worker with the world around it: a stalled
// one is interrupted and then stopped, and one whose row left its hands is
// stopped politely (design.md, section 4, tick). What cannot be read changes
// nothing, and one worker that cannot be looked at does not keep the others
// from it.
func (f *firing) reconcile(ctx context.Context) error {
	if !slices.ContainsFunc(f.book.runs, oversees) {
		return nil
	}
	pulls, err := f.e.d.Pulls.List(ctx)
	if err != nil {
		f.say("", true, "reconcile: list pull requests: %v", err)
	}
	for _, r := range slices.Clone(f.book.runs) {
		if !oversees(r) || f.rests(r.Ref) {
			continue
		}
		if err := f.oversee(ctx, r, pulls); err != nil {
			f.say(r.Ref, true, "reconcile the %s on %s: %v", r.Kind, r.Ref, err)
		}
	}
	return nil
}

// oversees says whether a run has a worker that nobody has stopped yet, or
// waits for its next try.
func oversees(r state.Run) bool {
	return r.Stopped == "" && (r.Phase == state.PhaseRunning || r.Phase == state.PhaseRetrying)
}

// oversee looks at one run.
func (f *firing) oversee(ctx context.Context, r state.Run, pulls []board.PullRequest) error {
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	if r.Phase == state.PhaseRetrying {
		if gone(err) {
			return f.lostIssue(ctx, r)
		}
		return nil // its row is judged with the poll
	}
	l := plan.Look{Run: r, Gone: gone(err), Settings: f.facts.Settings}
	switch {
	case err == nil:
		l.Issue, l.PR = &issue, plan.PullOf(&issue, pulls)
	case !l.Gone:
		f.say(r.Ref, true, "read %s: %v; its %s goes on", r.Ref, err, r.Kind)
	}
	if l.Worker, err = f.e.d.Watcher.Observe(ctx, r.ID); err != nil {
		return err
	}
	f.spent[r.ID] = l.Worker.CostUSD
	if l.Worker.Phase != state.WorkerRunning {
		return nil
	}
	l.Now, l.Since = f.e.o.Now(), f.awake
	return f.intervene(ctx, r, plan.Reconcile(&l))
}

// intervene carries out what the reconcilers decided, written down first.
func (f *firing) intervene(ctx context.Context, r state.Run, i plan.Intervention) error {
	switch i.Act {
	case plan.ActNone:
		return nil
	case plan.ActInterrupt:
		r.StalledAt = f.e.o.Now()
		if err := f.book.put(r); err != nil {
			return err
		}
		f.say(r.Ref, true, "%s on %s: %s; it is interrupted, and stopped %s later", r.Kind, r.Ref, i.Why, f.facts.Settings.Stall.Grace)
		f.interrupt(r)
	case plan.ActSpare:
		r.StalledAt = time.Time{}
		f.say(r.Ref, false, "%s on %s: %s", r.Kind, r.Ref, i.Why)
		return f.book.put(r)
	case plan.ActStop:
		r.Stopped, r.StopNote = i.Stop, i.Why
		if err := f.book.put(r); err != nil {
			return err
		}
		text := fmt.Sprintf("the %s on %s is stopped: %s", r.Kind, r.Ref, i.Why)
		if i.Told {
			f.say(r.Ref, true, "%s", text)
		} else {
			f.notify(r.Ref, text)
		}
		f.stop(r)
	case plan.ActLost:
		if f.e.heart.knowsLost(r.ID) {
			f.stop(r) // it came to life after that was told
			return nil
		}
		f.e.heart.conflict(ctx, r, board.ErrClaimConflict)
	}
	return nil
}

// interrupt ends a worker's turn, away from the firing. One that cannot be
// told is stopped all the same when its grace has passed.
func (f *firing) interrupt(r state.Run) {
	f.e.post(func(ctx context.Context) {
		f.e.task(func() {
			if err := f.e.d.Interrupter.Interrupt(ctx, r.ID); err != nil {
				f.e.post(func(context.Context) {
					f.e.say(r.Ref, true, fmt.Sprintf("interrupt the %s on %s: %v", r.Kind, r.Ref, err))
				})
				return
			}
			f.e.post(func(ctx context.Context) { f.e.wake(ctx, "a worker was interrupted") })
		})
	})
}

// lostIssue ends a run whose issue is proven gone.
func (f *firing) lostIssue(ctx context.Context, r state.Run) error {
	f.notify(r.Ref, fmt.Sprintf("%s is no longer on the board; its %s's work stays in %s", r.Ref, r.Kind, firstOf(r.Branch, "its worktree")))
	return f.drop(ctx, r, "its issue is gone")
}
