// Package app is the composition root: it builds everything from the
// configuration, lazily and in order, and starts and stops it. Only the
// command line and the demo import it. It holds no rule of its own; where an
// adapter's method does not fit an interface that the loop declares, the ten
// lines between them stand here.
package app

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/loop"
)

// IO is the streams of one command and what is known of them. No command
// touches os.Stdout.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	InTTY    bool
	OutTTY   bool
	ErrTTY   bool
	// Width is the width of Out in cells; 0 where it is not a terminal.
	Width func() int
	// Color says whether Out takes colour (NO_COLOR and dumb terminals do not).
	Color bool
}

// Factory builds what commands need, each thing once, when it is first asked
// for.
type Factory struct {
	IO      *IO
	Getenv  func(string) string
	Environ func() []string
	Dir     string // working directory, absolute
	Now     func() time.Time
	Version string

	// Wrap stands between the loop and everything outside it; only tests set it,
	// to end the process at an exact moment.
	Wrap func(loop.Deps) loop.Deps

	// ConfigPath and Platform are the command line's --config and --platform.
	ConfigPath string
	Platform   string
	// Repository stands in for the configured one on GitHub, as owner/name.
	Repository string

	configOnce sync.Once
	config     *config.Config
	configErr  error

	repoParts
	boardParts
	pullParts
}

// Config is the repository's configuration, found as dispatcher-system.md,
// CLI, says: --config, DISPATCHER_CONFIG, else upward from the working
// directory, and always that of the main checkout.
func (f *Factory) Config(ctx context.Context) (*config.Config, error) {
	f.configOnce.Do(func() {
		f.config, f.configErr = config.Load(ctx, config.Source{
			Flag:     f.ConfigPath,
			Env:      f.Getenv("DISPATCHER_CONFIG"),
			Dir:      f.Dir,
			Platform: firstOf(f.Platform, f.Getenv("DISPATCHER_BOARD_PLATFORM")),
		})
	})
	return f.config, f.configErr
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
