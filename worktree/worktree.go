// Package worktree makes, lists and prunes the git worktrees that workers work
// in: always below .claude/worktrees/ of the main checkout.
//
// It promises that a worktree is born locked; that two processes may create
// and prune at once; that an issue's work goes on where it is, on its branch
// and in its worktree, if it has one; and that pruning removes nothing in
// which there may be somebody's work. The git binary does everything that
// writes or decides; go-git only reads for lists, because it calls clean what
// git does not. It never deletes a branch, and it never touches a worktree
// elsewhere.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Conditions that callers test for with errors.Is.
var (
	// ErrInUse: another run, or a person, holds the worktree or the branch.
	ErrInUse = errors.New("in use")
	// ErrNoMain: git's list has no main checkout to plan from.
	ErrNoMain = errors.New("git lists no main checkout")
	// ErrStillListed: git still lists a worktree whose removal was tried.
	ErrStillListed = errors.New("git still lists it")
	// ErrOutside: the path is not below .claude/worktrees/.
	ErrOutside = errors.New("not below .claude/worktrees/")
)

// Worktree is one worktree of the repository.
type Worktree struct {
	Path     string // absolute
	Branch   string // empty where HEAD is detached
	Head     string // commit; empty where it cannot be told
	Existing bool   // from Create: the branch or the worktree was there before
	Made     bool   // from Create: its folder was not there before
	SetupDue bool   // from Create: it was made with CreateRequest.Setup and is not set up yet
	Main     bool
	Locked   bool
	Reason   string // of the lock
	Missing  bool   // its folder is gone
}

// Options are what a Manager needs.
type Options struct {
	Git  *git.Git
	Repo string // the main checkout
	Base string // the default branch's name as configured; empty: found in git

	// Alive says whether a process lives; nil asks the system.
	Alive func(pid int) bool
	// WorkingIn lists the processes at work in a folder, if that can be told;
	// nil asks the system.
	WorkingIn func(dir string) ([]int, bool)
	// BeforeRemove is asked before a worktree is removed; an error keeps it.
	BeforeRemove func(ctx context.Context, path string) error
	Now          func() time.Time // nil: time.Now
}

// Manager works on the worktrees of one repository. It is safe for concurrent
// use, also by several processes.
type Manager struct {
	git  *git.Git
	repo string
	base string

	alive     func(int) bool
	workingIn func(string) ([]int, bool)
	remover   func(context.Context, string) error // what asks before a removal
	now       func() time.Time

	mu     sync.Mutex
	common string // git's folder, once it has been found
}

// Open answers a Manager. Nothing is read or written before the first call.
func Open(o Options) *Manager {
	m := &Manager{git: o.Git, repo: o.Repo, base: o.Base, alive: o.Alive, workingIn: o.WorkingIn, remover: o.BeforeRemove, now: o.Now}
	if m.alive == nil {
		m.alive = func(pid int) bool { return proc.Alive(pid, "") }
	}
	if m.workingIn == nil {
		m.workingIn = proc.WorkingIn
	}
	if m.now == nil {
		m.now = time.Now
	}
	return m
}

// Root is the folder that all our worktrees lie in.
func (m *Manager) Root() string { return filepath.Join(m.repo, ".claude", "worktrees") }

// inside says whether a path is strictly below Root, links resolved.
func (m *Manager) inside(path string) bool {
	rel, err := filepath.Rel(resolved(m.Root()), resolved(path))
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved follows links as far as the path exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

// commonDir is the git folder that all worktrees share.
func (m *Manager) commonDir(ctx context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.common != "" {
		return m.common, nil
	}
	dir, err := m.git.CommonDir(ctx, m.repo)
	m.common = dir
	return dir, err
}

// exclusive runs f while no other process of ours creates or prunes worktrees
// of this repository.
func (m *Manager) exclusive(ctx context.Context, f func() error) error {
	common, err := m.commonDir(ctx)
	if err != nil {
		return err
	}
	lock, err := statefile.Lock(ctx, filepath.Join(common, "dispatcher-worktrees.lock"))
	if err != nil {
		return fmt.Errorf("wait for the worktrees of %s: %w", m.repo, err)
	}
	err = f()
	return errors.Join(err, lock.Unlock())
}

// excludes are the folders of ours that git should not show (design.md,
// section 10).
var excludes = []string{
	".claude/worktrees/", ".claude/dispatcher/", ".dispatcher/board/", ".dispatcher/pulls/", ".secrets/",
}

// EnsureExcludes keeps our folders out of git's sight, in the repository's own
// exclude file, which is committed nowhere. What is there stays; each line is
// added once.
func EnsureExcludes(ctx context.Context, g *git.Git, repo string) error {
	common, err := g.CommonDir(ctx, repo)
	if err != nil {
		return err
	}
	return ensureExcludes(ctx, common)
}

func ensureExcludes(ctx context.Context, common string) error {
	dir := filepath.Join(common, "info")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("exclude our folders from git: %w", err)
	}
	path := filepath.Join(dir, "exclude")
	if text, err := os.ReadFile(path); err == nil && len(missingExcludes(text)) == 0 {
		return nil
	}
	lock, err := statefile.Lock(ctx, filepath.Join(common, "dispatcher-exclude.lock"))
	if err != nil {
		return fmt.Errorf("exclude our folders from git: %w", err)
	}
	defer lock.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("exclude our folders from git: %w", err)
	}
	missing := missingExcludes(text)
	if len(missing) == 0 {
		return nil
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = append(text, strings.Join(missing, "\n")+"\n"...)
	if err := statefile.WriteAtomic(path, text, 0o644); err != nil {
		return fmt.Errorf("exclude our folders from git: %w", err)
	}
	return nil
}

func missingExcludes(text []byte) []string {
	var have, missing []string
	for line := range strings.Lines(string(text)) {
		have = append(have, strings.TrimPrefix(strings.TrimSpace(line), "/"))
	}
	for _, e := range excludes {
		if !slices.Contains(have, e) {
			missing = append(missing, e)
		}
	}
	return missing
}
