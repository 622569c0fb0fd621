package loop

import (
	"sync"
	"sync/atomic"

	"github.com/backside4charter/dispatcher/loop/state"
)

// publisher hands the newest snapshot to every reader: latest wins, and a slow
// reader never holds up the owner.
type publisher struct {
	last atomic.Pointer[state.Snapshot]

	mu     sync.Mutex
	subs   []chan *state.Snapshot
	closed bool
}

func newPublisher() *publisher { return &publisher{} }

func (p *publisher) publish(s *state.Snapshot) {
	p.last.Store(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.subs {
		offer(c, s)
	}
}

// offer replaces what the reader has not taken yet. Only the owner sends, so
// the second send cannot block.
func offer(c chan *state.Snapshot, s *state.Snapshot) {
	select {
	case c <- s:
		return
	default:
	}
	select {
	case <-c:
	default:
	}
	c <- s
}

func (p *publisher) subscribe() <-chan *state.Snapshot {
	c := make(chan *state.Snapshot, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.last.Load(); s != nil {
		c <- s
	}
	if p.closed {
		close(c)
		return c
	}
	p.subs = append(p.subs, c)
	return c
}

// close ends every subscription after its last snapshot.
func (p *publisher) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.subs {
		close(c)
	}
	p.subs = nil
}

// Snapshots is a subscription: the newest snapshot at once, then every newer
// one, latest wins. It is closed when the loop has ended.
func (e *Engine) Snapshots() <-chan *state.Snapshot { return e.pub.subscribe() }

// Snapshot is the newest picture, nil before the first.
func (e *Engine) Snapshot() *state.Snapshot { return e.pub.last.Load() }
