package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// serve answers message after message until the input ends.
func (a *agent) serve(ctx context.Context) int {
	for {
		if len(a.queue) == 0 {
			if a.inbox == nil || a.closing {
				return a.exitCode()
			}
			if err := a.wait(ctx); err != nil {
				return codeOf(err)
			}
			continue
		}
		m := a.queue[0]
		a.queue = a.queue[1:]
		if err := a.turn(ctx, m); err != nil {
			return codeOf(err)
		}
	}
}

func (a *agent) exitCode() int {
	if a.failed && !a.closing {
		return exitFail
	}
	return exitOK
}

func codeOf(err error) int {
	if e, ok := errors.AsType[exitError](err); ok {
		return e.code
	}
	return exitFail
}

// wait takes one input while nothing is under way.
func (a *agent) wait(ctx context.Context) error {
	err := a.await(ctx, nil)
	if errors.Is(err, errInterrupted) {
		return nil // there is nothing to interrupt
	}
	return err
}

// await runs work beside the inbox and ends when work has. With no work it
// ends after one input. What ends work early is answered as an error, after
// work has ended.
func (a *agent) await(ctx context.Context, work func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var ended chan struct{} // nil, and so never ready, without work
	if work != nil {
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			work(ctx)
		}()
	}
	var stop error
	for {
		var err error
		select {
		case <-ended:
			return stop
		case in, ok := <-a.inbox:
			err = a.take(in, ok)
		case s := <-a.signals:
			err = a.signal(s)
		case <-ctx.Done():
			err = exitError{exitTerm}
		}
		if err != nil && stop == nil {
			stop = err
			cancel()
		}
		switch {
		case work == nil:
			return stop
		case stop != nil:
			<-ended
			return stop
		}
	}
}

// glance takes what has come in without waiting.
func (a *agent) glance() error {
	for {
		select {
		case in, ok := <-a.inbox:
			if err := a.take(in, ok); err != nil {
				return err
			}
		case s := <-a.signals:
			return a.signal(s)
		default:
			return nil
		}
	}
}

func (a *agent) signal(s os.Signal) error {
	switch s {
	case syscall.SIGHUP:
		return exitError{exitHangup}
	case os.Interrupt:
		if a.busy {
			a.closing = true
			return errInterrupted
		}
		return exitError{exitOK}
	}
	return exitError{exitTerm}
}

// take handles one input; ok is false at the end of the input.
func (a *agent) take(in input, ok bool) error {
	switch {
	case !ok:
		a.inbox = nil
	case in.bad != nil:
		fmt.Fprintln(a.opt.Err, in.bad)
		return exitError{exitFail}
	case in.message != nil:
		if !a.known {
			a.known = true
			if err := a.session.save(); err != nil {
				fmt.Fprintln(a.opt.Err, err)
				return exitError{exitFail}
			}
		}
		a.wire.lifecycle(in.message, "queued")
		a.queue = append(a.queue, in.message)
	case in.control != nil:
		return a.control(in.control)
	case in.answer != nil:
		a.answered(in.answer)
	}
	return nil
}

func (a *agent) control(c *control) error {
	switch c.Request.Subtype {
	case "initialize":
		a.wire.success(c.ID, object{
			"commands": []string{}, "agents": []string{}, "models": []string{},
			"account": object{}, "output_style": "default", "pid": os.Getpid(),
		})
	case "interrupt":
		queued := []string{}
		for _, m := range a.queue {
			if m.UUID != "" {
				queued = append(queued, m.UUID)
			}
		}
		a.wire.success(c.ID, object{"still_queued": queued})
		return errInterrupted
	case "set_permission_mode":
		a.wire.mode = c.Request.Mode
		a.wire.success(c.ID, object{"mode": c.Request.Mode})
		a.wire.status(c.Request.Mode)
	case "set_model":
		a.wire.success(c.ID, object{"model": modelName})
	case "get_session_cost":
		a.wire.success(c.ID, object{"text": fmt.Sprintf("Estimated cost:        $%.4f", a.session.CostUSD)})
	case "mcp_status":
		a.wire.success(c.ID, object{"mcpServers": []string{}})
	case "end_session":
		a.wire.success(c.ID, nil)
		return exitError{exitOK} // without waiting for the turn
	default:
		a.wire.unsupported(c.ID, c.Request.Subtype)
	}
	return nil
}
