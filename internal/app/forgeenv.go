package app

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

// forgeNames are the variables that a worker's commands need to reach GitHub: where it
// is, and the key of an App where no file holds it.
func forgeNames(cfg *config.Config, kind board.Kind) []string {
	if cfg.Pulls.Kind != config.PullsGitHub || cfg.GitHubApps == nil {
		return nil
	}
	names := []string{apiURL, graphQLURL, serverURL}
	app := ownAppOf(cfg, kind)
	if _, err := os.Stat(filepath.Join(cfg.Root, SecretsDir, app.KeyFile)); err != nil {
		names = append(names, app.KeyEnvVar)
	}
	return names
}

// otherKeys are the variables of the Apps' keys that a worker does not get,
// whatever their owner called them.
func otherKeys(cfg *config.Config, kind board.Kind) []string {
	own := forgeNames(cfg, kind)
	return slices.DeleteFunc(cfg.KeyVariables(), func(name string) bool { return slices.Contains(own, name) })
}

func ownAppOf(cfg *config.Config, kind board.Kind) *config.GitHubApp {
	if kind == board.KindReviewer {
		return &cfg.GitHubApps.Reviewer
	}
	return &cfg.GitHubApps.Developer
}

// gitForGitHub has a worker's git ask us for a token at each push and fetch, so
// that none is too old (failures.md, row 27), and no other helper, which might
// hold the owner's login. A remote over ssh is spoken to over https: a token
// opens no other.
func gitForGitHub(cfg *config.Config, kind board.Kind, getenv func(string) string) []string {
	if cfg.Pulls.Kind != config.PullsGitHub || cfg.GitHubApps == nil {
		return nil
	}
	role := AppDeveloper
	if kind == board.KindReviewer {
		role = AppReviewer
	}
	server := serverOf(cfg, getenv)
	pairs := [][2]string{
		{"credential." + server + ".helper", ""},
		{"credential." + server + ".helper", "!dispatcher __credential --app " + role},
		{"url.https://github.com/.insteadOf", "git@github.com:"},
		{"url.https://github.com/.insteadOf", "ssh://git@github.com/"},
	}
	// gh learns its repository from us: a remote may be spelled as it cannot read.
	out := []string{"GH_REPO=" + cfg.Repository, "GIT_CONFIG_COUNT=" + strconv.Itoa(len(pairs))}
	for i, p := range pairs {
		n := strconv.Itoa(i)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+p[0], "GIT_CONFIG_VALUE_"+n+"="+p[1])
	}
	return out
}

// valueIn reads variables of an environment.
func valueIn(environ []string) func(string) string {
	return func(name string) string {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
