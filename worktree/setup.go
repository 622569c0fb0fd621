package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// setupDue is the file in a worktree's git folder that says that its set-up
// has yet to succeed. It goes with the worktree.
const setupDue = "dispatcher-setup-due"

// markSetup notes that a new worktree is not set up yet.
func (m *Manager) markSetup(ctx context.Context, path string) error {
	file, err := m.setupFile(ctx, path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return fmt.Errorf("note that %s is to be set up: %w", path, err)
	}
	return nil
}

// setupIsDue says whether a worktree that was made with CreateRequest.Setup
// has not been set up.
func (m *Manager) setupIsDue(ctx context.Context, path string) (bool, error) {
	file, err := m.setupFile(ctx, path)
	if err != nil {
		return false, err
	}
	switch _, err := os.Lstat(file); {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look whether %s is set up: %w", path, err)
	}
	return true, nil
}

// SetUp notes that a worktree has been set up. Twice is once.
func (m *Manager) SetUp(ctx context.Context, path string) error {
	file, err := m.setupFile(ctx, path)
	if err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("note that %s is set up: %w", path, err)
	}
	return nil
}

func (m *Manager) setupFile(ctx context.Context, path string) (string, error) {
	dir, err := m.git.Dir(ctx, path)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, setupDue), nil
}
