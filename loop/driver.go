package loop

import (
	"context"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Hands are what a Driver leaves to its caller.
type Hands struct {
	// Spawn takes a task that Run would give a goroutine: it is to be run once,
	// now or later, and may wait in the effects that it calls.
	Spawn func(task func())
	// After calls f once, when d has passed.
	After func(d time.Duration, f func())
}

// Driver runs an engine without a goroutine and without a clock of its own, so
// that whoever drives it decides what happens next, and the same decisions
// bring the same history. It carries out the same events, jobs and rules as
// Engine.Run; what Run leaves to the scheduler and to timers is its caller's:
// when the next event is taken, where tasks run, when the heart beats and when
// checks run. It is not safe for use by several goroutines at once.
type Driver struct {
	e     *Engine
	ctx   context.Context //nolint:containedctx // the life of the loop that it stands for
	hands Hands
	queue []event
	armed int // counts what the timer was set to, so that an older alarm is deaf
}

// NewDriver builds a loop that its caller drives. The context is that of every
// effect; ending it is what the end of the process is to watches.
func NewDriver(ctx context.Context, o Options, d Deps, h Hands) *Driver {
	e := New(o, d)
	dr := &Driver{e: e, ctx: ctx, hands: h}
	e.driver = dr
	return dr
}

// Start begins with the recovery of what the journal holds, as Run does.
func (d *Driver) Start() { d.e.startJob(d.ctx, "start", (*firing).recover) }

// Pending says whether an event waits.
func (d *Driver) Pending() bool { return len(d.queue) > 0 && !d.e.ended }

// Step carries out the oldest event, and answers false when there is none.
func (d *Driver) Step() bool {
	if !d.Pending() {
		return false
	}
	ev := d.queue[0]
	d.queue = d.queue[1:]
	ev(d.ctx)
	return true
}

// Wake is a hint that the board changed.
func (d *Driver) Wake() { d.e.post(func(ctx context.Context) { d.e.wake(ctx, "the board changed") }) }

// Beat is one beat of the heart, with its effects.
func (d *Driver) Beat() { d.e.heart.beat(d.ctx) }

// Check runs the next local checks, and answers false when none wait.
func (d *Driver) Check() bool { return d.e.checks.one(d.ctx) }

// Checks says whether checks wait to be run.
func (d *Driver) Checks() bool { return d.e.checks.waiting() }

// Send asks something of the loop. The answer can be received from the channel
// once it is there; a loop that ends first never answers.
func (d *Driver) Send(c state.Command) <-chan Reply {
	reply := make(chan Reply, 1)
	d.e.post(func(ctx context.Context) { d.e.command(ctx, c, reply) })
	return reply
}

// Leave ends the loop as the end of Run's context does.
func (d *Driver) Leave() { d.e.post(func(context.Context) { d.e.leave() }) }

// Busy says whether a firing or another job is under way.
func (d *Driver) Busy() bool { return d.e.busy }

// Ended says whether the loop is over, and how.
func (d *Driver) Ended() (End, bool) {
	if !d.e.ended {
		return End{}, false
	}
	return d.e.close(), true
}

// Rows are what the last firing that read the board showed.
func (d *Driver) Rows() []state.Row { return d.e.rows }

// Runs are the runs that the loop knows.
func (d *Driver) Runs() []state.Run { return d.e.book.runs }

// Mode is what the loop is doing.
func (d *Driver) Mode() state.Mode { return d.e.modeNow() }

// after calls f when d has passed.
func (e *Engine) after(d time.Duration, f func()) {
	if e.driver != nil {
		e.driver.hands.After(d, f)
		return
	}
	time.AfterFunc(d, f)
}

// disarm stops the timer of the next firing.
func (e *Engine) disarm() {
	if e.driver != nil {
		e.driver.armed++
		return
	}
	e.timer.Stop()
}

// rearm sets the timer of the next firing.
func (e *Engine) rearm(d time.Duration) {
	if e.driver == nil {
		e.timer.Reset(d)
		return
	}
	e.driver.armed++
	mine := e.driver.armed
	e.driver.hands.After(d, func() {
		e.post(func(ctx context.Context) {
			if e.driver.armed == mine {
				e.wake(ctx, "timer")
			}
		})
	})
}

// together does something for every run, all at once, and waits for the last.
func (e *Engine) together(runs []state.Run, do func(state.Run)) {
	if e.driver != nil {
		for _, r := range runs {
			do(r)
		}
		return
	}
	var wg sync.WaitGroup
	for _, r := range runs {
		wg.Go(func() { do(r) })
	}
	wg.Wait()
}
