package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// MainCheckout is the main checkout of the repository that dir is in, absolute,
// also where dir is in a linked worktree. ErrNotRepository, ErrBare.
func (g *Git) MainCheckout(ctx context.Context, dir string) (string, error) {
	root, _, err := g.Locate(ctx, dir)
	return root, err
}

// Locate is MainCheckout, and the git folder that all worktrees share, as
// CommonDir answers it.
func (g *Git) Locate(ctx context.Context, dir string) (root, common string, err error) {
	out, err := g.read(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir", "--absolute-git-dir", "--is-bare-repository")
	if err != nil {
		return "", "", fmt.Errorf("find the repository of %s: %w", dir, err)
	}
	common, rest, _ := strings.Cut(strings.TrimRight(string(out), "\r\n"), "\n")
	gitDir, bare, _ := strings.Cut(rest, "\n")
	common, gitDir = filepath.FromSlash(common), filepath.FromSlash(gitDir)
	if common != gitDir { // a linked worktree is never bare; what it belongs to may be
		// The folder is named, not entered: safe.bareRepository would refuse that.
		bare, err = g.readLine(ctx, dir, "--git-dir="+common, "rev-parse", "--is-bare-repository")
	}
	if err != nil {
		return "", "", fmt.Errorf("find the main checkout of %s: %w", dir, err)
	}
	if bare == "true" {
		return "", "", fmt.Errorf("find the main checkout of %s: %w", dir, ErrBare)
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common), common, nil
	}
	// A submodule, or a repository whose .git lies elsewhere.
	if common == gitDir {
		top, err := g.readLine(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel")
		if err != nil {
			return "", "", fmt.Errorf("find the main checkout of %s: %w", dir, err)
		}
		return filepath.FromSlash(top), common, nil
	}
	return "", "", fmt.Errorf("find the main checkout of %s: its git folder %s does not tell: run it in the main checkout", dir, common)
}

// CommonDir is the git folder that all worktrees of a repository share,
// absolute.
func (g *Git) CommonDir(ctx context.Context, dir string) (string, error) {
	out, err := g.readLine(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return "", fmt.Errorf("find the git folder of %s: %w", dir, err)
	}
	return filepath.FromSlash(out), nil
}

// Dir is the git folder of one worktree, absolute.
func (g *Git) Dir(ctx context.Context, dir string) (string, error) {
	out, err := g.readLine(ctx, dir, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", fmt.Errorf("find the git folder of %s: %w", dir, err)
	}
	return filepath.FromSlash(out), nil
}

// RequireCommit answers ErrNoCommits for a repository in which no branch has a
// commit yet.
func (g *Git) RequireCommit(ctx context.Context, dir string) error {
	if _, err := g.RevParse(ctx, dir, "HEAD"); err == nil {
		return nil
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	// HEAD may be on a branch not yet born while others have commits.
	out, err := g.read(ctx, dir, "for-each-ref", "--count=1", "refs/heads", "refs/remotes")
	if err != nil {
		return fmt.Errorf("look for commits in %s: %w", dir, err)
	}
	if len(out) == 0 {
		return fmt.Errorf("%s: %w", dir, ErrNoCommits)
	}
	return nil
}

// Remote is the remote that pull requests live on: origin, or the only one
// there is. It is empty where there is none.
func (g *Git) Remote(ctx context.Context, dir string) (string, error) {
	out, err := g.read(ctx, dir, "remote")
	if err != nil {
		return "", fmt.Errorf("list the remotes of %s: %w", dir, err)
	}
	names := strings.Fields(string(out))
	switch {
	case len(names) == 0:
		return "", nil
	case slices.Contains(names, "origin"):
		return "origin", nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("%s has the remotes %s and none is called origin: name the one to use origin (`git remote rename`)",
		dir, strings.Join(names, ", "))
}

// HasRemote says whether the repository has a remote.
func (g *Git) HasRemote(ctx context.Context, dir string) (bool, error) {
	r, err := g.Remote(ctx, dir)
	return r != "", err
}

// DefaultBranch is the configured name, else what the HEAD of the remote says
// as last fetched, else what the remote says when asked, else, without a remote
// (empty), the only one of main, master and trunk (design.md, section 9).
// ErrNoCommits; ErrNoDefaultBranch names the configuration key.
func (g *Git) DefaultBranch(ctx context.Context, dir, configured, remote string) (string, error) {
	if configured != "" {
		return configured, ValidBranch(configured)
	}
	if remote == "" {
		return g.localDefault(ctx, dir)
	}
	if name, ok := g.remoteHead(ctx, dir, remote); ok {
		return name, nil
	}
	if err := g.RequireCommit(ctx, dir); err != nil {
		return "", err
	}
	out, err := g.read(ctx, dir, "ls-remote", "--symref", remote, "HEAD")
	if err != nil {
		return "", fmt.Errorf("ask the remote %s for its default branch (or name it as `pulls.base` in dispatcher.config.json): %w", remote, asUnreachable(remote, err))
	}
	for line := range strings.Lines(string(out)) {
		ref, ok := strings.CutPrefix(line, "ref: refs/heads/")
		if name, _, tab := strings.Cut(ref, "\t"); ok && tab {
			return name, ValidBranch(name)
		}
	}
	return "", fmt.Errorf("the remote %s names none: %w", remote, ErrNoDefaultBranch)
}

// remoteHead is the default branch as the remote's HEAD was last fetched. A
// HEAD that names a branch no longer there says nothing: git leaves it out.
func (g *Git) remoteHead(ctx context.Context, dir, remote string) (string, bool) {
	prefix := "refs/remotes/" + remote + "/"
	line, err := g.readLine(ctx, dir, "for-each-ref", "--format=%(refname) %(symref)", "--", prefix+"HEAD")
	if err != nil {
		return "", false
	}
	name, ok := strings.CutPrefix(line, prefix+"HEAD "+prefix)
	return name, ok && ValidBranch(name) == nil
}

func (g *Git) localDefault(ctx context.Context, dir string) (string, error) {
	out, err := g.read(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=2)",
		"refs/heads/main", "refs/heads/master", "refs/heads/trunk")
	if err != nil {
		return "", fmt.Errorf("look for the default branch of %s: %w", dir, err)
	}
	names := strings.Fields(string(out))
	if len(names) == 1 {
		return names[0], nil
	}
	if len(names) == 0 {
		if err := g.RequireCommit(ctx, dir); err != nil {
			return "", err
		}
		return "", fmt.Errorf("%s has no remote and no branch main, master or trunk: %w", dir, ErrNoDefaultBranch)
	}
	return "", fmt.Errorf("%s has no remote and the branches %s: %w", dir, strings.Join(names, ", "), ErrNoDefaultBranch)
}

// Config is one value of the configuration; empty where it is not set.
func (g *Git) Config(ctx context.Context, dir, key string) (string, error) {
	v, err := g.readLine(ctx, dir, "config", "--get", key)
	if code, ok := exitCode(err); ok && code == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read git's %s: %w", key, err)
	}
	return v, nil
}
