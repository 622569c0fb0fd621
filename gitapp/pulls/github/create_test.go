package github_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/github"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// A refusal is told by the field that GitHub names, never by a word of the
// address that was asked.
func TestRefusalIsNotReadFromTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /head-base/repos/acme/widgets/pulls", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = rw.Write([]byte(`{"message": "Validation Failed", "errors": [{"resource": "PullRequest", "code": "custom", "message": "was submitted too quickly"}]}`))
	})
	mux.Handle("/head-base/", http.StripPrefix("/head-base", w.server))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	o := w.o
	forge := *o.Forge
	forge.API, o.Forge = srv.URL+"/head-base", &forge
	store, err := github.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Create(t.Context(), pulls.CreateRequest{Title: "T", Head: "task/acm-1-x"})
	if err == nil || !strings.Contains(err.Error(), "was submitted too quickly") {
		t.Errorf("err = %v", err)
	}
}

// What stands on a later page counts as well: the author of the last of 101
// commits, and the one check of 121 that failed and that the roll-up leaves out.
func TestLaterPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.repo.Git("rev-parse", "origin/main")
	var in strings.Builder
	for i := range 101 {
		who := "acme-developer[bot] <101+acme-developer[bot]@users.noreply.github.com>"
		if i == 100 {
			who = "Olive Owner <olive@example.com>"
		}
		fmt.Fprintf(&in, "commit refs/heads/task/acm-1-x\ncommitter %s 1788000000 +0000\ndata 1\nx\n", who)
		if i == 0 {
			fmt.Fprintf(&in, "from %s\n", base)
		}
		in.WriteByte('\n')
	}
	cmd := exec.CommandContext(t.Context(), "git", "-C", w.bare, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pr, err := w.store.Create(t.Context(), pulls.CreateRequest{Title: "T", Head: "task/acm-1-x"})
	if err != nil || len(pr.Foreign) != 1 {
		t.Fatalf("foreign %q, %v", pr.Foreign, err)
	}
	w.pull("#1", func(r *fake.Repo, p *fake.Pull) {
		for i := range 120 {
			r.SetCheck(pr.HeadSHA, fake.Check{Name: "test " + strconv.Itoa(i), Done: true, Conclusion: "success"})
		}
		r.SetCheck(pr.HeadSHA, fake.Check{Name: "e2e", Done: true, Conclusion: "failure", Unlisted: true})
		p.Updated = w.now.now()
	})
	if pr, err = w.store.Get(t.Context(), "#1"); err != nil || pr.Checks != board.ChecksRed {
		t.Errorf("%s, %v", pr.Checks, err)
	}
}
