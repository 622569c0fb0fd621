package demo_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
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
	first, rest, _ := strings.Cut(out, "What is left is the owner's.")
	if !strings.Contains(first, "demo --serve --dir ") {
		t.Errorf("nothing says how to keep the board reachable:\n%s", first)
	}
	h.owners(rest)
	rows := h.poll()
	for ref, r := range rows {
		if r.Role != string(board.RoleDone) {
			t.Errorf("%s is left in %s: %s", ref, r.Role, r.Waits)
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d issues", len(rows))
	}
	serve()
	if again := h.play("demo", "--no-tui", "--until-idle", "--dir", h.d.Dir); !strings.Contains(again, "Every issue is done") {
		t.Errorf("started again on what is done:\n%s", again)
	}
	h.mainIsWhole()
}

// A demo on GitHub that nobody works: what it begins with, its identities, its
// checks, a request for changes that goes the way of a delivery, and the merge by
// the owner's command, by the page's button, and where nothing answers.
func TestDemoOnGitHubIsServed(t *testing.T) {
	t.Parallel()
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
