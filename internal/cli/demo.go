package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/demo"
)

// demoOptions are what `dispatcher demo` takes.
type demoOptions struct {
	dir   string
	fast  bool
	serve bool
	start app.StartOptions
}

func newDemoCmd(f *app.Factory) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play the life of several issues on a board and a repository of its own",
		Long: `Play the life of several issues in a folder of its own: a real board in files,
a real git repository with a bare remote, real pull requests and checks. Only
the agents are scripted; no account and no network is needed.

With --platform linear the board is a Linear of our own on this machine, reached
over HTTP as the real one is; merging a pull request closes its issue by that
Linear's own automation. With --platform github board, pull requests and pushes
are on a GitHub of our own, with two Apps; you merge on the page that ` + "`o`" + ` opens,
or by ` + "`dispatcher demo merge`" + `. --serve keeps either reachable for our commands
without working it.

Started again with the --dir of an earlier demo it goes on there.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd, f, o) },
	}
	cmd.Flags().StringVar(&o.dir, "dir", "", "the demo's folder: a new or empty one, or that of an earlier demo (default a fresh temporary folder)")
	cmd.Flags().StringVar(&f.Platform, "platform", "", "the board to play on: native, linear or github (default native, or that of the folder)")
	completeFlag(f, cmd, "platform", platforms)
	cmd.Flags().BoolVar(&o.serve, "serve", false, "serve the board of a demo on linear or github until interrupted, and work nothing")
	cmd.Flags().BoolVar(&o.fast, "fast", false, "shorten pauses and timers; nothing is left out")
	cmd.Flags().BoolVar(&o.start.NoTUI, "no-tui", false, "print one status line a firing instead of the control room")
	mannerFlags(cmd, &o.start.Manner)
	cmd.Flags().BoolVar(&o.start.UntilIdle, "until-idle", false, "end when nothing more can happen without you")
	_ = cmd.MarkFlagDirname("dir") // only for completion
	cmd.AddCommand(newDemoMergeCmd(f))
	return cmd
}

// newDemoMergeCmd plays the owner's part that on GitHub is a button on a page.
func newDemoMergeCmd(f *app.Factory) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "merge <number>",
		Short: "Merge a pull request of a demo on GitHub, as its page's button does",
		Long: `Merge a pull request on the GitHub of a demo, as its owner does by the button on
