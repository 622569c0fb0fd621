package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// request is a command that changes a row or a run. It waits for a firing,
// which owns the book.
type request struct {
	c     state.Command
	reply chan<- Reply
}

// ask queues a request and wakes the loop for it.
func (e *Engine) ask(ctx context.Context, c state.Command, reply chan<- Reply) {
	switch c.Kind {
	case state.CommandUnhold:
		e.touch(c.Ref, "freed")
	case state.CommandHold, state.CommandStop, state.CommandRetry, state.CommandDispatch:
		e.graces.end(c.Ref) // this is to be done now
	default:
	}
	e.requests = append(e.requests, request{c, reply})
	e.wake(ctx, "you asked")
}

// requested does what the owner asked for since the last firing.
func (f *firing) requested(ctx context.Context) error {
	for ; len(f.requests) > 0; f.requests = f.requests[1:] {
		r := f.requests[0]
		if r.c.Kind == state.CommandDispatch {
			f.wantFirst(r)
			continue
		}
		back, err := f.request(ctx, r.c)
		if err != nil {
			f.say(r.c.Ref, true, "%s %s: %v", r.c.Kind, r.c.Ref, err)
		}
		var done state.Done
		if back != nil && err == nil {
			done.Undo = f.e.undos.add(*back)
		}
		r.reply <- Reply{Done: done, Err: err}
	}
	return nil
}

// unanswered tells those who asked what the firing did not get to: whoever asks
// waits for an answer, also where a step failed or the program did.
func (f *firing) unanswered() {
	why := "the loop is ending"
	switch {
	case f.panicked != "":
		why = "an error in the program ended the firing: " + f.panicked
	case f.outlawed != nil:
		why = f.outlawed.Error()
	case f.pollError != "":
		why = f.pollError
	}
	for _, r := range slices.Concat(f.requests, f.firsts) {
		delete(f.e.first, r.c.Ref)
		r.reply <- Reply{Err: fmt.Errorf("it was not done: %s", why)}
	}
	f.requests, f.firsts = nil, nil
}

// request carries one out, and answers how to take it back.
func (f *firing) request(ctx context.Context, c state.Command) (*undoable, error) {
	switch c.Kind {
	case state.CommandHold, state.CommandStop:
		return f.hold(ctx, c)
	case state.CommandUnhold:
		return f.e.unhold(ctx, c)
	case state.CommandRetry:
		return nil, f.tryAgain(ctx, c)
	case state.CommandTakeOver:
		return nil, f.handToOwner(ctx, c)
	case state.CommandHandBack:
		return nil, f.handBack(ctx, c)
	default:
		return nil, fmt.Errorf("%q is not for a row", c.Kind)
	}
}

// runOn is our run on a row: the newest, where a retry takes over a claim.
func (f *firing) runOn(ref board.Ref) (state.Run, bool) {
	for _, r := range slices.Backward(f.book.runs) {
		if r.Ref == ref {
			return r, true
		}
	}
	return state.Run{}, false
}

// hold stops the worker on a row, if there is one, and holds the row (design.md,
// section 4, HELD). The row of a worker is held when the worker has ended.
func (f *firing) hold(ctx context.Context, c state.Command) (*undoable, error) {
	r, ours := f.runOn(c.Ref)
	if !ours {
		if c.Kind == state.CommandStop {
			return nil, fmt.Errorf("no worker of this loop works on %s", c.Ref)
		}
		return f.e.holdRow(ctx, c)
	}
	r.Stopped, r.StopNote = state.StoppedOwner, c.Text
	if err := f.book.put(r); err != nil {
		return nil, err
	}
	if r.Phase == state.PhaseRunning {
		f.stop(r)
		return nil, nil
	}
	return nil, f.settleStopped(ctx, r)
}

// holdRow holds a row that no worker of ours is on.
func (e *Engine) holdRow(ctx context.Context, c state.Command) (*undoable, error) {
	writes, _ := e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	if _, err := writes.Comment(ctx, c.Ref, board.ActorDispatcher, board.HeldText(c.Text)); err != nil {
		return nil, err
	}
	return &undoable{ref: c.Ref, what: "the hold on " + string(c.Ref), do: func(ctx context.Context) (string, error) {
		_, err := e.unhold(ctx, state.Command{Ref: c.Ref})
		if errors.Is(err, errNotHeld) {
			err = builtOn("%s is held no more", c.Ref)
		}
		return fmt.Sprintf("%s is held no more", c.Ref), err
	}}, nil
}

