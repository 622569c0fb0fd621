package app

import (
	"context"
	"errors"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/worktree"
)

// Worktrees are the repository's worktrees.
func (f *Factory) Worktrees(ctx context.Context) (*worktree.Manager, error) {
	return f.worktrees(ctx, nil)
}

func (f *Factory) worktrees(ctx context.Context, beforeRemove func(context.Context, string) error) (*worktree.Manager, error) {
	repo, err := f.Repo(ctx)
	if err != nil {
		return nil, err
	}
	return worktree.Open(worktree.Options{
		Git: f.Git(), Repo: repo.Root, Base: repo.Base, BeforeRemove: beforeRemove, Now: f.Now,
	}), nil
}

// Pruning is what pruning needs, and that works in any repository: the
// worktrees, and the heads of open pull requests. Without a configuration
// there are none of these, and the default branch is found in git.
func (f *Factory) Pruning(ctx context.Context) (*worktree.Manager, []string, error) {
	g := f.Git()
	root, err := g.MainCheckout(ctx, f.Dir)
	if err != nil {
		return nil, nil, err
	}
	o := worktree.Options{Git: g, Repo: root, Now: f.Now}
	cfg, err := f.Config(ctx)
	if err != nil && !errors.Is(err, config.ErrMissing) {
		return nil, nil, err
	}
	if cfg != nil {
		h := &hooks{live: newLive(cfg), environ: f.Environ, now: f.Now}
		o.BeforeRemove = h.beforeRemove
	}
	if cfg == nil || cfg.Pulls.Kind != config.PullsLocal {
		return worktree.Open(o), nil, nil
	}
	o.Base = cfg.Pulls.Base
	store, err := f.Pulls(ctx)
	if err != nil {
		return nil, nil, err
	}
	open, err := store.List(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	heads := make([]string, 0, len(open))
	for i := range open {
		heads = append(heads, open[i].HeadSHA)
	}
	return worktree.Open(o), heads, nil
}
