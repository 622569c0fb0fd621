package github_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// What reviews say on lines is read with them: the reviewer's with its
// severity, a person's with the weight of their review, and still where it was
// said once the diff has moved on. An answer in a thread is no review.
func TestFindingsAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n\nfunc X() {}\n")
	name := w.open("task/acm-1-x", "")
	ours := []board.Finding{
		{Path: "x.go", Line: 1, Severity: "nit", Body: "Say what it is."},
		{Path: "x.go", Line: 3, Severity: "blocking", Body: "X does **nothing**.\nAt all."},
	}
	if _, err := w.store.Review(t.Context(), pulls.ReviewRequest{Name: name, Commit: head, Body: "Two.", Findings: ours}); err != nil {
		t.Fatal(err)
	}
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) {
		to := p.Reviews[0].ID * 1000
		p.Reviews = append(p.Reviews,
			fake.Review{ID: 7, Author: "acme-developer[bot]", State: "COMMENTED", Commit: head, Findings: []fake.Finding{{Path: "x.go", Line: 1, Body: "Done.", To: to}}},
			fake.Review{ID: 8, Author: "olive", State: "CHANGES_REQUESTED", Body: "No.", Commit: head, Findings: []fake.Finding{{Path: "x.go", Line: 3, Body: "Why?"}}},
			fake.Review{ID: 9, Author: "olive", State: "COMMENTED", Commit: head, Findings: []fake.Finding{{Path: "x.go", Line: 3, Body: "Nice name."}}})
		p.Updated = w.now.now().Add(time.Minute)
	})
	expect := func() {
		t.Helper()
		list, err := w.store.List(t.Context(), true)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d, %v", len(list), err)
		}
		var got []string
		for _, r := range list[0].Reviews {
			got = append(got, fmt.Sprint(r.Author, r.Findings))
		}
		want := []string{
			fmt.Sprint("acme-reviewer[bot]", ours),
			fmt.Sprint("olive", []board.Finding{{Path: "x.go", Line: 3, Severity: "blocking", Body: "Why?"}}),
			fmt.Sprint("olive", []board.Finding{{Path: "x.go", Line: 3, Severity: "nit", Body: "Nice name."}}),
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("reviews\n%q\nwant\n%q", got, want)
		}
	}
	expect()
	w.commit("x.go", "package x\n")
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.Updated = w.now.now().Add(2 * time.Minute) })
	expect()
}

// What does not fit into the first pages of a pull request is read on: reviews
// before the last 50, the oldest first, and findings after the first 30.
func TestReviewsAndFindingsBeyondAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	const reviews, findings = 135, 240
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) {
		for n := range reviews {
			v := fake.Review{ID: int64(1000 + n), Author: "olive", State: "COMMENTED", Body: fmt.Sprint("review ", n), Commit: head, At: w.now.now()}
			if n == 0 || n == reviews-1 {
				for f := range findings {
					v.Findings = append(v.Findings, fake.Finding{Path: "x.go", Line: 1, Body: fmt.Sprint("finding ", f)})
				}
			}
			p.Reviews = append(p.Reviews, v)
		}
		p.Updated = w.now.now().Add(time.Minute)
	})
	var list []board.PullRequest
	var err error
	graphql, _ := w.asked(func() { list, err = w.store.List(t.Context(), true) })
	if err != nil || len(list) != 1 || len(list[0].Reviews) != reviews {
		t.Fatalf("%+v, %v", list, err)
	}
	for n, r := range list[0].Reviews {
		want := 0
		if n == 0 || n == reviews-1 {
			want = findings
		}
		if r.Body != fmt.Sprint("review ", n) || len(r.Findings) != want {
			t.Errorf("at %d is %q with %d findings", n, r.Body, len(r.Findings))
		}
		for f := range r.Findings {
			if r.Findings[f].Body != fmt.Sprint("finding ", f) {
				t.Errorf("finding %d of %d is %q", f, n, r.Findings[f].Body)
			}
		}
	}
	if graphql != 2+2+2*3 { // the sweep and the reading, two pages of reviews, three of each long one
		t.Errorf("%d requests", graphql)
	}
}

// What the last review of a pull request that ended came to is not told by a
// list, which does not read findings: it is no PASS for that. One that was read
// alone is known as it is.
func TestVerdictOfOneThatEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "Fixes ACM-1")
	if _, err := w.store.Review(t.Context(), pulls.ReviewRequest{
		Name: name, Commit: head, Body: "One.", Findings: []board.Finding{{Path: "x.go", Line: 1, Severity: board.SeverityBlocking, Body: "No."}},
	}); err != nil {
		t.Fatal(err)
	}
	w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.State, p.Updated = "closed", w.now.now() })
	w.now.pass(time.Hour)
	w.reopen()
	listed := func() board.Verdict {
		t.Helper()
		prs, err := w.store.List(t.Context(), true)
		if err != nil || len(prs) != 1 || len(prs[0].Reviews) != 1 {
			t.Fatalf("%+v, %v", prs, err)
		}
		return prs[0].Verdict(nil)
	}
	if v := listed(); v != (board.Verdict{}) {
		t.Errorf("a list says %+v", v)
	}
	pr, err := w.store.Get(t.Context(), name)
	if err != nil || !strings.HasPrefix(pr.Verdict(nil).Text, "1 blocking") {
		t.Errorf("%+v, %v", pr.Verdict(nil), err)
	}
	if v := listed(); !strings.HasPrefix(v.Text, "1 blocking") {
		t.Errorf("a list after it says %+v", v)
	}
}
