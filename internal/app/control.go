package app

import (
	"context"

	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop"
)

// serveControl opens the control socket for as long as the loop lives. A
// headless loop cannot be steered without it, so that a socket which cannot be
// opened is an error.
func (f *Factory) serveControl(ctx context.Context, s *session, e *loop.Engine, read control.Reader) (func(), error) {
	l, err := control.Listen(s.state)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := control.Serve(ctx, l, attended{e}, read); err != nil {
			s.options.Log.Error("The control socket ended", logkey.Err, err)
		}
	}()
	return func() {
		cancel()
		<-done
	}, nil
}

// What a client of the loop hears instead of an answer: that no loop runs over
// this repository, and that nobody knows whether it did what it was asked.
var (
	ErrNoLoop     = control.ErrNoLoop
	ErrUnanswered = control.ErrUnanswered
)

// Control is a client of the loop that runs over this repository.
func (f *Factory) Control(ctx context.Context) (*control.Client, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	return control.NewClient(cfg.StateDir(f.Getenv)), nil
}
