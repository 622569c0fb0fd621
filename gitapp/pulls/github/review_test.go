package github_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// A finding stands on a line of the commit that was judged, though the head has
// moved; of a diff that GitHub does not show, and of a commit that is gone, all
// stand in the text.
func TestFindingsOnLinesOfTheJudgedCommit(t *testing.T) {
	t.Parallel()
	const three = "package x\n\nfunc X() {}\n"
	for name, tc := range map[string]struct {
		change func(w *world, name string)
		commit string // other than the first
		on     bool
	}{
		"the head":          {func(*world, string) {}, "", true},
		"the head moved":    {func(w *world, _ string) { w.commit("x.go", "package x\n") }, "", true},
		"it is large":       {func(w *world, name string) { w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.Large = true }) }, "", false},
		"the commit is not": {func(*world, string) {}, strings.Repeat("1", 40), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			commit := w.branch("task/acm-1-x", "x.go", three)
			n := w.open("task/acm-1-x", "")
			tc.change(w, n)
			if tc.commit != "" {
				commit = tc.commit
			}
			_, err := w.store.Review(t.Context(), pulls.ReviewRequest{
				Name: n, Commit: commit, Body: "VERDICT: CHANGES_REQUESTED",
				Findings: []board.Finding{{Path: "x.go", Line: 3, Severity: "blocking", Body: "X does nothing."}},
			})
			if err != nil {
				t.Fatal(err)
			}
			w.pull(n, func(_ *fake.Repo, p *fake.Pull) {
				if len(p.Reviews) != 1 {
					t.Fatalf("%d reviews", len(p.Reviews))
				}
				r := &p.Reviews[0]
				if on := len(r.Findings) == 1 && r.Findings[0].Line == 3; on != tc.on {
					t.Errorf("on its line: %v; %+v", on, r)
				}
				if in := strings.Contains(r.Body, "`x.go:3` **blocking**: X does nothing."); in == tc.on {
					t.Errorf("in the text: %v; %q", in, r.Body)
				}
			})
		})
	}
}
