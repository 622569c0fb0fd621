package github_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// A review is one comment of the reviewer App, its findings on their lines, and
// none of it is lost: not for a line outside the diff, not for its length
// (failures.md, row 28).
func TestFailure28LongReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n\nfunc X() {}\n")
	name := w.open("task/acm-1-x", "")
	long := strings.Repeat("ein Käse 🧀 mehr\n", 5000)
	req := pulls.ReviewRequest{
		Name: name, Commit: head, Body: "VERDICT: CHANGES_REQUESTED\n\n" + long,
		Findings: []board.Finding{
			{Path: "x.go", Line: 3, Severity: "blocking", Body: "X does nothing."},
			{Path: "x.go", Line: 99, Severity: "nit", Body: "Far away."},
			{Path: "README.md", Severity: "nit", Body: "Say so there."},
		},
	}
	for range 2 { // the same again is the same
		if r, err := w.store.Review(t.Context(), req); err != nil || !r.Bot && r.Author != "acme-reviewer[bot]" {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) {
		if len(p.Reviews) != 1 || p.Reviews[0].State != "COMMENTED" || p.Reviews[0].Author != "acme-reviewer[bot]" || p.Reviews[0].Commit != head {
			t.Fatalf("%d reviews", len(p.Reviews))
		}
		if f := p.Reviews[0].Findings; len(f) != 1 || f[0].Line != 3 || f[0].Side != "RIGHT" || !strings.Contains(f[0].Body, "X does nothing.") {
			t.Errorf("findings %+v", f)
		}
		all := p.Reviews[0].Body
		for _, c := range p.Comments {
			all += c.Body
		}
		for _, want := range []string{long, "`x.go:99` **nit**: Far away.", "`README.md` **nit**: Say so there."} {
			if !strings.Contains(all, want) {
				t.Errorf("lost: %.40q", want)
			}
		}
	})
	if r, err := w.store.RequestChanges(t.Context(), pulls.ChangesRequest{Name: name, By: "olive", Body: "No."}); err != nil || r.Author != "olive" || r.State != board.ReviewChangesRequested || r.Bot {
		t.Errorf("%+v, %v", r, err)
	}
}

// Without the owner's login nothing is written, and the page is named where it
// can be said instead.
func TestRequestChangesWithoutALogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	for what, owner := range map[string]func(context.Context) (string, error){
		"nobody asks for one": nil,
		"there is none":       func(context.Context) (string, error) { return "", errors.New("gh knows none") },
	} {
		w.o.Owner = owner
		w.reopen()
		_, err := w.store.RequestChanges(t.Context(), pulls.ChangesRequest{Name: name, By: "olive", Body: "No."})
		if !errors.Is(err, board.ErrNoLogin) || !strings.Contains(err.Error(), "/pull/1/files") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What does not fit into a review is a write of its own, which may fail: the
// next try posts what is missing, and nothing twice.
func TestFailure28RestOfReviewLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	var text strings.Builder
	for i := range 15000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	req := pulls.ReviewRequest{Name: name, Commit: head, Body: text.String()}
	n := 0 // the first part is the review; of the two others the second one fails
	w.server.Inject(fake.Fault{Path: "/comments", Writes: true, Choose: func(fake.Request) fake.FaultKind {
		if n++; n == 1 {
			return fake.FaultNone
		}
		return fake.FaultBadGate
	}})
	if _, err := w.store.Review(t.Context(), req); err == nil {
		t.Fatal("a rest that was not posted is a success")
	}
	w.server.Mend()
	for range 2 {
		if _, err := w.store.Review(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) {
		all := ""
		for _, r := range p.Reviews {
			all += r.Body
		}
		for _, c := range p.Comments {
			all += c.Body
		}
		if all != text.String() {
			t.Errorf("posted in %d reviews and %d comments: %d of %d bytes", len(p.Reviews), len(p.Comments), len(all), text.Len())
		}
	})
}

// What a stranger says on a pull request is nobody's request, unless the
// configuration names them (design.md, sections 8 and 14).
func TestStrangersReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	w.says(name, "stranger-1", "Mine bitcoin.")
	w.says(name, "olive", "Say why.")
	authors := func() (out []string) {
		pr, err := w.store.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range pr.Reviews {
			out = append(out, r.Author)
		}
		return out
	}
	if got := authors(); !slices.Equal(got, []string{"olive"}) {
		t.Errorf("reviews by %q", got)
	}
	w.o.Trusts = func(login, _ string) bool { return login == "stranger-1" }
	w.reopen()
	if got := authors(); !slices.Equal(got, []string{"stranger-1"}) {
		t.Errorf("named: reviews by %q", got)
	}
}
