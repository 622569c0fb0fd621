package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/backside4charter/dispatcher/internal/git"
)

// operations are the files of a git folder that say that something is half
// done.
var operations = []struct{ file, name string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
	{"sequencer", "sequence of commits"},
}

// observer looks at worktrees for one pruning.
type observer struct {
	m *Manager
	// elsewhere selects, for rev-list, what counts as pushed: with a remote its
	// branches; without one the default branch and the recorded heads of open
	// pull requests (design.md, section 9).
	elsewhere []string
	err       string // why that cannot be told
}

func (m *Manager) newObserver(ctx context.Context, heads []string) *observer {
	o := &observer{m: m}
	remote, err := m.git.Remote(ctx, m.repo)
	if err != nil {
		o.err = err.Error()
		return o
	}
	if remote != "" {
		o.elsewhere = []string{"--remotes"}
		return o
	}
	base, err := m.git.DefaultBranch(ctx, m.repo, m.base, remote)
	if err != nil {
		o.err = err.Error()
		return o
	}
	for _, rev := range append([]string{"refs/heads/" + base}, heads...) {
		if id, err := m.git.RevParse(ctx, m.repo, rev); err == nil {
			o.elsewhere = append(o.elsewhere, id)
		}
	}
	return o
}

// observe looks at one worktree. What cannot be found out is said, never
// guessed.
func (o *observer) observe(ctx context.Context, w git.Worktree, main bool) observed {
	seen := observed{
		Path: w.Path, Main: main && !w.Bare, Inside: !main && o.m.inside(w.Path),
		Locked: w.Locked, Reason: w.Reason,
	}
	if w.Locked {
		seen.LockPID = reasonPID(w.Reason)
		seen.PIDAlive = seen.LockPID > 0 && o.m.alive(seen.LockPID)
	}
	if seen.Main || !seen.Inside || w.Locked && (seen.LockPID == 0 || seen.PIDAlive) {
		return seen // decided already
	}
	seen.Detached = w.Branch == ""
	if err := o.look(ctx, w, &seen); err != nil {
		seen.Unreadable = git.Stderr(err)
	}
	return seen
}

func (o *observer) look(ctx context.Context, w git.Worktree, seen *observed) error {
	if o.err != "" {
		return errors.New(o.err)
	}
	if gone(w.Path) {
		return o.lookGone(ctx, w, seen)
	}
	dir, err := o.m.git.Dir(ctx, w.Path)
	if err != nil {
		return err
	}
	for _, op := range operations {
		if _, err := os.Lstat(filepath.Join(dir, op.file)); err == nil {
			seen.Operation = op.name
			return nil
		}
	}
	if seen.Busy, err = o.m.indexBusy(w.Path, filepath.Join(dir, "index.lock")); err != nil || seen.Busy {
		return err
	}
	if err := o.lookFiles(ctx, w.Path, seen); err != nil {
		return err
	}
	if err := o.lookNested(ctx, w.Path, dir, seen); err != nil {
		return err
	}
	seen.Unpushed, err = o.m.git.Count(ctx, w.Path, append([]string{"HEAD", "--not"}, o.elsewhere...)...)
	return err
}

// lookGone looks at an entry whose folder is gone. A branch keeps its commits;
// a detached HEAD is the last thing that holds its own.
func (o *observer) lookGone(ctx context.Context, w git.Worktree, seen *observed) error {
	if _, err := os.Lstat(w.Path); err == nil {
		return errors.New("its folder has lost its .git file: try `git worktree repair`")
	}
	seen.Missing = true
	if w.Branch != "" {
		return nil
	}
	n, err := o.m.git.Count(ctx, o.m.repo, w.Head, "--not", "--branches", "--tags", "--remotes")
	seen.Unpushed = n
	return err
}

// lookFiles finds changes and untracked files. A file that holds exactly what
// a checkout writes is no change, though git says so after an odd mix of line
// ends; a file whose changes git was told to overlook may be one.
func (o *observer) lookFiles(ctx context.Context, path string, seen *observed) error {
	entries, err := o.m.git.Status(ctx, path)
	if err != nil {
		return err
	}
	var doubtful []string
	for _, e := range entries {
		switch {
		case e.Kind == '?':
			seen.Untracked = append(seen.Untracked, e.Path)
		case e.Kind == '1' && e.XY == ".M" && e.Submodule == "N..." && e.ModeIndex == e.ModeTree:
			doubtful = append(doubtful, e.Path)
		default:
			seen.Dirty = append(seen.Dirty, e.Path)
		}
	}
	hidden, err := o.m.git.Hidden(ctx, path)
	if err != nil {
		return err
	}
	for _, p := range hidden {
		if _, err := os.Lstat(filepath.Join(path, filepath.FromSlash(p))); err == nil {
			doubtful = append(doubtful, p)
		}
	}
	if len(seen.Dirty) > 0 || len(doubtful) == 0 {
		return nil
	}
	same, err := o.m.git.AsCheckedOut(ctx, path, doubtful)
	if err != nil {
		return err
	}
	if !same {
		seen.Dirty = append(seen.Dirty, doubtful...)
		return nil
	}
	seen.Hollow = true
	return nil
}

// lookNested looks at repositories inside a worktree. The git folder of a
// submodule lies in the worktree's own and goes with it, and so would commits
// that were never pushed from there.
func (o *observer) lookNested(ctx context.Context, path, gitDir string, seen *observed) error {
	links, err := o.m.git.Gitlinks(ctx, path)
	if err != nil {
		return err
	}
	for _, l := range links {
		info, err := os.Lstat(filepath.Join(path, filepath.FromSlash(l), ".git"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", l, err)
		}
		seen.Nested = true
		if info.IsDir() {
			seen.NestedOwn = fmt.Sprintf("%q is a repository of its own", l)
			return nil
		}
	}
	modules := filepath.Join(gitDir, "modules")
	if _, err := os.Lstat(modules); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	seen.Nested = true
	return filepath.WalkDir(modules, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || seen.NestedOwn != "" {
			return err
		}
		if d.Name() == "objects" || d.Name() == "refs" || d.Name() == "hooks" || d.Name() == "logs" {
			return filepath.SkipDir
		}
		if _, err := os.Lstat(filepath.Join(p, "objects")); err != nil {
			return nil //nolint:nilerr // a folder on the way to a repository
		}
		n, err := o.m.git.OwnOfRepository(ctx, p)
		if n > 0 {
			name, _ := filepath.Rel(modules, p)
			seen.NestedOwn = fmt.Sprintf("%d unpushed commits in the submodule %q", n, name)
		}
		return err
	})
}
