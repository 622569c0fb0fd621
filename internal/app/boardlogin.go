package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/creds"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// What a worker's `dispatcher board` finds the board on GitHub by, under names
// that gh does not read: a worker's gh has no login of the owner's (design.md,
// section 7).
const (
	boardTokenVar = "DISPATCHER_GITHUB_BOARD_TOKEN" //nolint:gosec // a name
	ghFolderVar   = "DISPATCHER_GH_CONFIG_DIR"
)

// boardLogin is what a worker's environment says of the login for the board:
// the token itself only where it lies in no file of gh's.
func boardLogin(cfg *config.Config, getenv func(string) string) []string {
	if cfg.Platform != config.PlatformGitHub {
		return nil
	}
	if cfg.GitHubURL != "" {
		if _, err := creds.GitHubFile(filepath.Join(cfg.Root, SecretsDir)); err != nil && getenv(creds.GitHubEnv) != "" {
			return []string{boardTokenVar + "=" + getenv(creds.GitHubEnv)}
		}
		return nil
	}
	if token := firstOf(getenv("GH_TOKEN"), getenv("GITHUB_TOKEN")); token != "" {
		return []string{boardTokenVar + "=" + token}
	}
	if dir := getenv("GH_CONFIG_DIR"); dir != "" {
		return []string{ghFolderVar + "=" + dir}
	}
	return nil
}

// boardToken is the login for the board. A worker's own GH_TOKEN is an App's,
// which reaches no project.
func (f *Factory) boardToken(ctx context.Context) (string, error) {
	if f.Getenv("DISPATCHER_WORKER") == "" {
		return f.ownerToken(ctx)
	}
	if token := f.Getenv(boardTokenVar); token != "" {
		return token, nil
	}
	if cfg, err := f.Config(ctx); err == nil && cfg.GitHubURL != "" {
		return f.ownerToken(ctx)
	}
	env := slices.DeleteFunc(slices.Clone(f.Environ()), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "GH_CONFIG_DIR" || name == "GH_TOKEN" || name == "GITHUB_TOKEN"
	})
	if dir := f.Getenv(ghFolderVar); dir != "" {
		env = append(env, "GH_CONFIG_DIR="+dir)
	}
	return ghToken(ctx, env)
}

// ghToken asks gh for what it has.
func ghToken(ctx context.Context, env []string) (string, error) {
	out, err := proc.Exec{}.Run(ctx, proc.Cmd{Name: "gh", Args: []string{"auth", "token"}, Env: env})
	token := strings.TrimSpace(string(out.Stdout))
	if err != nil || token == "" {
		return "", errors.New("it takes your own GitHub login: `gh auth login`, or a token in GH_TOKEN")
	}
	return token, nil
}
