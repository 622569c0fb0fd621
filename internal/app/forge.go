package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/github"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/creds"
)

// SecretsDir is the folder of keys below a main checkout.
const SecretsDir = ".secrets"

// Forge is GitHub as the Apps of the configuration see it.
func (f *Factory) Forge(ctx context.Context) (*gitapp.Forge, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.GitHubApps == nil:
		return nil, fmt.Errorf("no GitHub Apps are configured: add githubApps with developer and reviewer to %s (docs/github.md)", cfg.Path)
	case cfg.Repository == "":
		return nil, fmt.Errorf("the GitHub repository is not configured: add \"repository\": \"owner/name\" to %s", cfg.Path)
	}
	return &gitapp.Forge{
		API: f.gitHubURL(cfg, apiURL), Repository: firstOf(f.Repository, cfg.Repository), Now: f.Now, Transport: http.DefaultTransport,
		Keys: gitapp.Keys{Getenv: f.Getenv, Secrets: filepath.Join(cfg.Root, SecretsDir)},
	}, nil
}

// The two Apps by what they are asked for.
const (
	AppDeveloper = "developer"
	AppReviewer  = "reviewer"
)

// App is one of the configured Apps.
func (f *Factory) App(ctx context.Context, role string) (*gitapp.App, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.GitHubApps == nil {
		return nil, fmt.Errorf("no GitHub Apps are configured: add githubApps with developer and reviewer to %s (docs/github.md)", cfg.Path)
	}
	switch role {
	case AppDeveloper:
		return appOf(role, &cfg.GitHubApps.Developer), nil
	case AppReviewer:
		return appOf(role, &cfg.GitHubApps.Reviewer), nil
	}
	return nil, fmt.Errorf("there is no App %q: --app is developer or reviewer", role)
}

func appOf(role string, a *config.GitHubApp) *gitapp.App {
	return &gitapp.App{
		Role: role, AppID: a.AppID, InstallationID: a.InstallationID, Slug: a.Slug,
		BotLogin: a.BotLogin, BotUserID: a.BotUserID, KeyEnvVar: a.KeyEnvVar, KeyFile: a.KeyFile,
	}
}

// openGitHub opens the pull requests of a repository on GitHub.
func (f *Factory) openGitHub(ctx context.Context, cfg *config.Config, repo Repo, who gitapp.Identities) (pulls.Forge, error) {
	forge, err := f.Forge(ctx)
	if err != nil {
		return nil, err
	}
	actor, err := f.Actor()
	if err != nil {
		return nil, err
	}
	dev := appOf(AppDeveloper, &cfg.GitHubApps.Developer)
	return github.Open(github.Options{
		Forge: forge, GraphQL: f.gitHubURL(cfg, graphQLURL),
		Developer: dev, Reviewer: appOf(AppReviewer, &cfg.GitHubApps.Reviewer),
		AsReviewer: actor.Kind == board.ActorReviewer && !hasKey(forge, dev),
		BotIDs:     cfg.BotUserIDs, Trusts: trusts(cfg), Base: repo.Base, Remote: repo.Remote, Now: f.Now, Owner: f.ownerToken,
		History: pulls.History{Git: f.Git(), Dir: repo.Root, Developer: who.Developer},
	})
}

// hasKey says whether an App has a key here, be it a bad one.
func hasKey(forge *gitapp.Forge, a *gitapp.App) bool {
	_, err := forge.Keys.Key(a)
	return !errors.Is(err, gitapp.ErrNoKey)
}

// ownerToken is the person's own login on GitHub: GH_TOKEN, or what gh has.
// Both are github.com's and are sent nowhere else.
func (f *Factory) ownerToken(ctx context.Context) (string, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return "", err
	}
	if cfg.GitHubURL != "" {
		return creds.GitHub(f.Getenv, filepath.Join(cfg.Root, SecretsDir))
	}
	if token := firstOf(f.Getenv("GH_TOKEN"), f.Getenv("GITHUB_TOKEN")); token != "" {
		return token, nil
	}
	return ghToken(ctx, f.Environ())
}

// runsChecks is the forge as far as the loop runs its checks.
func runsChecks(f pulls.Forge) checked {
	c, ours := f.(checked)
	if !ours {
		return nil
	}
	return c
}
