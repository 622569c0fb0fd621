package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Reply is what became of a command: what it did, or why it was refused.
type Reply struct {
	Done state.Done
	Err  error
}

// Send asks something of the loop and answers when it is accepted, or for a
// write to the board when it is written. After the end every command is
// refused.
func (e *Engine) Send(ctx context.Context, c state.Command) (state.Done, error) {
	reply := make(chan Reply, 1)
	select {
	case e.inbox <- func(ctx context.Context) { e.command(ctx, c, reply) }:
	case <-e.done:
		return state.Done{}, fmt.Errorf("%s: the loop has ended", c.Kind)
	case <-ctx.Done():
		return state.Done{}, ctx.Err()
	}
	select {
	case r := <-reply:
		return r.Done, r.Err
	case <-e.over:
	case <-ctx.Done():
		return state.Done{}, ctx.Err()
	}
	select {
	case r := <-reply:
		return r.Done, r.Err
	default:
		return state.Done{}, fmt.Errorf("%s: the loop has ended", c.Kind)
	}
}

func (e *Engine) command(ctx context.Context, c state.Command, reply chan<- Reply) {
	if err := c.Check(); err != nil {
		reply <- Reply{Err: err}
		return
	}
	if a, ok := ownerActs(c.Kind); ok {
		e.asOwner(ctx, a, c, reply)
		return
	}
	switch c.Kind {
	case state.CommandFire:
		e.anew = true
		e.graces.end()
		e.wake(ctx, "you asked")
	case state.CommandTouch:
		e.touch(c.Ref, "touched")
	case state.CommandPause:
		e.pause(ctx, state.ModeRunning, state.ModePaused, reply)
		return
	case state.CommandResume:
		e.pause(ctx, state.ModePaused, state.ModeRunning, reply)
		return
	case state.CommandDrain:
		e.drain(ctx)
	case state.CommandAbort:
		e.abort(ctx)
	case state.CommandLeave:
		e.leave()
	case state.CommandHold, state.CommandUnhold, state.CommandRetry, state.CommandStop, state.CommandDispatch,
		state.CommandTakeOver, state.CommandHandBack:
		e.ask(ctx, c, reply)
		return
	case state.CommandSteer, state.CommandInterrupt, state.CommandAllow, state.CommandDeny, state.CommandReply:
		e.speak(ctx, c, reply)
		return
	case state.CommandAck:
		e.notices = slices.DeleteFunc(slices.Clone(e.notices), func(n state.Notice) bool { return n.ID == c.ID })
		e.dirty = true
	default:
		reply <- Reply{Err: fmt.Errorf("the loop knows no command %q", c.Kind)}
		return
	}
	reply <- Reply{}
}

// pause starts nothing new from now on, or starts again. It is answered when
// it is written down, so that it outlives whatever ends the loop next.
func (e *Engine) pause(ctx context.Context, from, to state.Mode, reply chan<- Reply) {
	e.turn(ctx, from, to, reply, func() uint64 { return e.undos.add(e.unpause(to, from)) })
}

// turn pauses or resumes; back notes how to take it back, if it can be.
func (e *Engine) turn(ctx context.Context, from, to state.Mode, reply chan<- Reply, back func() uint64) {
	if e.modeNow() != from {
		reply <- Reply{}
		return
	}
	e.setMode(to)
	e.desired.Store(to)
	e.say("", false, "the loop is "+string(to))
	e.task(func() {
		// Whoever is last writes what was asked for last.
		err := e.runtime.update(func(r *journal.Runtime) { r.Desired = string(e.desired.Load().(state.Mode)) }) //nolint:errcheck // it holds nothing else
		if err != nil {
			err = fmt.Errorf("the loop is %s, but a restart will not know: %w", to, err)
		}
		reply <- Reply{Done: state.Done{Undo: back()}, Err: err}
	})
	e.wake(ctx, "you asked")
}

// unpause takes a pause back, or its end.
func (e *Engine) unpause(to, from state.Mode) undoable {
	return undoable{what: "that the loop is " + string(to), do: func(context.Context) (string, error) {
		if e.modeNow() != to {
			return "", builtOn("the loop is %s", e.modeNow())
		}
		e.post(func(ctx context.Context) { e.turn(ctx, to, from, make(chan Reply, 1), func() uint64 { return 0 }) })
		return "the loop is " + string(from), nil
	}}
}

