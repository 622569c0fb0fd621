package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// ErrPanic is wrapped by Run's error when the room itself broke. The terminal
// is restored by then; the error's text ends with the stack.
var ErrPanic = errors.New("the control room broke")

// hardAfter is how long a cancelled room may take to restore the terminal
// before it is torn down.
const hardAfter = 2 * time.Second

// Run shows the control room on a terminal until the owner leaves, ctx ends or
// the terminal is lost. However it ends, the terminal is restored. Signals are
// the caller's: it cancels ctx.
//
// The error is nil when the owner left. A cancelled context is answered as
// LeaveLost with ctx's error, a panic as LeaveLost with ErrPanic.
func Run(ctx context.Context, opts Options, in io.Reader, out io.Writer) (Leave, error) {
	return run(ctx, opts, in, out)
}

func run(ctx context.Context, opts Options, in io.Reader, out io.Writer, more ...tea.ProgramOption) (Leave, error) {
	if opts.Controller == nil {
		return LeaveLost, errors.New("show the control room: no loop to show")
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	// A cancelled context lets the room quit in order, which waits for its
	// reader; only a room that hangs is torn down.
	hard, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(hardAfter, kill)
		context.AfterFunc(hard, func() { timer.Stop() })
	})
	defer stop()

	g := &guard{room: newModel(inner, opts)}
	show := painted
	if opts.Look.Plain {
		show = spoken
	}
	err := show(hard, g, in, out, more...)
	g.room.keepLast()
	switch {
	case g.crash != nil || errors.Is(err, tea.ErrProgramPanic):
		err = g.report(opts.Crashed)
	case ctx.Err() != nil && g.room.left == LeaveLost:
		err = ctx.Err()
	case err == nil:
		return g.room.left, nil
	}
	return LeaveLost, fmt.Errorf("show the control room: %w", err)
}

// painted shows the room as a picture.
func painted(ctx context.Context, g *guard, in io.Reader, out io.Writer, more ...tea.ProgramOption) error {
	options := append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out)}, more...)
	p, stop := newProgram(g, g.room.opts.Look.pace(), options...)
	defer stop()
	g.quit = p.Quit
	defer heedStops(p.Send)()
	_, err := p.Run()
	return err
}

// suspendMsg is a wish from outside that the screen stands still.
type suspendMsg struct{}

// resumedMsg says that the shell lets a suspended room go on.
type resumedMsg struct{}

// heedStops turns what would stop this process into a wish of the room: it gives
// the terminal back first, and its loop must not stand still with it.
func heedStops(send func(tea.Msg)) (stop func()) {
	if len(stopSignals) == 0 {
		return func() {}
	}
	ch, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(ch, stopSignals...)
	go func() {
		for {
			select {
			case <-ch:
				send(suspendMsg{})
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(ch); close(done) }
}

// guard turns a panic of the room into an ordinary end, so that the terminal
// is restored in order and the stack does not land on a raw screen.
type guard struct {
	room  *Model
	quit  func()
	crash *Crash
}

func (g *guard) fail(cause any, stack []byte) {
	if g.crash == nil {
		c := g.room.crash(cause, stack)
		g.crash = &c
	}
}

// report answers the error of a broken room, and where its file is.
func (g *guard) report(file func(Crash) (string, error)) error {
	if g.crash == nil {
		// The library caught it itself, and has printed the stack.
		return ErrPanic
	}
	if file == nil {
		return fmt.Errorf("%w: %s\n%s", ErrPanic, g.crash.Panic, g.crash.Stack)
	}
	path, err := file(*g.crash)
	if err != nil {
		return fmt.Errorf("%w: %s; %w\n%s", ErrPanic, g.crash.Panic, err, g.crash.Stack)
	}
	return fmt.Errorf("%w: %s; %s says where and what was shown", ErrPanic, g.crash.Panic, path)
}

// brokenMsg is a panic in a command.
type brokenMsg struct {
	cause any
	stack []byte
}

// Init starts the room.
func (g *guard) Init() tea.Cmd { return guarded(g.room.Init()) }

// Update hands a message to the room.
func (g *guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	if broken, ok := msg.(brokenMsg); ok {
		g.fail(broken.cause, broken.stack)
	}
	if g.crash != nil {
		return g, tea.Quit
	}
	defer func() {
		if r := recover(); r != nil {
			g.fail(r, debug.Stack())
			next, cmd = g, tea.Quit
		}
	}()
	_, cmd = g.room.Update(msg)
	return g, guarded(cmd)
}

// guarded is a command whose panic is a message, in a batch too.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = brokenMsg{r, debug.Stack()}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guarded(batch[i])
			}
		}
		return msg
	}
}

// View draws the room, or nothing once it has broken.
func (g *guard) View() (v tea.View) {
	if g.crash != nil {
		return tea.NewView("")
	}
	defer func() {
		if r := recover(); r != nil {
			g.fail(r, debug.Stack())
			v = tea.NewView("")
			go g.quit() // not from here: the event loop is what calls View
		}
	}()
	return g.room.View()
}
