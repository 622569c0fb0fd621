package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/demo"
	"github.com/backside4charter/dispatcher/workers"
)

// The demo on a GitHub of our own: the same life on a project, with pull requests
// and pushes over HTTP under two Apps, and the owner's merges on its pages.
func TestWholeDemoOnGitHub(t *testing.T) {
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it plays the whole demo")
	}
	h := unprepared(t)
	h.onGitHub = true
	out := h.play("demo", "--platform", "github", "--no-tui", "--until-idle", "--fast", "--dir", h.d.Dir)
	serve := h.serve()
	h.waitsForTheOwner()
	h.wantAnswers(workers.ByNobody, workers.Deny)
	if runtime.GOOS == "windows" {
		t.Skip("the owner's part is printed for a shell")
	}
	h.ownersWhileServed(out)
	h.everyIssueIsDone()
	serve()
	h.startsAgainOnWhatIsDone()
}

// A demo on GitHub that nobody works: what it begins with, its identities, its
// checks, a request for changes that goes the way of a delivery, and the merge by
// the owner's command, by the page's button, and where nothing answers.
func TestDemoOnGitHubIsServed(t *testing.T) {
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it runs many commands")
	}
	h := unprepared(t)
	h.onGitHub = true
	if _, err := h.try(t.TempDir(), nil, "demo", "merge", "11", "--dir", h.d.Dir); err == nil || !strings.Contains(err.Error(), "no demo on GitHub") {
		t.Errorf("a merge in nothing: %v", err)
	}
	serve := h.serve("--platform", "github")
	rows := h.poll()
	if got := rows["#10"]; got.Claim == nil || rows["#8"].Role != string(board.RoleHumanReview) || len(rows) != 10 {
		t.Errorf("it begins with %+v", rows)
	}
	for _, role := range []string{"developer", "reviewer"} {
		if out := h.owner("identity", "--app", role); strings.Contains(out, "missing") || strings.Contains(out, "differs") {
			t.Errorf("the %s: %s", role, out)
		}
	}
	h.owner("pulls", "request-changes", "12", "--body", "Say when.")
	if i := h.issue("DSP-9"); i.Role != board.RoleChangesRequested {
		t.Errorf("#9 is in %s", i.State)
	}
	// A conflict is refused, and said to be one.
	if _, err := h.try(h.d.Repo, nil, "demo", "merge", "11"); err == nil || !strings.Contains(err.Error(), "conflict") {
		t.Errorf("a merge with a conflict: %v", err)
	}
	if out := h.owner("demo", "merge", "#12"); out != "#12: merged\n" {
		t.Errorf("the merge says %q", out)
	}
	if i := h.issue("DSP-9"); i.Role != board.RoleDone {
		t.Errorf("#9 is merged and in %s", i.State)
	}
	h.hasPage(11)
	serve()
	if _, err := h.try(h.d.Repo, nil, "demo", "merge", "11"); err == nil || !strings.Contains(err.Error(), "demo --serve --dir") {
		t.Errorf("a merge where nothing answers: %v", err)
	}
}

// What a demo on GitHub is prepared with fits together, and is found again: the
// configuration, the two Apps' keys, the owner's login, the remote.
func TestPrepareOnGitHub(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, pulls := 0, 10
	answers := func(_ context.Context, _ string, args ...string) (string, error) {
		switch args[0] {
		case "pr":
			pulls++
			return fmt.Sprintf("http://127.0.0.1/demo/todo/pull/%d\n", pulls), nil
		case "board":
			n++ // one claim was left behind, and nothing is made by command
		}
		return "", nil
	}
	prepare := func() demo.Demo {
		d, err := demo.Prepare(t.Context(), demo.Options{Dir: dir, Platform: "github", Fast: true, Environ: os.Environ(), Run: answers})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := prepare()
	at := d.Address()
	text, err := os.ReadFile(filepath.Join(d.Repo, "dispatcher.config.json"))
	if err != nil {
		t.Fatal(err)
	}
	conf, violations := config.Parse(text, "")
	if len(violations) > 0 || conf.GitHubURL != at || conf.Pulls.Kind != config.PullsGitHub || len(conf.GitHub.States) != 7 {
		t.Errorf("%v\n%s", violations, text)
	}
	for _, name := range []string{"demo-developer.private-key.pem", "demo-reviewer.private-key.pem", "api-keys.json"} {
		if info, err := os.Stat(filepath.Join(d.Repo, ".secrets", name)); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := gitOut(t, d.Repo, "ls-remote", "origin", "refs/heads/main"); !strings.Contains(got, gitOut(t, d.Repo, "rev-parse", "main")) {
		t.Errorf("the remote answers %q", got)
	}
	if got := gitOut(t, d.Repo, "remote", "get-url", "origin"); got != at+"/demo/todo.git" {
		t.Errorf("the remote is %s", got)
	}
	if n != 1 || pulls != 12 {
		t.Errorf("%d commands to the board, pull requests to #%d", n, pulls)
	}
	d.Close()
	again := prepare()
	defer again.Close()
	if !again.Continued || again.Address() != at {
		t.Errorf("found again: %v, at %s instead of %s", again.Continued, again.Address(), at)
	}
}

// hasPage: what a pull request's address opens is its page.
func (h *hand) hasPage(number int) {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.d.Repo, "dispatcher.config.json"))
	var conf struct{ GitHubURL string }
	if err != nil || json.Unmarshal(text, &conf) != nil {
		h.t.Fatalf("the configuration: %v", err)
	}
	for _, p := range h.pulls() {
		if p.Number != number {
			continue
		}
		req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, p.URL, nil)
		if err != nil {
			h.t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			h.t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(p.URL, conf.GitHubURL+"/") {
			h.t.Errorf("%s answers %d", p.URL, resp.StatusCode)
		}
		return
	}
	h.t.Errorf("there is no pull request %d", number)
}
