package cli_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// TestGitHubScripts plays the scripts that speak to GitHub against the fake: it
// has the two Apps of acme/widgets, whose key lies in $KEY.
func TestGitHubScripts(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	quick := gittest.QuickConfig(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/github",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"github": githubCmd},
		Setup: func(env *testscript.Env) error {
			fake := github.New(github.Options{Now: time.Now, Departs: func(err error) { t.Errorf("a request departs from GitHub's description: %v", err) }})
			for i, role := range []string{"developer", "reviewer"} {
				fake.AddApp(github.App{
					ID: int64(111111 * (i + 1)), Slug: "acme-" + role, Key: &key.PublicKey, Installation: int64(10000001 + i),
					Account: "acme", Repositories: []string{"widgets"},
					Permissions: map[string]string{"contents": "write", "pull_requests": "write"},
				}, int64(100000001+i))
			}
			bare := filepath.Join(env.WorkDir, "widgets.git")
			if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", bare).CombinedOutput(); err != nil {
				return fmt.Errorf("make the bare repository: %w: %s", err, out)
			}
			fake.AddRepo("acme", "widgets", bare, "main")
			fake.AddUser("olive", 42, "olive-token")
			fake.With("acme/widgets", func(r *github.Repo) { r.AddLabel("UI"); r.AddLabel("Confirm with user") })
			env.Values[forgeValue] = &scriptForge{server: fake, project: fake.AddProject("acme", 2, projectOptions()...)}
			srv := httptest.NewServer(fake)
			env.Defer(srv.Close)
			env.Vars = append(withoutOurs(env.Vars),
				"HOME="+env.WorkDir, "USERPROFILE="+env.WorkDir, "XDG_CONFIG_HOME="+env.WorkDir+"/.config",
				"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+quick,
				"GIT_AUTHOR_NAME=Olive Owner", "GIT_AUTHOR_EMAIL=olive@example.com",
				"GIT_COMMITTER_NAME=Olive Owner", "GIT_COMMITTER_EMAIL=olive@example.com",
				"GITHUB_API_URL="+srv.URL, "GITHUB_SERVER_URL="+srv.URL, "REMOTE="+srv.URL+"/git/acme/widgets.git",
				"SERVER="+strings.TrimPrefix(srv.URL, "http://"), "KEY="+filepath.Join(env.WorkDir, "key.pem"),
			)
			return os.WriteFile(filepath.Join(env.WorkDir, "key.pem"), text, 0o600)
		},
	})
}
