package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// List lists the worktrees, the main checkout first. It starts no process
// where go-git can read the repository; where it cannot, git is asked.
func (m *Manager) List(ctx context.Context) ([]Worktree, error) {
	if all, err := readRegistry(m.repo); err == nil {
		return all, nil
	}
	return m.listByGit(ctx)
}

func (m *Manager) listByGit(ctx context.Context) ([]Worktree, error) {
	list, err := m.git.Worktrees(ctx, m.repo)
	if err != nil {
		return nil, err
	}
	all := make([]Worktree, 0, len(list))
	for i, w := range list {
		all = append(all, Worktree{
			Path: w.Path, Branch: w.Branch, Head: w.Head, Main: i == 0,
			Locked: w.Locked, Reason: w.Reason, Missing: i > 0 && gone(w.Path),
		})
	}
	return all, nil
}

// readRegistry reads git's own registry of worktrees, .git/worktrees/*.
func readRegistry(repo string) ([]Worktree, error) {
	// Without the common folder the open succeeds in a linked worktree and then
	// finds no branches.
	r, err := gogit.PlainOpenWithOptions(repo, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", repo, err)
	}
	common := filepath.Join(repo, ".git")
	if info, err := os.Stat(common); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("open %s: its git folder lies elsewhere", repo)
	}
	main := Worktree{Path: repo, Main: true}
	if err := readHead(r, common, &main); err != nil {
		return nil, err
	}
	all := []Worktree{main}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list the worktrees of %s: %w", repo, err)
	}
	for _, e := range entries {
		w, ok, err := readEntry(r, filepath.Join(common, "worktrees", e.Name()))
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, w)
		}
	}
	return all, nil
}

// readEntry reads one entry; it reports false for one that git would not list
// either.
func readEntry(r *gogit.Repository, dir string) (Worktree, bool, error) {
	link, err := os.ReadFile(filepath.Join(dir, "gitdir"))
	if err != nil {
		return Worktree{}, false, nil //nolint:nilerr // half made or half removed
	}
	path := filepath.FromSlash(strings.TrimSpace(string(link)))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	w := Worktree{Path: filepath.Dir(path)}
	w.Missing = gone(w.Path)
	if reason, err := os.ReadFile(filepath.Join(dir, "locked")); err == nil {
		w.Locked, w.Reason = true, strings.TrimSpace(string(reason))
	}
	return w, true, readHead(r, dir, &w)
}

// readHead fills in branch and commit from a HEAD file.
func readHead(r *gogit.Repository, dir string, w *Worktree) error {
	head, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	if err != nil {
		return fmt.Errorf("read HEAD of %s: %w", w.Path, err)
	}
	text := strings.TrimSpace(string(head))
	ref, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		w.Head = text
		return nil
	}
	w.Branch = strings.TrimPrefix(ref, "refs/heads/")
	at, err := r.Reference(plumbing.ReferenceName(ref), true)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil // not yet born
	}
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", ref, w.Path, err)
	}
	w.Head = at.Hash().String()
	return nil
}

func gone(path string) bool {
	_, err := os.Stat(filepath.Join(path, ".git"))
	return errors.Is(err, os.ErrNotExist)
}
