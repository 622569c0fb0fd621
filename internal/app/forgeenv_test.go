package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

func TestForgeEnvironment(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{
		Root: t.TempDir(), Repository: "acme/widgets", Pulls: config.Pulls{Kind: config.PullsGitHub},
		GitHubApps: &config.GitHubApps{
			Developer: config.GitHubApp{KeyFile: "dev.pem", KeyEnvVar: "DEV_KEY"},
			Reviewer:  config.GitHubApp{KeyFile: "rev.pem", KeyEnvVar: "REV_KEY"},
		},
	}
	none := func(string) string { return "" }
	// Each kind gets its own App's key, and only where no file holds it.
	for kind, want := range map[board.Kind]string{board.KindDeveloper: "DEV_KEY", board.KindCleaner: "DEV_KEY", board.KindReviewer: "REV_KEY"} {
		names := forgeNames(cfg, kind)
		if !slices.Contains(names, want) || slices.Contains(names, "DEV_KEY") && slices.Contains(names, "REV_KEY") {
			t.Errorf("%s: %v", kind, names)
		}
	}
	// No rule lets the other's through, whatever it is called.
	for kind, want := range map[board.Kind]string{board.KindDeveloper: "REV_KEY", board.KindReviewer: "DEV_KEY"} {
		if got := otherKeys(cfg, kind); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v are withheld", kind, got)
		}
	}
	if err := os.MkdirAll(filepath.Join(cfg.Root, ".secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Root, ".secrets", "dev.pem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if names := forgeNames(cfg, board.KindDeveloper); slices.Contains(names, "DEV_KEY") {
		t.Errorf("the key is passed though a file holds it: %v", names)
	}
	env := strings.Join(gitForGitHub(cfg, board.KindReviewer, none), "\n")
	for _, want := range []string{
		"GH_REPO=acme/widgets\n", "GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_0=credential.https://github.com.helper\nGIT_CONFIG_VALUE_0=\n",
		"GIT_CONFIG_VALUE_1=!dispatcher __credential --app reviewer", "GIT_CONFIG_VALUE_2=git@github.com:",
	} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in\n%s", want, env)
		}
	}
	cfg.Pulls.Kind = config.PullsLocal
	if forgeNames(cfg, board.KindDeveloper) != nil || gitForGitHub(cfg, board.KindDeveloper, none) != nil {
		t.Error("local pull requests need none of it")
	}
	if got := otherKeys(cfg, board.KindDeveloper); len(got) != 2 {
		t.Errorf("where no App is used, %v are withheld", got)
	}
}

// The configuration says where GitHub is, whatever the environment has for
// another repository; the owner's login for github.com is not for it.
func TestForgeElsewhere(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{
		Root: t.TempDir(), Platform: config.PlatformGitHub, Repository: "acme/widgets", GitHubURL: "http://127.0.0.1:8080/",
		Pulls: config.Pulls{Kind: config.PullsGitHub}, GitHubApps: &config.GitHubApps{},
	}
	get := valueIn([]string{"GITHUB_API_URL=https://api.github.com", "GITHUB_SERVER_URL=https://github.com", "GH_TOKEN=theirs", "GH_ENTERPRISE_TOKEN=elsewhere"})
	for name, want := range map[string]string{
		apiURL: "http://127.0.0.1:8080/api/v3", graphQLURL: "http://127.0.0.1:8080/api/graphql", serverURL: "http://127.0.0.1:8080",
	} {
		if got := urlOf(cfg, name, get); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	env := strings.Join(gitForGitHub(cfg, board.KindDeveloper, get), "\n")
	if !strings.Contains(env, "=credential.http://127.0.0.1:8080.helper\n") || strings.Contains(env, "credential.https://github.com") {
		t.Errorf("git asks elsewhere:\n%s", env)
	}
	if got := boardLogin(cfg, get); !slices.Equal(got, []string{boardTokenVar + "=elsewhere"}) {
		t.Errorf("the login for the board: %v", got)
	}
	if err := os.MkdirAll(filepath.Join(cfg.Root, ".secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Root, ".secrets", "api-keys.json"), []byte(`{"GitHub": "filed"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := boardLogin(cfg, get); got != nil {
		t.Errorf("the login is passed though a file holds it: %v", got)
	}
}
