package app

import (
	"cmp"
	"strings"

	"github.com/backside4charter/dispatcher/internal/config"
)

// Where GitHub is, in the names of GitHub Actions.
const (
	apiURL     = "GITHUB_API_URL"
	graphQLURL = "GITHUB_GRAPHQL_URL"
	serverURL  = "GITHUB_SERVER_URL"
)

// gitHubURL is where a part of GitHub answers; empty for github.com's. The
// configuration comes before the environment: it says whose the Apps are.
func (f *Factory) gitHubURL(cfg *config.Config, name string) string {
	return urlOf(cfg, name, f.Getenv)
}

func urlOf(cfg *config.Config, name string, getenv func(string) string) string {
	if cfg.GitHubURL == "" {
		return getenv(name)
	}
	return strings.TrimSuffix(cfg.GitHubURL, "/") + map[string]string{apiURL: "/api/v3", graphQLURL: "/api/graphql"}[name]
}

// GitHubServer is where people and git go.
func (f *Factory) GitHubServer(cfg *config.Config) string { return serverOf(cfg, f.Getenv) }

func serverOf(cfg *config.Config, getenv func(string) string) string {
	return cmp.Or(urlOf(cfg, serverURL, getenv), "https://github.com")
}
