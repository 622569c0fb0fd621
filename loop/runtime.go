package loop

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/state"
)

// runtime is what lasts of the loop's doings: the owner's word on whether it
// is paused, the usage limits of the accounts, and why rows wait. The owner
// goroutine and firings both write parts of it.
type runtime struct {
	save func(journal.Runtime) error
	now  func() time.Time

	mu   sync.Mutex
	last journal.Runtime
}

func newRuntime(o Options, save func(journal.Runtime) error) *runtime {
	r := journal.Runtime{Desired: string(state.ModeRunning), Firing: o.Firing, PID: o.PID, Limits: map[string]time.Time{}}
	if o.Paused {
		r.Desired = string(state.ModePaused)
	}
	maps.Copy(r.Limits, o.Limits)
	return &runtime{save: save, now: o.Now, last: r}
}

// update changes what lasts and writes it down. What could not be written
// stands all the same while this loop lives, and is written the next time.
func (x *runtime) update(change func(*journal.Runtime)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	next := x.last
	next.Limits = maps.Clone(x.last.Limits)
	change(&next)
	next.At = x.now()
	maps.DeleteFunc(next.Limits, func(_ string, until time.Time) bool { return !until.After(next.At) })
	x.last = next
	if err := x.save(next); err != nil {
		return fmt.Errorf("save the runtime state: %w", err)
	}
	return nil
}

// limits are the usage limits that still hold, by kind of agent.
func (x *runtime) limits(now time.Time) map[string]time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]time.Time{}
	for kind, until := range x.last.Limits {
		if until.After(now) {
			out[kind] = until
		}
	}
	return out
}

// limited notes that the account behind a kind of agent may do nothing until
// then.
func (x *runtime) limited(kind string, until time.Time) error {
	return x.update(func(r *journal.Runtime) {
		if until.After(r.Limits[kind]) {
			r.Limits[kind] = until
		}
	})
}

// unlimited ends the usage limit of an account: its owner knows better.
func (x *runtime) unlimited(kind string) error {
	if !x.limits(x.now())[kind].IsZero() {
		return x.update(func(r *journal.Runtime) { delete(r.Limits, kind) })
	}
	return nil
}
