package loop

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// wake fires now, or once more when the firing under way is over. Repeated
// wakes are one.
func (e *Engine) wake(ctx context.Context, why string) {
	switch {
	case e.ended || e.modeNow() == state.ModeStopped:
	case e.busy:
		e.pending = why
	default:
		e.startFiring(ctx, why)
	}
}

// startFiring begins the next pass.
func (e *Engine) startFiring(ctx context.Context, why string) {
	e.firing++
	e.pending = ""
	asked := e.requests
	again := e.anew
	e.requests, e.anew = nil, false
	e.startJob(ctx, why, func(f *firing, ctx context.Context) {
		f.requests = asked
		if again {
			f.lookAgain()
		}
		f.pass(ctx)
	})
}

// startJob gives the book to a job on a goroutine of its own.
func (e *Engine) startJob(ctx context.Context, why string, do func(*firing, context.Context)) {
	e.busy = true
	e.disarm()
	now := e.o.Now()
	if plan.Slept(e.lastJob, now) {
		e.awake = now
	}
	e.lastJob = now
	f := newFiring(e, why)
	e.task(func() {
		defer func() {
			if p := recover(); p != nil {
				f.panicked, f.stack = fmt.Sprint(p), debug.Stack()
			}
			e.post(func(ctx context.Context) { e.fired(ctx, f) })
		}()
		do(f, ctx)
	})
}

// fired takes over what a job left and decides what comes next.
func (e *Engine) fired(ctx context.Context, f *firing) {
	e.busy = false
	f.unanswered()
	e.adopt(f)
	if f.panicked != "" {
		e.o.Log.Error("A firing panicked", logkey.Panic, f.panicked, logkey.Stack, string(f.stack))
		e.notify("", "an error in the program ended firing "+fmt.Sprint(e.firing)+": "+f.panicked)
	}
	e.publish()
	if e.finish(ctx, f) {
		return
	}
	e.answerAllAlone(ctx)
	switch {
	case f.opening || e.pending != "":
		e.startFiring(ctx, firstOf(e.pending, "start"))
	default:
		e.arm(f)
	}
}

// arm sets the timer for the next firing: the poll, or the first retry that
// was not due yet when the firing looked. One that was due and did not start
// waits for a slot, and a worker that ends wakes the loop.
func (e *Engine) arm(f *firing) {
	next := e.o.Now().Add(e.tuning.Poll)
	for i := range e.book.runs {
		if r := &e.book.runs[i]; r.Phase == state.PhaseRetrying && r.NotBefore.After(f.retriedAt) && r.NotBefore.Before(next) {
			next = r.NotBefore
		}
		if due := e.book.runs[i].StalledAt.Add(e.tuning.Settings.Stall.Grace); due.After(f.began) && due.Before(next) {
			next = due // an interrupted worker has had its grace then
		}
	}
	e.nextFiring = next
	e.rearm(max(next.Sub(e.o.Now()), 0))
	e.dirty = true
}
