package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	return run(ctx, opts, tea.WithInput(in), tea.WithOutput(out))
}

func run(ctx context.Context, opts Options, more ...tea.ProgramOption) (Leave, error) {
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
	p := tea.NewProgram(g, append([]tea.ProgramOption{tea.WithContext(hard), tea.WithoutSignalHandler()}, more...)...)
	g.quit = p.Quit
	_, err := p.Run()
	switch {
	case g.err != nil:
		err = g.err
	case ctx.Err() != nil && g.room.left == LeaveLost:
		err = ctx.Err()
	case err == nil:
		return g.room.left, nil
	}
	return LeaveLost, fmt.Errorf("show the control room: %w", err)
}

// guard turns a panic of the room into an ordinary end, so that the terminal
// is restored in order and the stack does not land on a raw screen.
type guard struct {
	room *Model
	quit func()
	err  error
}

func (g *guard) fail(r any) { g.err = fmt.Errorf("%w: %v\n%s", ErrPanic, r, debug.Stack()) }

// Init starts the room.
func (g *guard) Init() tea.Cmd { return g.room.Init() }

// Update hands a message to the room.
func (g *guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	if g.err != nil {
		return g, tea.Quit
	}
	defer func() {
		if r := recover(); r != nil {
			g.fail(r)
			next, cmd = g, tea.Quit
		}
	}()
	_, cmd = g.room.Update(msg)
	return g, cmd
}

// View draws the room, or nothing once it has broken.
func (g *guard) View() (v tea.View) {
	if g.err != nil {
		return tea.NewView("")
	}
	defer func() {
		if r := recover(); r != nil {
			g.fail(r)
			v = tea.NewView("")
			go g.quit() // not from here: the event loop is what calls View
		}
	}()
	return g.room.View()
}
