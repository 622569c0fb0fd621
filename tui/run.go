package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Run shows the control room on a terminal until the owner leaves, ctx ends or
// the terminal is lost. However it ends, the terminal is restored. Signals are
// the caller's: it cancels ctx.
//
// The error is nil when the owner left. A cancelled context is answered as
// LeaveLost with ctx's error; a panic as an error that wraps
// tea.ErrProgramPanic.
func Run(ctx context.Context, opts Options, in io.Reader, out io.Writer) (Leave, error) {
	return run(ctx, opts, tea.WithInput(in), tea.WithOutput(out))
}

func run(ctx context.Context, opts Options, more ...tea.ProgramOption) (Leave, error) {
	if opts.Controller == nil {
		return LeaveLost, errors.New("show the control room: no loop to show")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, opts)
	p := tea.NewProgram(m, append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}, more...)...)
	_, err := p.Run()
	switch {
	case err == nil:
		return m.left, nil
	case ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic):
		return LeaveLost, fmt.Errorf("show the control room: %w", ctx.Err())
	default:
		return LeaveLost, fmt.Errorf("show the control room: %w", err)
	}
}
