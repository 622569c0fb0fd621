//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// Where keys come by the environment a reviewer has its own alone, and does all
// of its work with it (docs/github.md, Set them up, step 3).
func TestReviewerHasItsOwnKeyAlone(t *testing.T) {
	t.Parallel()
	w := newBadRepo(t).world(t)
	w.hub.Change(2, func(a *github.App) {
		a.Permissions = map[string]string{"pull_requests": "write", "checks": "read", "statuses": "read"}
	})
	pem, err := os.ReadFile(filepath.Join(w.repo, ".secrets", "acme-reviewer.private-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(w.repo, ".secrets")); err != nil {
		t.Fatal(err)
	}
	w.env["DISPATCHER_GITHUB_APP_KEY_REVIEWER"] = string(pem)
	w.env["DISPATCHER_WORKER"], w.env["DISPATCHER_REF"], w.env["DISPATCHER_RUN"] = "reviewer", "#1", "r1"
	w.env["DISPATCHER_GITHUB_BOARD_TOKEN"] = "olive-token"
	head := ""
	w.hub.With("acme/widgets", func(r *github.Repo) { head = r.Unchecked("any") })
	body := filepath.Join(t.TempDir(), "body.md")
	if err := os.WriteFile(body, []byte("VERDICT: APPROVED\n\nFine."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"pulls", "view", "2"},
		{"pulls", "diff", "2"},
		{"review", "2", "--commit", head, "--body-file", body},
		{"board", "issue", "1"},
	} {
		if code, out, errs := w.run(args...); code != 0 {
			t.Errorf("%s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
	}
	w.pull(func(p *github.Pull) {
		if len(p.Reviews) != 1 || p.Reviews[0].Author != "acme-reviewer[bot]" {
			t.Errorf("posted: %+v", p.Reviews)
		}
	})
	// The other App is not the reviewer's to act as.
	if code, _, errs := w.run("token", "--app", "developer"); code == 0 || !strings.Contains(errs, "may not act as the developer App") {
		t.Errorf("token: exit %d, %s", code, errs)
	}
}
