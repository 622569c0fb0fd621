package boardtest

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves. It is safe for use by several goroutines
// at once: a served fake reads it too.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock is a clock that stands at a time until it is moved.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now reads it.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves it on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
