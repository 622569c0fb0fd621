package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/internal/git"
)

// lockPatience is how old git's own lock on an index must be before it counts
// as left behind, where the system does not tell who is at work in a folder.
const lockPatience = 10 * time.Minute

// reuse takes the worktree of ours that has the branch checked out, if there
// is one; a zero Worktree if not. An entry whose folder is gone is cleared
// away. It answers what of the list is still true.
func (m *Manager) reuse(ctx context.Context, req CreateRequest, plan branchPlan, list []git.Worktree) (Worktree, []git.Worktree, error) {
	i := slices.IndexFunc(list, func(w git.Worktree) bool { return m.inside(w.Path) && m.holds(ctx, w, plan.branch) })
	if i < 0 {
		return Worktree{}, list, nil
	}
	w := list[i]
	if err := m.mayTake(w, req); err != nil {
		return Worktree{}, list, err
	}
	if gone(w.Path) {
		return Worktree{}, slices.Delete(list, i, i+1), m.clearGone(ctx, w)
	}
	if err := m.SetLock(ctx, w.Path, req.RunID, req.PID); err != nil {
		return Worktree{}, list, err
	}
	if err := m.mend(ctx, w.Path); err != nil {
		return Worktree{}, list, err
	}
	taken, err := m.catchUp(ctx, Worktree{
		Path: w.Path, Branch: plan.branch, Existing: true, Locked: true, Reason: LockReason(req.RunID, req.PID),
	}, plan)
	return taken, list, err
}

// holds says whether a worktree has the branch, also in the middle of a rebase
// of it, when HEAD is detached.
func (m *Manager) holds(ctx context.Context, w git.Worktree, branch string) bool {
	if w.Branch != "" {
		return w.Branch == branch
	}
	if gone(w.Path) {
		return false
	}
	dir, err := m.git.Dir(ctx, w.Path)
	if err != nil {
		return false
	}
	for _, d := range []string{"rebase-merge", "rebase-apply"} {
		name, err := os.ReadFile(filepath.Join(dir, d, "head-name"))
		if err == nil && strings.TrimSpace(string(name)) == "refs/heads/"+branch {
			return true
		}
	}
	return false
}

// mayTake refuses a worktree that somebody else holds: a living process, or a
// person whose lock names none. What the asking process itself locked before
// its worker started is its own.
func (m *Manager) mayTake(w git.Worktree, req CreateRequest) error {
	if !w.Locked || w.Reason == LockReason(req.RunID, req.PID) {
		return nil
	}
	pid := reasonPID(w.Reason)
	if pid == 0 {
		return fmt.Errorf("the worktree %s is locked (%q): %w: unlock it with `git worktree unlock`", w.Path, w.Reason, ErrInUse)
	}
	if pid != req.PID && m.alive(pid) {
		return fmt.Errorf("the worktree %s is locked by a living process (%q): %w", w.Path, w.Reason, ErrInUse)
	}
	return nil
}

// clearGone removes the entry of a worktree whose folder is gone. Its branch
// keeps every commit.
func (m *Manager) clearGone(ctx context.Context, w git.Worktree) error {
	if w.Locked {
		if err := m.git.UnlockWorktree(ctx, m.repo, w.Path); err != nil {
			return err
		}
	}
	return m.git.RemoveWorktree(ctx, m.repo, w.Path, false)
}

// mend makes git usable in a worktree whose last worker was killed: a lock on
// the index that nobody holds goes away, and an index that cannot be read is
// put aside and rebuilt, which touches no file.
func (m *Manager) mend(ctx context.Context, path string) error {
	dir, err := m.git.Dir(ctx, path)
	if err != nil {
		return err
	}
	lock := filepath.Join(dir, "index.lock")
	if busy, err := m.indexBusy(path, lock); err != nil || busy {
		if err == nil {
			err = fmt.Errorf("git is at work in %s (%s exists): %w: wait for it, or remove that file if nothing is", path, lock, ErrInUse)
		}
		return err
	}
	if err := os.Remove(lock); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove a lock that was left behind: %w", err)
	}
	if _, err := m.git.Status(ctx, path); err == nil {
		return nil
	} else if !strings.Contains(git.Stderr(err), "index") {
		return err
	}
	index := filepath.Join(dir, "index")
	aside := index + ".broken-" + m.now().UTC().Format("20060102T150405")
	if err := os.Rename(index, aside); err != nil {
		return fmt.Errorf("put the broken index of %s aside: %w", path, err)
	}
	return m.git.RebuildIndex(ctx, path)
}

// indexBusy says whether the lock on an index exists and somebody may hold it.
func (m *Manager) indexBusy(path, lock string) (bool, error) {
	info, err := os.Stat(lock)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", lock, err)
	}
	if pids, known := m.workingIn(path); known {
		return len(pids) > 0, nil
	}
	return m.now().Sub(info.ModTime()) < lockPatience, nil
}
