package loop

import (
	"context"
	"slices"
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

// subscribe answers the newest snapshot at once and every newer one, until the
// context ends or the publisher is closed, either of which closes the channel.
func (p *publisher) subscribe(ctx context.Context) <-chan *state.Snapshot {
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
	context.AfterFunc(ctx, func() { p.leave(c) })
	return c
}

func (p *publisher) leave(c chan *state.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.subs, c); at >= 0 {
		p.subs = slices.Delete(p.subs, at, at+1)
		close(c)
	}
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

// Subscribe answers the newest snapshot at once, then every newer one, latest
// wins. The channel is closed when the context or the loop has ended.
func (e *Engine) Subscribe(ctx context.Context) <-chan *state.Snapshot { return e.pub.subscribe(ctx) }

// Snapshots is a subscription for as long as the loop lives.
func (e *Engine) Snapshots() <-chan *state.Snapshot { return e.pub.subscribe(context.Background()) }

// Snapshot is the newest picture, nil before the first.
func (e *Engine) Snapshot() *state.Snapshot { return e.pub.last.Load() }