its page. The demo must be running, or be served by ` + "`dispatcher demo --serve`" + `.`,
		Args: exactArgs("a pull request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(strings.TrimPrefix(args[0], "#"))
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of a pull request", args[0])
			}
			if dir != "" && !filepath.IsAbs(dir) {
				dir = filepath.Join(f.Dir, dir)
			}
			if err := demo.Merge(cmd.Context(), dir, f.Dir, n); err != nil {
				return failWith(err)
			}
			return say(f, "#%d: merged", n)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the demo's folder (default the one you are in)")
	_ = cmd.MarkFlagDirname("dir") // only for completion
	return cmd
}

// runDemo prepares the demo, works it as `start demo` would, and says what the
// owner can do next.
func runDemo(cmd *cobra.Command, f *app.Factory, o demoOptions) error {
	ctx := cmd.Context()
	dir := o.dir
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(f.Dir, dir)
	}
	d, err := demo.Prepare(ctx, demo.Options{
		Dir: dir, Platform: f.Platform, Fast: o.fast, Environ: demoEnviron(f.Environ()),
		Run: demoRunner(f, 0), Before: func(ago time.Duration) demo.Runner { return demoRunner(f, ago) },
	})
	if err != nil {
		return failWith(err)
	}
	defer d.Close()
	if d.Continued {
		fmt.Fprintf(f.IO.Err, "demo: going on in %s\n", d.Dir)
	} else {
		fmt.Fprintf(f.IO.Err, "demo: in %s, with scripted agents\n", d.Dir)
	}
	inside := demoFactory(f, d.Repo, f.IO)
	if o.serve {
		return serveDemo(ctx, f, &d)
	}
	o.start.Milestones = []string{demo.Milestone}
	o.start.Bound = d.Address() != "" // its Linear lives in this process
	if err := runStart(cmd, inside, o.start); err != nil {
		return err
	}
	if client, err := inside.Control(ctx); err == nil {
		if snap, err := client.Snapshot(ctx); err == nil && snap != nil {
			return sayAttach(ctx, f, inside, d)
		}
	}
	return sayNext(ctx, f, inside, d)
}

// serveDemo keeps a demo's board reachable until it is interrupted.
func serveDemo(ctx context.Context, f *app.Factory, d *demo.Demo) error {
	if d.Address() == "" {
		return errors.New("--serve: the board of this demo is files and needs no server; --platform linear or github makes one that does")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	what := map[config.Platform]string{config.PlatformLinear: "Linear", config.PlatformGitHub: "GitHub"}[d.Platform]
	fmt.Fprintf(f.IO.Out, "The demo's %s answers at %s until you interrupt this.\nLook at it from another terminal:\n\n    cd %s\n    dispatcher board poll --all-milestones\n", what, d.Address(), d.Repo)
	<-ctx.Done()
	return nil
}

// sayAttach prints how to come back to a demo whose loop goes on.
func sayAttach(ctx context.Context, f, inside *app.Factory, d demo.Demo) error {
	cfg, err := inside.Config(ctx)
	if err != nil {
		return err
	}
	binary, err := inside.CopySelf(cfg.StateDir(inside.Getenv))
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "\nThe demo is in %s: the main checkout in repo, the bare remote in remote.git.\nCome back to it, or end its loop:\n\n    cd %s\n    %s attach\n    %s ctl drain\n", d.Dir, d.Repo, binary, binary)
	return nil
}

// sayNext prints where everything is and the owner's part, with the copy of
// the program that stays when this one is gone.
func sayNext(ctx context.Context, f, inside *app.Factory, d demo.Demo) error {
	cfg, err := inside.Config(ctx)
	if err != nil {
		return err
	}
	binary, err := inside.CopySelf(cfg.StateDir(inside.Getenv))
	if err != nil {
		return err
	}
	text, err := demo.Owner(ctx, d, binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "\nThe demo is in %s: the main checkout in repo, the bare remote in remote.git.\n%s", d.Dir, text)
	return nil
}

// demoVars would lead a command to another board than the demo's.
var demoVars = []string{"DISPATCHER_CONFIG", "DISPATCHER_BOARD_PLATFORM", "DISPATCHER_STATE_DIR"}

// demoFactory is the command line's factory in the demo's main checkout.
func demoFactory(f *app.Factory, dir string, io *app.IO) *app.Factory {
	return &app.Factory{
		IO: io, Dir: dir, Now: f.Now, Version: f.Version,
		Getenv: func(name string) string {
			if slices.Contains(demoVars, name) {
				return ""
			}
			return f.Getenv(name)
		},
		Environ: func() []string { return demoEnviron(f.Environ()) },
	}
}

func demoEnviron(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(demoVars, name)
	})
}

// demoRunner runs commands of ours in the demo, with a clock that is so much
// behind.
func demoRunner(f *app.Factory, behind time.Duration) demo.Runner {
	return func(ctx context.Context, dir string, args ...string) (string, error) {
		return runInside(ctx, f, dir, behind, args)
	}
}

// runInside runs one command of ours in the demo, in this process.
func runInside(ctx context.Context, f *app.Factory, dir string, behind time.Duration, args []string) (string, error) {
	var out, errs bytes.Buffer
	io := &app.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Width: func() int { return 0 }}
	inside := demoFactory(f, dir, io)
	inside.Now = func() time.Time { return f.Now().Add(-behind) }
	if code := Main(ctx, inside, args); code != exitOK {
		return out.String(), fmt.Errorf("dispatcher %s: %s", strings.Join(args[:min(2, len(args))], " "), strings.TrimPrefix(strings.TrimSpace(errs.String()), "dispatcher: "))
	}
	return out.String(), nil
}
