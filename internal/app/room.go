package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui"
)

// room is the engine as the control room sees it: one subscription.
type room struct {
	*loop.Engine
	snapshots <-chan *state.Snapshot
}

var _ tui.Controller = room{}

func (r room) Snapshots() <-chan *state.Snapshot { return r.snapshots }

// runRoom runs the loop with the control room in front of it. SIGTERM leaves
// workers running; when the terminal is lost, the loop goes on headless
// (design.md, section 5).
func (f *Factory) runRoom(ctx context.Context, e *loop.Engine, read *reader, s *session, as taste, background bool) (loop.End, tui.Leave, error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	shown, closeRoom := context.WithCancel(ctx)
	defer closeRoom()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	go func() {
		select {
		case <-hangup:
			closeRoom()
		case <-shown.Done():
		}
	}()

	type outcome struct {
		end loop.End
		err error
	}
	ended := make(chan outcome, 1)
	c := room{Engine: e, snapshots: e.Snapshots()}
	leave := e.Attend()
	defer leave()
	go func() {
		end, err := e.Run(ctx)
		ended <- outcome{end, err}
	}()
	opts := tui.Options{Controller: c, Reader: read, Now: f.Now, Look: as.look, Attention: as.attention, Crashed: f.crashed(s.state), Background: background}
	f.furnish(&opts, s.state)
	opts.Session = f.sessions(ctx, s.cfg, s.state)
	left, err := tui.Run(shown, opts, f.IO.In, f.IO.Out)
	if left == tui.LeaveLost && ctx.Err() == nil {
		leave() // what a worker asks is answered as where nobody looks
		// Nobody may be there to read this; the log has it in any case.
		fmt.Fprintf(f.IO.Err, "dispatcher: the control room ended (%v); the loop goes on in pid %d, end it with SIGTERM\n", err, os.Getpid())
	}
	o := <-ended
	return o.end, left, o.err
}
