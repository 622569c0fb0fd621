package e2e

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/cli"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// dying is the program, with one difference: its loop kills itself with SIGKILL
// the first time it comes to the moment at. Its workers, which are the same
// program, live on as ever.
func dying(at string, args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	f := &app.Factory{
		IO:     &app.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Width: func() int { return 0 }},
		Getenv: os.Getenv, Environ: os.Environ, Dir: dir, Now: time.Now, Version: "dying",
	}
	f.Wrap = func(d loop.Deps) loop.Deps {
		d.Board, d.Launcher, d.Watcher = mortalBoard{d.Board, at}, mortalLauncher{d.Launcher, at}, mortalWatcher{d.Watcher, at}
		d.Worktrees = mortalTrees{d.Worktrees, at}
		return d
	}
	return cli.Main(context.Background(), f, args)
}

// die ends the process at its moment, with nothing carried out after it.
func die(now, at string) {
	if now != at {
		return
	}
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	fmt.Fprintln(os.Stderr, "dying:", err)
	select {}
}

type mortalBoard struct {
	loop.Board
	at string
}

func (b mortalBoard) As(a board.Actor) (loop.Writes, loop.Claims) {
	w, c := b.Board.As(a)
	return mortalWrites{w, b.at}, mortalClaims{c, b.at}
}

type mortalWrites struct {
	loop.Writes
	at string
}

func (w mortalWrites) SetStateFrom(ctx context.Context, ref board.Ref, role, from board.Role) error {
	err := w.Writes.SetStateFrom(ctx, ref, role, from)
	die("moved to "+string(role), w.at)
	return err
}

type mortalClaims struct {
	loop.Claims
	at string
}

func (c mortalClaims) Claim(ctx context.Context, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	die("journalled", c.at)
	got, err := c.Claims.Claim(ctx, ref, req)
	die("claimed", c.at)
	return got, err
}

func (c mortalClaims) Release(ctx context.Context, ref board.Ref, session string) error {
	err := c.Claims.Release(ctx, ref, session)
	die("released", c.at)
	return err
}

type mortalLauncher struct {
	loop.Launcher
	at string
}

func (l mortalLauncher) Start(ctx context.Context, spec state.RunSpec) (state.WorkerStatus, error) {
	die("before the start", l.at)
	st, err := l.Launcher.Start(ctx, spec)
	die("started", l.at)
	return st, err
}

type mortalWatcher struct {
	loop.Watcher
	at string
}

func (w mortalWatcher) Observe(ctx context.Context, run string) (state.WorkerStatus, error) {
	st, err := w.Watcher.Observe(ctx, run)
	if err == nil && st.Phase == state.WorkerExited {
		die("ended", w.at)
	}
	return st, err
}

type mortalTrees struct {
	loop.Worktrees
	at string
}

func (t mortalTrees) Hold(ctx context.Context, path, run string, pid int) error {
	die("running", t.at)
	return t.Worktrees.Hold(ctx, path, run, pid)
}
