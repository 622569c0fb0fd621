package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/backside4charter/dispatcher/internal/app"
)

// Run is the program: it takes the process's own streams, environment and
// working directory, and answers the exit code.
func Run(ctx context.Context, version string, args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "dispatcher: find the working directory: %v\n", err)
		return exitUsage
	}
	return Main(ctx, &app.Factory{
		IO:      processIO(),
		Getenv:  os.Getenv,
		Environ: os.Environ,
		Dir:     dir,
		Now:     time.Now,
		Version: version,
	}, args)
}

func processIO() *app.IO {
	outTTY := term.IsTerminal(os.Stdout.Fd())
	return &app.IO{
		In:     os.Stdin,
		Out:    os.Stdout,
		Err:    os.Stderr,
		InTTY:  term.IsTerminal(os.Stdin.Fd()),
		OutTTY: outTTY,
		ErrTTY: term.IsTerminal(os.Stderr.Fd()),
		Color:  outTTY && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Width: func() int {
			w, _, err := term.GetSize(os.Stdout.Fd())
			if err != nil {
				return 0
			}
			return w
		},
	}
}
