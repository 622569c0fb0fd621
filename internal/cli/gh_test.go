//go:build unix

package cli_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/workers/prompt"
)

// TestRealGH plays the scripts in which the real gh speaks to the fake.
func TestRealGH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gh"); err != nil {
		if os.Getenv("DISPATCHER_E2E") == "1" {
			t.Fatalf("DISPATCHER_E2E is 1 and there is no gh: %v", err)
		}
		t.Skipf("there is no gh here (apt-get install gh): %v", err)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	quick := gittest.QuickConfig(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/gh", RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			srv, err := fakeForGH(env.WorkDir, &key.PublicKey)
			if err != nil {
				return err
			}
			web := httptest.NewServer(srv)
			env.Defer(web.Close)
			// A socket's path is short, whatever the test is called.
			dir, err := os.MkdirTemp("", "gh")
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(dir) }) // beside nothing that matters
			if err := socketForGH(env, srv, dir); err != nil {
				return err
			}
			env.Vars = append(withoutOurs(env.Vars),
				"HOME="+env.WorkDir, "XDG_CONFIG_HOME="+env.WorkDir+"/.config", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+quick, "NO_COLOR=1",
				"GIT_AUTHOR_NAME=Olive Owner", "GIT_AUTHOR_EMAIL=olive@example.com",
				"GIT_COMMITTER_NAME=Olive Owner", "GIT_COMMITTER_EMAIL=olive@example.com",
				"GITHUB_API_URL="+web.URL, "GITHUB_SERVER_URL="+web.URL, "REMOTE="+web.URL+"/git/acme/widgets.git",
				"KEY="+filepath.Join(env.WorkDir, "key.pem"), "GH_CONFIG_DIR="+dir, "GH_REPO=acme/widgets", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1",
			)
			text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
			if err := os.WriteFile(filepath.Join(env.WorkDir, "key.pem"), text, 0o600); err != nil {
				return err
			}
			return writePrompted(env.WorkDir)
		},
	})
}

// fakeForGH is a GitHub with the two Apps of acme/widgets and its owner.
func fakeForGH(dir string, key *rsa.PublicKey) (*github.Server, error) {
	srv := github.New(github.Options{Now: time.Now})
	for i, role := range []string{"developer", "reviewer"} {
		srv.AddApp(github.App{
			ID: int64(111111 * (i + 1)), Slug: "acme-" + role, Key: key, Installation: int64(10000001 + i),
			Account: "acme", Repositories: []string{"widgets"}, Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
		}, int64(100000001+i))
	}
	bare := filepath.Join(dir, "widgets.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", bare).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make the bare repository: %w: %s", err, out)
	}
	srv.AddRepo("acme", "widgets", bare, "main")
	srv.AddUser("olive", 42, "olive-token")
	return srv, nil
}

// socketForGH has gh send everything, for github.com too, over a socket in dir.
func socketForGH(env *testscript.Env, h http.Handler, dir string) error {
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	env.Defer(func() {
		_ = srv.Close() // Serve tells how it ended
		<-done
	})
	return os.WriteFile(filepath.Join(dir, "config.yml"), []byte("http_unix_socket: "+socket+"\nprompt: disabled\n"), 0o600)
}

var ghLine = regexp.MustCompile(`(?m)^GH_TOKEN=.* gh .*$`)

// writePrompted writes each gh command of a developer's prompt into a file of
// its own, with a thread and an answer where the prompt has the worker put them.
func writePrompted(dir string) error {
	text, err := prompt.Developer(prompt.DeveloperInput{
		Task: prompt.Task{
			Issue: board.Issue{Ref: "DSP-1", Title: "Hello"}, DefaultBranch: "main", Remote: "origin", OnGitHub: true, Nonce: "k3v9q2x7",
			PR: &board.PullRequest{Number: 1, Name: "#1", State: board.PullOpen, Base: "main", Head: "task/dsp-1-hello"},
		},
		Branch: "task/dsp-1-hello", Worktree: dir, Existing: true,
	})
	if err != nil {
		return err
	}
	found := ghLine.FindAllString(text, -1)
	if len(found) != 3 {
		return fmt.Errorf("the developer's prompt has %d gh commands, not 3: %q", len(found), found)
	}
	for i, line := range found {
		line = strings.NewReplacer("<id>", "1001000", "<your answer>", "Mended.").Replace(line)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("prompted-%d", i+1)), []byte(line+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}
