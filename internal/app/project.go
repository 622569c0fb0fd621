package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/ghproject"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/worktree"
)

// openProject is the board on GitHub Projects, reached with the caller's own
// login (dispatcher-system.md, Credentials). Nothing is asked of GitHub yet.
func (f *Factory) openProject(ctx context.Context, cfg *config.Config) (board.Backend, error) {
	if _, err := os.Stat(cfg.StateDir(f.Getenv)); errors.Is(err, fs.ErrNotExist) {
		_ = worktree.EnsureExcludes(ctx, f.Git(), cfg.Root) // as for the other boards
	}
	states := map[board.Role]string{}
	for role, s := range cfg.GitHub.States {
		states[board.Role(role)] = s.Name
	}
	b, err := ghproject.Open(ghproject.Options{
		URL: f.graphQL(cfg), Token: f.boardToken,
		Owner: cfg.GitHub.Owner, ProjectNumber: cfg.GitHub.ProjectNumber, ProjectID: cfg.GitHub.ProjectID,
		Repository: cfg.Repository, States: states, StaleWindow: cfg.StaleWindow(),
		StateDir: cfg.StateDir(f.Getenv), Now: f.Now,
	})
	if err != nil {
		return nil, err
	}
	f.remote = b
	return b, nil
}

// graphQL is the URL of GitHub's GraphQL API: beside the REST API where only
// that is named.
func (f *Factory) graphQL(cfg *config.Config) string {
	if u := f.gitHubURL(cfg, graphQLURL); u != "" {
		return u
	}
	if u := f.gitHubURL(cfg, apiURL); u != "" {
		return u + "/graphql"
	}
	return ""
}
