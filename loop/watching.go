package loop

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/state"
)

// runsChanged keeps what the owner shows, the heart and the watchers in step
// with the book.
func (e *Engine) runsChanged(ctx context.Context, runs []state.Run) {
	e.runs = runs
	e.syncWatches(ctx)
	e.publish()
}

// syncWatches starts a watcher for every running worker, and ends those of
// runs that are gone.
func (e *Engine) syncWatches(ctx context.Context) {
	known := map[string]bool{}
	for i := range e.runs {
		r := &e.runs[i]
		known[r.ID] = true
		if _, watched := e.watches[r.ID]; r.Phase != state.PhaseRunning || watched {
			continue
		}
		wctx, cancel := context.WithCancel(ctx)
		e.watches[r.ID] = cancel
		id := r.ID
		e.task(func() { e.watch(wctx, id) })
	}
	for id, cancel := range e.watches {
		if !known[id] {
			cancel()
			delete(e.watches, id)
		}
	}
}

func (e *Engine) watch(ctx context.Context, id string) {
	err := e.d.Watcher.Watch(ctx, id, func(st state.WorkerStatus) {
		e.post(func(context.Context) {
			if _, watched := e.watches[id]; !watched {
				return // settled meanwhile: what it said is with its outcome
			}
			if len(st.Tail) == 0 {
				// Nothing was said since the last look: what was said stays.
				st.Tail = e.live[id].Tail
			}
			e.live[id] = st
			e.dirty = true
			e.answerAlone(ctx, id)
		})
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		e.o.Log.Error("A watch ended early", logkey.Run, id, logkey.Err, err)
	}
	e.post(func(ctx context.Context) { e.wake(ctx, "a worker finished") })
}

// lost is the heart's report that another session holds a row of ours: its
// worker is stopped, and the settlement of the run tells the owner. The heart
// never waits: it answers false when the message could not be left, and the
// next beat tries again.
func (e *Engine) lost(r state.Run, err error) bool {
	stop := func(ctx context.Context) {
		e.say(r.Ref, true, fmt.Sprintf("the claim of the %s on %s was taken over, its worker is stopped: %v", r.Kind, r.Ref, err))
		e.task(func() {
			if err := e.d.Launcher.Stop(ctx, r.ID); err != nil {
				e.o.Log.Error("A superseded worker could not be stopped", logkey.Run, r.ID, logkey.Err, err)
			}
			e.post(func(ctx context.Context) { e.wake(ctx, "a claim was lost") })
		})
	}
	return e.offer(stop)
}

// checked is told when local checks of a pull request have run. Checks that
// could not run are asked for again by the next firing.
func (e *Engine) checked(ctx context.Context, name string, err error) {
	if err != nil {
		e.say("", true, fmt.Sprintf("checks of %s: %v", name, err))
		return
	}
	e.wake(ctx, "checks finished")
}

func (e *Engine) liveCount() int {
	n := 0
	for i := range e.runs {
		if e.runs[i].Alive() {
			n++
		}
	}
	return n
}
