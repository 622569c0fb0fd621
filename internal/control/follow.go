package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// How long a room waits before it tries to reach a lost loop again: a little
// longer each time.
const (
	againFirst = time.Second
	againMax   = 5 * time.Second
)

// Attached is a loop in another process as a room sees it: it stays what it is
// while contact is lost, and takes up a loop that was started again. It is over
// when its context ends.
type Attached struct {
	*Client
	snapshots chan *state.Snapshot
	contacts  chan state.Contact
}

// Attach begins to follow the loop.
func Attach(ctx context.Context, c *Client) *Attached {
	a := &Attached{Client: c, snapshots: make(chan *state.Snapshot, 1), contacts: make(chan state.Contact, 1)}
	go a.follow(ctx)
	return a
}

// Snapshots are the pictures, latest wins.
func (a *Attached) Snapshots() <-chan *state.Snapshot { return a.snapshots }

// Contacts tells when contact is lost, when it is tried again and when it is
// back; latest wins.
func (a *Attached) Contacts() <-chan state.Contact { return a.contacts }

// Send asks something of the loop; what does not reach it was not done.
func (a *Attached) Send(ctx context.Context, cmd state.Command) (state.Done, error) {
	done, err := a.Client.Send(ctx, cmd)
	switch {
	case errors.Is(err, ErrNoLoop):
		return done, fmt.Errorf("%s: no contact with the loop; nothing was done", cmd.Kind)
	case errors.Is(err, ErrSilent):
		return done, fmt.Errorf("%s: %w; nothing was done", cmd.Kind, err)
	}
	return done, err
}

func (a *Attached) follow(ctx context.Context) {
	defer close(a.snapshots)
	var lost time.Time
	for wait := againFirst; ; wait = min(wait+time.Second, againMax) {
		pictures, err := a.Subscribe(ctx)
		if err == nil {
			for s := range pictures {
				if !lost.IsZero() {
					lost = time.Time{}
					latest(a.contacts, state.Contact{})
				}
				wait = againFirst
				latest(a.snapshots, s)
			}
			err = errors.New("the loop went away")
		}
		if ctx.Err() != nil {
			return
		}
		if lost.IsZero() {
			lost = time.Now()
		}
		latest(a.contacts, state.Contact{Lost: lost, Again: time.Now().Add(wait), Why: err.Error(), Refused: refused(err)})
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// refused says whether a loop is there that does not talk to this client.
func refused(err error) bool {
	_, no := errors.AsType[*RefusalError](err)
	return no || errors.Is(err, ErrSilent)
}

// latest replaces what the reader has not taken yet. One goroutine sends.
func latest[T any](c chan T, v T) {
	select {
	case c <- v:
		return
	default:
	}
	select {
	case <-c:
	default:
	}
	c <- v
}
