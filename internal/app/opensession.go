package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/tui"
)

// holdOpen keeps a window open whose program failed, so that its error is read.
const holdOpen = `"$@" || { echo; echo "enter closes this window"; read -r _; }`

// sessions opens a worker's session for its owner with `dispatcher take-over`,
// which hands it back at its end: in a window of the tmux around the room, else
// on its terminal.
func (f *Factory) sessions(ctx context.Context, cfg *config.Config, state string) tui.Session {
	return func(ref board.Ref) (tui.EditorRun, error) {
		binary, err := f.CopySelf(state)
		if err != nil {
			return nil, err
		}
		here := &proc.Terminal{
			Name: binary, Args: []string{"take-over", string(ref)},
			Dir: cfg.Root, Env: append(f.Environ(), "DISPATCHER_CONFIG="+cfg.Path),
		}
		if f.Getenv("TMUX") == "" {
			return here, nil
		}
		if _, err := proc.LookPath("tmux", f.Environ()); err != nil {
			return here, nil //nolint:nilerr // the room runs inside one that cannot be reached
		}
		args := []string{
			"new-window", "-n", asItIs(string(ref)), "-c", asItIs(cfg.Root), "-e", "DISPATCHER_CONFIG=" + cfg.Path,
			"sh", "-c", holdOpen, "sh", binary, "take-over", string(ref),
		}
		ctx, cancel := context.WithTimeout(ctx, openWithin)
		defer cancel()
		if _, err := (proc.Exec{}).Run(ctx, proc.Cmd{Name: "tmux", Args: args, Env: f.Environ()}); err != nil {
			return nil, fmt.Errorf("open a tmux window for it: %w", err)
		}
		return nil, nil
	}
}

// asItIs is a text as tmux reads it where it expands formats (tmux(1), FORMATS):
// a # begins one, #(command) even runs something, and two are one.
func asItIs(s string) string { return strings.ReplaceAll(s, "#", "##") }
