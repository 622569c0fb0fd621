package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Worktree is one worktree as git lists it.
type Worktree struct {
	Path     string // absolute
	Head     string // empty for a bare repository
	Branch   string // empty where HEAD is detached
	Bare     bool
	Locked   bool
	Reason   string // why it is locked, may be empty
	Prunable bool   // its folder is gone
}

// Worktrees lists the worktrees of a repository, the main one first.
func (g *Git) Worktrees(ctx context.Context, dir string) ([]Worktree, error) {
	out, err := g.read(ctx, dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list the worktrees of %s: %w", dir, err)
	}
	return parseWorktrees(out), nil
}

func parseWorktrees(out []byte) []Worktree {
	var all []Worktree
	for _, r := range splitZ(out) {
		key, value, _ := strings.Cut(r, " ")
		if key == "worktree" {
			all = append(all, Worktree{Path: filepath.FromSlash(value)})
			continue
		}
		if len(all) == 0 {
			continue
		}
		w := &all[len(all)-1]
		switch key {
		case "HEAD":
			w.Head = value
		case "branch":
			w.Branch = strings.TrimPrefix(value, "refs/heads/")
		case "bare":
			w.Bare = true
		case "locked":
			w.Locked, w.Reason = true, value
		case "prunable":
			w.Prunable = true
		}
	}
	return all
}

// AddRequest says how to make a worktree. It is born locked, so that nothing
// can prune it half made.
type AddRequest struct {
	Path   string
	Reason string // of the lock
	// NewBranch is made at Start; else Branch is checked out; else HEAD is
	// detached at Start.
	NewBranch string
	Branch    string
	Start     string
	Track     bool // the new branch follows Start
}

// AddWorktree makes a worktree.
func (g *Git) AddWorktree(ctx context.Context, dir string, r AddRequest) error {
	args := []string{"worktree", "add", "--quiet", "--lock", "--reason", r.Reason}
	switch {
	case r.NewBranch != "":
		track := "--no-track"
		if r.Track {
			track = "--track"
		}
		args = append(args, track, "-b", r.NewBranch, "--", r.Path, r.Start)
	case r.Branch != "":
		args = append(args, "--", r.Path, r.Branch)
	default:
		args = append(args, "--detach", "--", r.Path, r.Start)
	}
	if _, err := g.writeWithHooks(ctx, dir, args...); err != nil {
		return fmt.Errorf("make the worktree %s: %w", r.Path, err)
	}
	return nil
}

// RemoveWorktree removes a worktree's folder and its entry; git refuses when
// there is work in it. Force skips that refusal, never that of a lock.
func (g *Git) RemoveWorktree(ctx context.Context, dir, path string, force bool) error {
	args := []string{"worktree", "remove"}
	if force {
		args = append(args, "--force")
	}
	if _, err := g.write(ctx, dir, append(args, "--", path)...); err != nil {
		return fmt.Errorf("remove the worktree %s: %w", path, err)
	}
	return nil
}

// UnlockWorktree unlocks a worktree that is locked.
func (g *Git) UnlockWorktree(ctx context.Context, dir, path string) error {
	if _, err := g.write(ctx, dir, "worktree", "unlock", "--", path); err != nil {
		return fmt.Errorf("unlock the worktree %s: %w", path, err)
	}
	return nil
}

// DeleteBranch deletes a branch if it still is at a commit.
func (g *Git) DeleteBranch(ctx context.Context, dir, branch, at string) error {
	if _, err := g.write(ctx, dir, "update-ref", "-d", "--", "refs/heads/"+branch, at); err != nil {
		return fmt.Errorf("delete the branch %s: %w", branch, err)
	}
	return nil
}

// RebuildIndex makes a worktree's index anew from HEAD and touches no file.
func (g *Git) RebuildIndex(ctx context.Context, dir string) error {
	if _, err := g.write(ctx, dir, "reset", "--quiet", "--mixed"); err != nil {
		return fmt.Errorf("rebuild the index of %s: %w", dir, err)
	}
	return nil
}