// drain lets what runs finish and starts nothing new.
func (e *Engine) drain(ctx context.Context) {
	if m := e.modeNow(); m != state.ModeRunning && m != state.ModePaused {
		return
	}
	e.setMode(state.ModeDraining)
	e.say("", false, "draining: nothing new starts, what runs is finished")
	e.wake(ctx, "draining")
}

// abort stops every worker and puts the rows back.
func (e *Engine) abort(ctx context.Context) {
	if m := e.modeNow(); m == state.ModeAborting || m == state.ModeStopped {
		return
	}
	e.setMode(state.ModeAborting)
	e.say("", true, "aborting: workers are stopped, rows go back")
	if !e.busy {
		e.startJob(ctx, "abort", (*firing).abort)
	}
}

// leave ends the loop and lets workers go on: the next start re-adopts them. A
// firing under way may finish the step that it is in.
func (e *Engine) leave() {
	if e.ended {
		return
	}
	e.setMode(state.ModeStopped)
	if !e.busy {
		e.ended = true
		return
	}
	e.after(e.o.StopGrace, func() {
		e.post(func(context.Context) { e.ended = true })
	})
}

// finish decides after a job whether the loop is over, or what closes it.
func (e *Engine) finish(ctx context.Context, f *firing) bool {
	if f.outlawed != nil {
		e.end.Err, e.ended = f.outlawed, true
		return true
	}
	switch e.modeNow() {
	case state.ModeStopped:
		e.ended = true
	case state.ModeAborting:
		if f.closing {
			e.end.Aborted, e.ended = true, true
			break
		}
		e.startJob(ctx, "abort", (*firing).abort)
		return true
	case state.ModeDraining:
		switch {
		case f.closing:
			e.end.Drained, e.ended = true, true
		case f.read && plan.Drained(e.book.runs):
			e.startJob(ctx, "drained", (*firing).giveBack)
			return true
		}
	case state.ModePaused:
		if e.o.UntilIdle {
			e.end.Paused, e.ended = true, true
		}
	case state.ModeRunning:
		if e.o.UntilIdle && f.read && f.idle && e.pending == "" && !e.checks.busy() {
			e.end.Idle, e.ended = true, true
		}
	}
	return e.ended
}

// giveBack ends a drain: an armed retry is given back to its queue.
func (f *firing) giveBack(ctx context.Context) {
	f.closing = true
	for _, r := range atWork(f.book.runs) {
		fin, err := f.finish(ctx, r)
		if err == nil {
			err = f.carry(ctx, r, plan.GiveBack(&r, &fin.Issue))
		}
		if err != nil {
			f.say(r.Ref, true, "give %s back: %v", r.Ref, err)
		}
	}
}

// atWork are the runs that are ours to end: what the owner has taken over stays
// the owner's, and the next start takes it back.
func atWork(runs []state.Run) []state.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r state.Run) bool { return r.Phase == state.PhaseTakenOver })
}

// abort stops all workers at once and restores their rows
// (dispatcher-system.md, Stopping).
func (f *firing) abort(ctx context.Context) {
	f.closing = true
	f.at("aborting")
	runs := atWork(f.book.runs)
	f.e.together(runs, func(r state.Run) {
		if _, err := f.e.d.Watcher.Forbid(ctx, r.ID); err != nil {
			f.say(r.Ref, true, "stop the %s on %s: %v", r.Kind, r.Ref, err)
		}
		if err := f.e.d.Launcher.Stop(ctx, r.ID); err != nil {
			f.say(r.Ref, true, "stop the %s on %s: %v", r.Kind, r.Ref, err)
		}
		if r.Phase == state.PhaseRunning {
			f.afterRun(ctx, r)
		}
	})
	for _, r := range runs {
		if st, err := f.e.d.Watcher.Observe(ctx, r.ID); err == nil && st.Exit != nil && r.Phase == state.PhaseRunning {
			if err := f.charge(r, *st.Exit); err != nil {
				f.say(r.Ref, true, "write down what the %s on %s cost: %v", r.Kind, r.Ref, err)
			}
		}
		fin, err := f.finish(ctx, r)
		if err == nil {
			err = f.carry(ctx, r, plan.Restore(&r, &fin.Issue, fin.PR))
		}
		if err != nil {
			f.say(r.Ref, true, "restore %s: %v; it is recovered at the next start", r.Ref, err)
		}
	}
}
