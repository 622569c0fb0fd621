package control

import (
	"context"
	"testing"

	"github.com/backside4charter/dispatcher/loop/state"
)

// A room stays while its loop is away, says so, and takes the next one up.
func TestAttachedSurvivesItsLoop(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	begin := func() (*fakeLoop, func()) {
		l, err := Listen(dir)
		if err != nil {
			t.Fatal(err)
		}
		loop := newFakeLoop()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- Serve(ctx, l, loop, fakeReader{}) }()
		return loop, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	first, end := begin()
	ctx, cancel := context.WithCancel(t.Context())
	a := Attach(ctx, NewClient(dir))
	first.snapshots <- &state.Snapshot{Version: 1}
	if s := <-a.Snapshots(); s.Version != 1 {
		t.Fatalf("version %d", s.Version)
	}
	end()
	if c := <-a.Contacts(); c.Lost.IsZero() || c.Again.IsZero() || c.Why == "" {
		t.Errorf("without a loop: %+v", c)
	}
	if _, err := a.Send(ctx, state.Command{Kind: state.CommandPause}); err == nil {
		t.Error("a command reaches a loop that is gone")
	}
	second, end := begin()
	defer end()
	second.snapshots <- &state.Snapshot{Version: 2}
	if s := <-a.Snapshots(); s.Version != 2 {
		t.Fatalf("version %d", s.Version)
	}
	for c := range a.Contacts() {
		if c.Lost.IsZero() {
			break
		}
	}
	cancel()
	for range a.Snapshots() { //nolint:revive // until it is over
	}
}
