package loop

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// event is something that happened, carried out on the owner goroutine. The
// context is that of effects started from it.
type event func(ctx context.Context)

// Engine is one loop. Its zero value is not usable; see New.
type Engine struct {
	o Options
	d Deps

	inbox chan event
	done  chan struct{}  // closed when the owner stops taking events
	over  chan struct{}  // closed when everything that Run started is over
	tasks sync.WaitGroup // watchers, the heart, the checks, commands under way

	mode    atomic.Value // state.Mode: written by the owner, read by firings
	desired atomic.Value // state.Mode: paused or running, as the owner wants it
	pub     *publisher
	events  *events
	heart   *heart
	checks  *checks
	// runtime is written by the owner and by firings, under its own lock.
	runtime *runtime
	// graces and undos are the owner's last acts, under locks of their own.
	graces graces
	undos  undos

	// Owner goroutine only, from here on.
	view
	book      *book                   // owned by the firing or closing job while busy
	refused   map[string]plan.Refusal // the same
	pauses    plan.Pauses             // the same
	settled   map[string]bool         // runs known to be over; the same
	busy      bool                    // a firing or closing job is under way
	pending   string
	pruning   pruning                // owned by the firing under way while busy
	requests  []request              // of the owner's, for the next firing
	anew      bool                   // the owner wants what keeps everything waiting looked at
	stops     map[string]bool        // runs that are being stopped
	sightings map[board.Ref]sighting // of other sessions' claims; owned as the book is
	first     map[board.Ref]bool     // what the owner wants worked first; owned as the book is
	tuning    Tuning                 // what of the configuration holds now
	lastJob   time.Time              // when the last firing or job began
	ticking   bool                   // a grace is counted down
	awake     time.Time              // when the machine last woke or its clock was set
	ended     bool
	end       End
	watches   map[string]context.CancelFunc
	keeps     map[string]int  // who is named in the lock of a worktree that its owner has; owned as the book is
	alone     map[string]bool // requests that are or were answered because nobody is here
	attending int             // people who look at this loop
	timer     *time.Timer
	driver    *Driver // nil when Run drives it
}

// New builds a loop; Run starts it.
func New(o Options, d Deps) *Engine {
	e := &Engine{
		o: o, d: d,
		inbox:   make(chan event, 64),
		done:    make(chan struct{}),
		over:    make(chan struct{}),
		pub:     newPublisher(),
		events:  newEvents(),
		watches: map[string]context.CancelFunc{},
		alone:   map[string]bool{},
		keeps:   map[string]int{},
		stops:   map[string]bool{},
		settled: map[string]bool{},
		refused: map[string]plan.Refusal{},
		first:   map[board.Ref]bool{},
		timer:   time.NewTimer(time.Hour),
	}
	e.view = newView(o)
	e.tuning = o.tuning()
	e.runtime = newRuntime(o, d.Journal.SaveRuntime)
	e.book = &book{
		runs: slices.Clone(o.Runs),
		save: d.Journal.SaveRuns,
		changed: func(rs []state.Run) {
			e.heart.set(rs)
			e.post(func(ctx context.Context) { e.runsChanged(ctx, rs) })
		},
	}
	e.heart = newHeart(o, d, e.lost)
	e.heart.set(o.Runs)
	e.checks = newChecks(d.Pulls, func(name string, err error) {
		e.post(func(ctx context.Context) { e.checked(ctx, name, err) })
	})
	e.setMode(state.ModeRunning)
	if o.Paused {
		e.setMode(state.ModePaused)
	}
	return e
}

// Run works until the loop ends by itself, by a command, or because the
// context ended, which leaves workers running and rows as they are. It may be
// called once.
func (e *Engine) Run(ctx context.Context) (End, error) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		cancel()
		close(e.done)
		e.tasks.Wait()
		e.pub.close()
		e.events.close()
		close(e.over)
	}()
	e.task(func() { e.heart.run(work) })
	e.task(func() { e.checks.run(work) })
	e.startJob(work, "start", (*firing).recover)

	frame := time.NewTimer(frameEvery)
	defer frame.Stop()
	framed := true // a frame is due
	stop, wakes := ctx.Done(), e.o.Wakes
	for !e.ended {
		if e.dirty && !framed {
			frame.Reset(frameEvery)
			framed = true
		}
		select {
		case ev := <-e.inbox:
			ev(work)
		case <-stop:
			stop = nil
			e.leave()
		case _, ok := <-wakes:
			if !ok {
				wakes = nil
				continue
			}
			e.wake(work, "the board changed")
		case <-e.timer.C:
			e.wake(work, "timer")
		case <-frame.C:
			framed = false
			if e.dirty {
				e.publish()
			}
		}
	}
	return e.close(), nil
}

// close publishes the last picture and says how the loop ended.
func (e *Engine) close() End {
	e.setMode(state.ModeStopped)
	e.publish()
	e.end.Left = e.liveCount()
	e.end.Status = e.status
	return e.end
}

// task runs f on a goroutine that Run waits for.
func (e *Engine) task(f func()) {
	if e.driver != nil {
		e.driver.hands.Spawn(f)
		return
	}
	e.tasks.Go(f)
}

// post hands an event to the owner; after the end it is dropped.
func (e *Engine) post(ev event) {
	if e.driver != nil {
		e.driver.queue = append(e.driver.queue, ev)
		return
	}
	select {
	case e.inbox <- ev:
	case <-e.done:
	}
}

func (e *Engine) setMode(m state.Mode) {
	e.mode.Store(m)
	e.dirty = true
}

func (e *Engine) modeNow() state.Mode {
	m, _ := e.mode.Load().(state.Mode)
	return m
}

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

// offer hands an event to the owner, or answers false when that would take
// waiting.
func (e *Engine) offer(ev event) bool {
	if e.driver != nil {
		e.post(ev)
		return true
	}
	select {
	case e.inbox <- ev:
		return true
	default:
		return false
	}
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

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// ownerActor is the person at the control room.
func ownerActor() board.Actor { return board.Actor{Kind: board.ActorOwner} }