var errNotHeld = errors.New("it is not held")

// unhold lets a held row go on.
func (e *Engine) unhold(ctx context.Context, c state.Command) (*undoable, error) {
	issue, err := e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return nil, err
	}
	why, held := board.Held(&issue)
	if !held {
		return nil, fmt.Errorf("%s: %w", c.Ref, errNotHeld)
	}
	writes, _ := e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	// The machine line ends the count of failed tries with the hold.
	_, err = writes.Comment(ctx, c.Ref, board.ActorDispatcher, board.WithMark(board.ClearedText(c.Text), board.Mark{}))
	if err != nil {
		return nil, err
	}
	issue.StateSince = e.undos.since(&issue)
	return &undoable{ref: c.Ref, what: "that " + string(c.Ref) + " is held no more", do: func(ctx context.Context) (string, error) {
		if err := e.unchanged(ctx, &issue); err != nil {
			return "", err
		}
		_, err := e.holdRow(ctx, state.Command{Ref: c.Ref, Text: why})
		return fmt.Sprintf("%s is held again", c.Ref), err
	}}, nil
}

// tryAgain lets an armed retry start now, or ends the hold of a row that was
// given up, as an owner's word does (design.md, section 4, GAVE UP).
func (f *firing) tryAgain(ctx context.Context, c state.Command) error {
	if r, ours := f.runOn(c.Ref); ours {
		if r.Phase != state.PhaseRetrying {
			return fmt.Errorf("%s is being worked", c.Ref)
		}
		if err := f.noteRetry(ctx, c.Ref, c.Text); err != nil {
			return err
		}
		r.NotBefore = f.e.o.Now()
		f.lookAgain()
		if err := f.e.runtime.unlimited(f.facts.Settings.KindOf(r.Agent)); err != nil {
			return err
		}
		return f.book.put(r)
	}
	issue, err := f.e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return err
	}
	if _, held := board.Attention(&issue, "", ""); !held {
		return fmt.Errorf("%s was not given up; there is nothing to try again", c.Ref)
	}
	return f.noteRetry(ctx, c.Ref, firstOf(c.Text, "Try again."))
}

// noteRetry says on the board what the next try is to read; it stands there
// before the try starts. An empty note is none.
func (f *firing) noteRetry(ctx context.Context, ref board.Ref, note string) error {
	if note == "" {
		return nil
	}
	writes, _ := f.e.d.Board.As(ownerActor())
	if _, err := writes.Comment(ctx, ref, board.ActorOwner, note); err != nil {
		return fmt.Errorf("leave the note for the next try on %s: %w", ref, err)
	}
	return nil
}

// stop ends a worker politely, away from the firing; its end wakes the loop.
// Stopping twice is stopping once.
func (f *firing) stop(r state.Run) {
	f.e.post(func(ctx context.Context) {
		if f.e.stops[r.ID] {
			return
		}
		f.e.stops[r.ID] = true
		f.e.task(func() {
			err := f.e.d.Launcher.Stop(ctx, r.ID)
			f.e.post(func(ctx context.Context) {
				delete(f.e.stops, r.ID)
				if err != nil && ctx.Err() == nil {
					f.e.say(r.Ref, true, fmt.Sprintf("stop the %s on %s: %v", r.Kind, r.Ref, err))
				}
				f.e.wake(ctx, "a worker was stopped")
			})
		})
	})
}

// settleStopped settles a run on purpose that has no living worker.
func (f *firing) settleStopped(ctx context.Context, r state.Run) error {
	st, err := f.e.d.Watcher.Observe(ctx, r.ID)
	if err != nil {
		return err
	}
	exit := state.WorkerExit{Ended: f.e.o.Now()}
	if st.Exit != nil {
		exit = *st.Exit
	}
	return f.settle(ctx, r, exit)
}
