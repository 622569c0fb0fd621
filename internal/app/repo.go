package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/worktree"
)

// Repo is the repository that the configuration marks.
type Repo struct {
	Root   string // main checkout
	Common string // git common directory
	Base   string // default branch
	Remote string // name of the remote; empty where there is none
}

// repoParts is what the factory keeps of the repository.
type repoParts struct {
	gitOnce sync.Once
	git     *git.Git
	repoMu  sync.Mutex
	repo    *Repo
}

// Git is the git binary.
func (f *Factory) Git() *git.Git {
	f.gitOnce.Do(func() { f.git = git.New(git.Options{}) })
	return f.git
}

// Repo looks at the repository once a command needs it: git there and new
// enough, a first commit, a default branch. It is looked at once; a failure is
// not kept.
func (f *Factory) Repo(ctx context.Context) (Repo, error) {
	f.repoMu.Lock()
	defer f.repoMu.Unlock()
	if f.repo != nil {
		return *f.repo, nil
	}
	r, err := f.lookAtRepo(ctx)
	if err != nil {
		return Repo{}, err
	}
	f.repo = &r
	return r, nil
}

func (f *Factory) lookAtRepo(ctx context.Context) (Repo, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return Repo{}, err
	}
	g := f.Git()
	if err := g.Check(ctx); err != nil {
		return Repo{}, err
	}
	r := Repo{}
	if r.Root, r.Common, err = g.Locate(ctx, cfg.Root); err != nil {
		return Repo{}, err
	}
	if r.Remote, err = g.Remote(ctx, r.Root); err != nil {
		return Repo{}, err
	}
	if cfg.Pulls.Base != "" { // elsewhere a branch that is there says it
		if err := g.RequireCommit(ctx, r.Root); err != nil {
			return Repo{}, err
		}
	}
	if r.Base, err = g.DefaultBranch(ctx, r.Root, cfg.Pulls.Base, r.Remote); err != nil {
		return Repo{}, err
	}
	return r, nil
}

// loopTrees are the worktrees as the loop sees them.
type loopTrees struct {
	m     *worktree.Manager
	pulls loop.Pulls
	live  *live
}

var _ loop.Worktrees = loopTrees{}

func (t loopTrees) Create(ctx context.Context, issue board.Issue, run string) (loop.Worktree, error) {
	return t.create(ctx, issue, "", run)
}

// create makes the worktree of an issue's own branch, or of the one named. A
// new one is to be set up where a hook does that.
func (t loopTrees) create(ctx context.Context, issue board.Issue, branch, run string) (loop.Worktree, error) {
	var w worktree.Worktree
	err := patiently(ctx, createPauses, func() (err error) {
		w, err = t.m.Create(ctx, worktree.CreateRequest{
			Ref: string(issue.Ref), Title: issue.Title, Branch: branch, RunID: run, PID: os.Getpid(),
			Setup: t.live.now().Hooks.AfterCreate != nil,
		})
		return err
	})
	if err != nil {
		return loop.Worktree{}, away(err)
	}
	return loop.Worktree{Path: w.Path, Branch: w.Branch, Base: w.Head, Fresh: !w.Existing, Made: w.Made, SetupDue: w.SetupDue}, nil
}

// Reach asks whether worktrees can be made at all.
func (t loopTrees) Reach(ctx context.Context) error { return away(t.m.Reach(ctx)) }

// away names the failure that is no issue's own. The words of it hold no
// address.
func away(err error) error {
	if gone, ok := errors.AsType[*git.UnreachableError](err); ok {
		return &loop.AwayError{Why: fmt.Sprintf("the remote %s cannot be reached (%s)", gone.Remote, gone.Reason), Err: err}
	}
	return err
}

// createPauses are the waits before a worktree is tried again: a git process
// that a killed loop left running may hold a lock of git's for a moment, and
// that must not cost an issue one of its tries.
var createPauses = []time.Duration{200 * time.Millisecond, 800 * time.Millisecond}

// patiently tries again after each pause, unless the worktree is in use, which
// a moment does not change.
func patiently(ctx context.Context, pauses []time.Duration, do func() error) error {
	err := do()
	for _, pause := range pauses {
		if _, gone := errors.AsType[*git.UnreachableError](err); gone || err == nil || errors.Is(err, worktree.ErrInUse) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		err = do()
	}
	return err
}

func (t loopTrees) Hold(ctx context.Context, path, run string, pid int) error {
	return t.m.SetLock(ctx, path, run, pid)
}

func (t loopTrees) Free(ctx context.Context, path string) error { return t.m.Unlock(ctx, path) }

func (t loopTrees) Prune(ctx context.Context) ([]string, error) {
	pulls, err := t.pulls.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	var heads []string
	for i := range pulls {
		if pulls[i].State == board.PullOpen {
			heads = append(heads, pulls[i].HeadSHA)
		}
	}
	done, err := t.m.Prune(ctx, worktree.PruneRequest{Heads: heads})
	var lines []string
	for _, o := range done.Removed {
		lines = append(lines, fmt.Sprintf("removed the worktree %s: %s", filepath.Base(o.Path), orElse(o.Why, "nothing is lost")))
	}
	return lines, err
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
