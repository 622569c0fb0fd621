//go:build unix

package cli_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

const twoApps = `{"platform": "native", "repository": "acme/widgets", "pulls": {"kind": "github"}, "githubApps": {
  "developer": {"appId": 111111, "installationId": 10000001, "slug": "acme-developer", "botLogin": "acme-developer[bot]", "botUserId": 100000001},
  "reviewer": {"appId": 222222, "installationId": 10000002, "slug": "acme-reviewer", "botLogin": "acme-reviewer[bot]", "botUserId": 100000002}}}`

// TestFailure27PushesOutliveTheToken: tokens last five seconds; one run pushes
// through the credential helper while its first token lasts, and again when
// GitHub no longer takes that one.
func TestFailure27PushesOutliveTheToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	srv := github.New(github.Options{TokenLife: 5 * time.Second})
	srv.AddApp(github.App{
		ID: 111111, Slug: "acme-developer", Key: &key.PublicKey, Installation: 10000001, Account: "acme",
		Repositories: []string{"widgets"}, Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
	}, 100000001)
	bare, repo := filepath.Join(dir, "widgets.git"), filepath.Join(dir, "repo")
	srv.AddRepo("acme", "widgets", bare, "main")
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = repo
		cmd.Env = append(withoutOurs(os.Environ()), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
			"GITHUB_API_URL="+web.URL, "GITHUB_SERVER_URL="+web.URL, "GH_TOKEN=", "GITHUB_TOKEN=")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.String())
		}
		return strings.TrimSpace(string(out))
	}
	for name, text := range map[string]string{
		"dispatcher.config.json":                  twoApps,
		".secrets/acme-developer.private-key.pem": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	} {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("git", "init", "-q", "--bare", "-b", "main", bare)
	run("git", "init", "-q", "-b", "main")
	run("git", "remote", "add", "origin", web.URL+"/git/acme/widgets.git")
	run("git", "config", "credential.helper", "!dispatcher __credential")
	commit := func(n int) {
		run("git", "-c", "user.name=o", "-c", "user.email=o@example.com", "commit", "-q", "--allow-empty", "-m", fmt.Sprint("Step ", n))
	}
	first := run("dispatcher", "token")
	commit(1)
	run("git", "push", "-q", "-u", "origin", "main")
	for taken(t, web.URL, first) {
		if t.Context().Err() != nil {
			t.Fatal("the first token never ended")
		}
	}
	commit(2)
	run("git", "push", "-q")
	if at, want := run("git", "ls-remote", "origin", "refs/heads/main"), run("git", "rev-parse", "HEAD"); !strings.HasPrefix(at, want) {
		t.Errorf("main is at %s there, not %s", at, want)
	}
}

// taken says whether GitHub still takes a token.
func taken(t *testing.T, url, token string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/repos/acme/widgets", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
