package loop

import (
	"context"
	"slices"
	"sync"
)

// checks runs local checks, one pull request at a time, away from the firing
// (design.md, section 8, Local checks). At each head they run once: what is
// pending after that is somebody else's check, and only reading shows its end.
type checks struct {
	pulls Pulls
	done  func(name string, err error)

	mu      sync.Mutex
	queue   []check
	running check
	ran     map[string]string // head at which they ran, by name
	more    chan struct{}
}

// check is a pull request and the head at which it is to be checked.
type check struct{ name, head string }

func newChecks(p Pulls, done func(string, error)) *checks {
	return &checks{pulls: p, done: done, ran: map[string]string{}, more: make(chan struct{}, 1)}
}

// want asks for the checks of a pull request at its head; asking twice is
// asking once.
func (c *checks) want(name, head string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := check{name: name, head: head}
	if name == "" || c.running == k || slices.Contains(c.queue, k) || head != "" && c.ran[name] == head {
		return
	}
	c.queue = append(c.queue, k)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// busy says whether checks run or wait.
func (c *checks) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running != (check{}) || len(c.queue) > 0
}

// waiting says whether checks wait to be run.
func (c *checks) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0 && c.running == (check{})
}

func (c *checks) run(ctx context.Context) {
	for {
		if c.one(ctx) {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-c.more:
		}
	}
}

// one runs the next checks, and answers false when there is nothing to run or
// the loop has ended.
func (c *checks) one(ctx context.Context) bool {
	k, ok := c.next()
	if !ok {
		return false
	}
	err := c.pulls.RunChecks(ctx, k.name)
	c.over(k, err)
	if ctx.Err() != nil {
		return false
	}
	c.done(k.name, err)
	return true
}

func (c *checks) next() (check, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return check{}, false
	}
	c.running, c.queue = c.queue[0], c.queue[1:]
	return c.running, true
}

func (c *checks) over(k check, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = check{}
	if err == nil {
		c.ran[k.name] = k.head
	}
}
