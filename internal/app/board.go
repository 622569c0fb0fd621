package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/worktree"
)

// boardParts is what the factory keeps of the board.
type boardParts struct {
	boardOnce sync.Once
	board     *board.Policy
	linear    *linear.Board // where that is the platform
	remote    namesRows     // the board where it is not of files
	reading   board.Teller  // of a board that is read in many requests; nil for others
	boardErr  error
	// boardEvents reads the event log of a board of files; nil for others.
	boardEvents func(from int64) ([]native.Event, int64, error)

	// supervisedWorker says whether a supervisor of ours is among this
	// process's ancestors, and which worker that makes it; nil looks at the
	// real ones.
	supervisedWorker func() (board.Actor, bool)
	supervisedOnce   sync.Once
	supervised       *board.Actor
}

// Actor is who this process is: a worker where its environment or its
// ancestors say so, else the owner (design.md, section 11). A worker cannot
// make itself the owner by clearing its environment.
func (f *Factory) Actor() (board.Actor, error) {
	f.supervisedOnce.Do(f.lookForSupervisor)
	if f.supervised != nil {
		return *f.supervised, nil
	}
	word := f.Getenv("DISPATCHER_WORKER")
	if word == "" {
		return board.Actor{Kind: board.ActorOwner}, nil
	}
	kind, ok := board.ParseKind(word)
	if !ok {
		return board.Actor{}, fmt.Errorf("DISPATCHER_WORKER is %q; it names a worker: developer, reviewer or cleaner", word)
	}
	a := board.Actor{Kind: board.ActorOfKind(kind), Run: f.Getenv("DISPATCHER_RUN"), Ref: board.Ref(f.Getenv("DISPATCHER_REF"))}
	if a.Ref == "" {
		return board.Actor{}, errors.New("DISPATCHER_WORKER is set but DISPATCHER_REF is not; a worker has an issue")
	}
	if epoch := f.Getenv("DISPATCHER_EPOCH"); epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return board.Actor{}, fmt.Errorf("DISPATCHER_EPOCH is %q, not a number", epoch)
		}
		a.Epoch = n
	}
	return a, f.over(a)
}

// over refuses a worker whose run is over: what escaped every kill writes
// nothing to a row that was given back, on any board, until the next claim
// fences it off (docs/decisions/0016). The state folder is in the environment
// of workers alone; a hook, which runs when its worker has ended, has none.
func (f *Factory) over(a board.Actor) error {
	dir := f.Getenv("DISPATCHER_STATE_DIR")
	named := dir != "" && workers.CheckRunID(a.Run) == nil
	if named && workers.OpenFolder(filepath.Join(dir, "runs", a.Run)).Over() {
		return fmt.Errorf("%w: the run %s on %s is over; stop here", board.ErrClaimConflict, a.Run, a.Ref)
	}
	return nil
}

// lookForSupervisor looks once: it reads the process table.
func (f *Factory) lookForSupervisor() {
	look := f.supervisedWorker
	if look == nil {
		look = supervisedWorker
	}
	if a, ok := look(); ok {
		f.supervised = &a
	}
}

func supervisedWorker() (board.Actor, bool) {
	spec, ok := workers.Under(os.Getpid())
	if !ok {
		return board.Actor{}, false
	}
	return board.Actor{Kind: board.ActorOfKind(spec.Kind), Run: spec.Run, Ref: spec.Ref, Epoch: spec.Epoch}, true
}

// Board is the board under policy, for whoever this process is.
func (f *Factory) Board(ctx context.Context) (*board.Policy, error) {
	f.boardOnce.Do(func() { f.board, f.boardErr = f.openBoard(ctx) })
	return f.board, f.boardErr
}

func (f *Factory) openBoard(ctx context.Context) (*board.Policy, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	actor, err := f.Actor()
	if err != nil {
		return nil, err
	}
	backend, err := f.openBackend(ctx, cfg)
	if err != nil {
		return nil, err
	}
	f.reading, _ = backend.(board.Teller)
	return board.NewPolicy(backend, actor, board.PolicyOptions{Merged: f.merged(cfg)}), nil
}

func (f *Factory) openBackend(ctx context.Context, cfg *config.Config) (board.Backend, error) {
	switch cfg.Platform {
	case config.PlatformNative:
		return f.openNative(ctx, cfg)
	case config.PlatformLinear:
		return f.openLinear(ctx, cfg)
	case config.PlatformGitHub:
		return f.openProject(ctx, cfg)
	}
	return nil, fmt.Errorf("there is no board %q: `platform` in %s is native, linear or github", cfg.Platform, cfg.Path)
}

func (f *Factory) openNative(ctx context.Context, cfg *config.Config) (board.Backend, error) {
	states := map[board.Role]string{}
	for role, name := range cfg.Native.States {
		states[board.Role(role)] = name
	}
	if _, err := os.Stat(boardDir(cfg)); errors.Is(err, fs.ErrNotExist) {
		// Before the first `git add -A` of its owner. A board needs no
		// repository, so what git says against it stops nothing.
		_ = worktree.EnsureExcludes(ctx, f.Git(), cfg.Root)
	}
	host, _ := os.Hostname() // an unnamed host is a host too
	backend, err := native.Open(native.Options{
		Dir: boardDir(cfg), Key: cfg.Native.Key, States: states, Now: f.Now,
		Labels: []string{cfg.Native.Labels.ConfirmWithUser, cfg.Native.Labels.UI},
		Host:   host, Boot: proc.BootID(), Alive: proc.Alive,
	})
	if err != nil {
		return nil, err
	}
	f.boardEvents = backend.Events
	return backend, nil
}

// boardDir is the native board's folder.
func boardDir(cfg *config.Config) string { return cfg.NativeDir() }

// merged is the policy's question about pull requests. Where no pull request
// was ever recorded there is nothing to ask.
func (f *Factory) merged(cfg *config.Config) func(context.Context, board.Issue) (bool, error) {
	return func(ctx context.Context, i board.Issue) (bool, error) {
		if cfg.Pulls.Kind == config.PullsLocal && len(i.PRs) == 0 {
			if _, err := os.Stat(pullsDir(cfg)); errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
		}
		return f.pullOfIssueMerged(ctx, i)
	}
}
