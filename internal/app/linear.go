package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/creds"
	"github.com/backside4charter/dispatcher/worktree"
)

// openLinear is the Linear board. Nothing is asked of Linear yet.
func (f *Factory) openLinear(ctx context.Context, cfg *config.Config) (board.Backend, error) {
	key, err := creds.Linear(f.Getenv, filepath.Join(cfg.Root, SecretsDir))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(cfg.StateDir(f.Getenv)); errors.Is(err, fs.ErrNotExist) {
		// Before anything is noted there. A board needs no repository, so what
		// git says against it stops nothing.
		_ = worktree.EnsureExcludes(ctx, f.Git(), cfg.Root)
	}
	l := cfg.Linear
	states := map[board.Role]string{}
	for role, name := range l.States {
		states[board.Role(role)] = name
	}
	b, err := linear.Open(linear.Options{
		URL: l.APIURL, Key: key, TeamID: l.TeamID, TeamKey: l.TeamKey, ProjectID: l.ProjectID, States: states,
		Developer: l.Agents.Developer, Reviewer: l.Agents.Reviewer, StaleWindow: cfg.StaleWindow(),
		Repository: cfg.Repository, LocalPulls: cfg.Pulls.Kind == config.PullsLocal,
		StateDir: cfg.StateDir(f.Getenv), Now: f.Now,
	})
	if err != nil {
		return nil, err
	}
	f.linear, f.remote = b, b
	return b, nil
}

// boardKey names the variables that a worker needs for the board: where it is
// (its login is boardLogin's), and on Linear the key, only where
// its key lies in no file, where every process of ours finds it by itself
// (design.md, section 7).
func boardKey(cfg *config.Config) []string {
	if cfg.Platform == config.PlatformGitHub {
		return []string{apiURL, graphQLURL}
	}
	if cfg.Platform != config.PlatformLinear {
		return nil
	}
	if _, err := creds.LinearFile(filepath.Join(cfg.Root, SecretsDir)); err == nil {
		return nil
	}
	return []string{creds.LinearEnv}
}
