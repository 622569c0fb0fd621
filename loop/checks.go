package loop

import (
	"context"
	"slices"
	"sync"
)

// checks runs local checks, one pull request at a time, away from the firing
// (design.md, section 8, Local checks).
type checks struct {
	pulls Pulls
	done  func(name string, err error)

	mu      sync.Mutex
	queue   []string
	running string
	more    chan struct{}
}

func newChecks(p Pulls, done func(string, error)) *checks {
	return &checks{pulls: p, done: done, more: make(chan struct{}, 1)}
}

// want asks for the checks of a pull request; asking twice is asking once.
func (c *checks) want(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "" || c.running == name || slices.Contains(c.queue, name) {
		return
	}
	c.queue = append(c.queue, name)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// busy says whether checks run or wait.
func (c *checks) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running != "" || len(c.queue) > 0
}

func (c *checks) run(ctx context.Context) {
	for {
		name, ok := c.next()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-c.more:
			}
			continue
		}
		err := c.pulls.RunChecks(ctx, name)
		c.mu.Lock()
		c.running = ""
		c.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		c.done(name, err)
	}
}

func (c *checks) next() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return "", false
	}
	c.running, c.queue = c.queue[0], c.queue[1:]
	return c.running, true
}
