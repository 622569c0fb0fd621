package loop

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/backside4charter/dispatcher/board"
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
	missing   map[string][]string     // what the owner was told that each agent goes without; the same
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
	unseen    string          // why checks may not be read, as the owner was told
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
		missing: map[string][]string{},
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
	if e.d.Reading != nil {
		e.d.Reading.Tell(e.told)
		defer e.d.Reading.Tell(nil)
	}
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

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// ownerActor is the person at the control room.
func ownerActor() board.Actor { return board.Actor{Kind: board.ActorOwner} }
