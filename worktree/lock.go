package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// LockReason is the text a worktree is locked with: the creator's pid at
// birth, the supervisor's from the start of the agent (design.md, section 9).
func LockReason(run string, pid int) string {
	return fmt.Sprintf("dispatcher run %s pid %d", run, pid)
}

// lockPID finds the process in a lock's reason, ours or another tool's.
var lockPID = regexp.MustCompile(`\bpid[ :=]+(\d{1,10})\b`)

// reasonPID is the process a lock names, 0 if it names none.
func reasonPID(reason string) int {
	m := lockPID.FindAllStringSubmatch(reason, -1)
	if len(m) == 0 {
		return 0
	}
	pid, err := strconv.Atoi(m[len(m)-1][1])
	if err != nil {
		return 0
	}
	return pid
}

// runID is what a run may be called: it ends up in a lock's reason.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// SetLock locks one of our worktrees for a run and process, also when it is
// locked already: there is no moment without a lock.
func (m *Manager) SetLock(ctx context.Context, path, run string, pid int) error {
	if !runID.MatchString(run) {
		return fmt.Errorf("lock the worktree %s: %.80q is no run id", path, run)
	}
	file, err := m.lockFile(ctx, path)
	if err != nil {
		return fmt.Errorf("lock the worktree %s: %w", path, err)
	}
	if err := statefile.WriteAtomic(file, []byte(LockReason(run, pid)+"\n"), 0o644); err != nil {
		return fmt.Errorf("lock the worktree %s: %w", path, err)
	}
	return nil
}

// Unlock unlocks one of our worktrees; one that is not locked, or no longer
// there, is fine.
func (m *Manager) Unlock(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && m.inside(path) {
		return nil
	}
	file, err := m.lockFile(ctx, path)
	if err != nil {
		return fmt.Errorf("unlock the worktree %s: %w", path, err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("unlock the worktree %s: %w", path, err)
	}
	return nil
}

// lockFile is the file whose presence locks a linked worktree of ours.
func (m *Manager) lockFile(ctx context.Context, path string) (string, error) {
	if !m.inside(path) {
		return "", ErrOutside
	}
	dir, err := m.git.Dir(ctx, path)
	if err != nil {
		return "", err
	}
	common, err := m.commonDir(ctx)
	if err != nil {
		return "", err
	}
	// A folder that is no worktree itself answers for the main checkout.
	if resolved(filepath.Dir(dir)) != resolved(filepath.Join(common, "worktrees")) {
		return "", errors.New("it is no worktree of this repository")
	}
	return filepath.Join(dir, "locked"), nil
}
