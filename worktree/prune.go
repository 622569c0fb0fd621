package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/backside4charter/dispatcher/internal/git"
)

// PruneRequest says how to prune.
type PruneRequest struct {
	DryRun bool
	// Heads are the recorded heads of open pull requests: without a remote
	// they count as pushed.
	Heads []string
}

// Outcome is what became of one folder, and why.
type Outcome struct {
	Path string `json:"path"`
	Why  string `json:"why,omitempty"`
}

// Pruned is what a pruning did, or with DryRun would do.
type Pruned struct {
	Removed []Outcome `json:"removed"`
	Kept    []Outcome `json:"kept"`
	Failed  []Outcome `json:"failed,omitempty"` // tried, and git still lists it
}

// Prune removes the worktrees below .claude/worktrees/ that nobody uses and
// that hold nothing which is not elsewhere, then the folders there that git
// does not know and that hold nothing which is not committed. ErrStillListed
// if a removal was tried in vain; ErrNoMain, before anything is done, if git's
// list has no main checkout.
func (m *Manager) Prune(ctx context.Context, req PruneRequest) (Pruned, error) {
	done := Pruned{Removed: []Outcome{}, Kept: []Outcome{}} // empty lists are lists in JSON too
	err := m.exclusive(ctx, func() error {
		list, err := m.git.Worktrees(ctx, m.repo)
		if err != nil {
			return err
		}
		o := m.newObserver(ctx, req.Heads)
		all := make([]observed, 0, len(list))
		for i, w := range list {
			all = append(all, o.observe(ctx, w, i == 0))
		}
		steps, err := plan(all)
		if err != nil {
			return err
		}
		tried := m.carryOut(ctx, o, steps, req.DryRun, &done)
		return m.verify(ctx, req.DryRun, tried, &done)
	})
	if err != nil {
		return done, fmt.Errorf("prune the worktrees of %s: %w", m.repo, err)
	}
	return done, nil
}

// carryOut does the steps and answers, by path, what went wrong with those it
// tried to remove.
func (m *Manager) carryOut(ctx context.Context, o *observer, steps []step, dry bool, done *Pruned) map[string]error {
	tried := map[string]error{}
	for _, s := range steps {
		if !s.Remove {
			done.Kept = append(done.Kept, Outcome{Path: s.Path, Why: s.Why})
			continue
		}
		if dry {
			done.Removed = append(done.Removed, Outcome{Path: s.Path, Why: s.Why})
			continue
		}
		if m.remover != nil {
			if err := m.remover(ctx, s.Path); err != nil {
				done.Kept = append(done.Kept, Outcome{Path: s.Path, Why: err.Error()})
				continue
			}
		}
		if why := m.lookAgain(ctx, o, s); why != "" {
			done.Kept = append(done.Kept, Outcome{Path: s.Path, Why: why})
			continue
		}
		tried[s.Path] = m.remove(ctx, s)
		if tried[s.Path] == nil {
			done.Removed = append(done.Removed, Outcome{Path: s.Path, Why: s.Why})
		}
	}
	return tried
}

// lookAgain repeats the observation right before a removal in which git's own
// refusal is switched off.
func (m *Manager) lookAgain(ctx context.Context, o *observer, s step) string {
	if !s.Force {
		return ""
	}
	list, err := m.git.Worktrees(ctx, m.repo)
	if err != nil {
		return git.Stderr(err)
	}
	for _, w := range list {
		if w.Path == s.Path {
			now := o.observe(ctx, w, false)
			return keep(&now)
		}
	}
	return ""
}

func (m *Manager) remove(ctx context.Context, s step) error {
	if s.Unlock {
		if err := m.git.UnlockWorktree(ctx, m.repo, s.Path); err != nil {
			return err
		}
	}
	return m.git.RemoveWorktree(ctx, m.repo, s.Path, s.Force)
}

// verify lists again: a removal counts when git no longer lists the worktree,
// and then what lies in the folder without being known to git can be judged.
func (m *Manager) verify(ctx context.Context, dry bool, tried map[string]error, done *Pruned) error {
	list, err := m.git.Worktrees(ctx, m.repo)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, w := range list {
		listed[w.Path] = true
	}
	var errs []error
	for path, failure := range tried {
		if !listed[path] {
			continue
		}
		why := "git still lists it"
		if failure != nil {
			why = git.Stderr(failure)
		}
		done.Failed = append(done.Failed, Outcome{Path: path, Why: why})
		errs = append(errs, fmt.Errorf("%s: %w: %s", path, ErrStillListed, why))
	}
	leftovers := m.sweep(ctx, list, dry, done)
	return errors.Join(append(errs, leftovers)...)
}

// sweep deletes folders below Root that git does not list.
func (m *Manager) sweep(ctx context.Context, list []git.Worktree, dry bool, done *Pruned) error {
	entries, err := os.ReadDir(m.Root())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for folders that git does not know: %w", err)
	}
	for _, e := range entries {
		path := m.Root() + string(os.PathSeparator) + e.Name()
		if !e.IsDir() || contains(list, path) {
			continue
		}
		if why := m.holdsWork(ctx, path); why != "" {
			done.Kept = append(done.Kept, Outcome{Path: path, Why: "git does not know this folder, and " + why})
			continue
		}
		const why = "git does not know this folder, and nothing in it would be lost"
		if !dry {
			if err := os.RemoveAll(path); err != nil {
				done.Kept = append(done.Kept, Outcome{Path: path, Why: err.Error()})
				continue
			}
		}
		done.Removed = append(done.Removed, Outcome{Path: path, Why: why})
	}
	return nil
}

// contains says whether a folder is a listed worktree or holds one.
func contains(list []git.Worktree, dir string) bool {
	dir = resolved(dir)
	for _, w := range list {
		p := resolved(w.Path)
		if p == dir || strings.HasPrefix(p, dir+string(os.PathSeparator)) {
			return true
		}
	}
	return false
}
