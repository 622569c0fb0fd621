package app

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/tui"
)

// ErrNeedsTerminal refuses a room where there is no terminal.
var ErrNeedsTerminal = errors.New("the control room needs a terminal; `dispatcher ctl status` prints what the loop does")

// Attach shows the control room of the loop that runs over this repository in
// another process. Leaving only leaves.
func (f *Factory) Attach(ctx context.Context, m Manner) error {
	if !f.IO.OutTTY || !f.IO.InTTY {
		return ErrNeedsTerminal
	}
	client, err := f.Control(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Snapshot(ctx); err != nil {
		return err
	}
	as, err := f.taste(m)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	cfg, err := f.Config(ctx)
	if err != nil {
		return err
	}
	a := control.Attach(ctx, client)
	opts := tui.Options{
		Controller: a, Reader: client, Contacts: a.Contacts(), Attached: true,
		Now: f.Now, Look: as.look, Attention: as.attention, Crashed: f.crashed(cfg.StateDir(f.Getenv)),
	}
	f.furnish(&opts, cfg.StateDir(f.Getenv))
	opts.Session = f.sessions(ctx, cfg, cfg.StateDir(f.Getenv))
	_, err = tui.Run(ctx, opts, f.IO.In, f.IO.Out)
	if ctx.Err() != nil && !errors.Is(err, tui.ErrPanic) {
		return nil // the terminal went away: that is all
	}
	return err
}

// comeBack suspends this process, whose loop goes on in the background, and
// shows the room on that loop once the shell lets it go on.
func (f *Factory) comeBack(ctx context.Context, m Manner) error {
	fmt.Fprintln(f.IO.Out, "  fg brings this room back")
	proc.Suspend()
	return f.Attach(ctx, m)
}
