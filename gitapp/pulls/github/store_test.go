package github_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// A pull request in full: who opened it, what it says, its checks, reviews and
// issues.
func TestFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-login", "login.go", "package login\n")
	name := w.open("task/acm-1-login", "Fixes ACM-1\n")
	w.pull(name, func(r *fake.Repo, p *fake.Pull) {
		p.Closes = []int{7}
		r.SetCheck(head, fake.Check{Name: "test", Done: true, Conclusion: "success"})
		r.SetCheck(head, fake.Check{Name: "docs", Done: true, Conclusion: "skipped"})
		r.SetCheck(head, fake.Check{Name: "legacy", Status: "success"})
		r.Review(p, "olive", "CHANGES_REQUESTED", "Keep the old key format.", w.now.now())
		r.Review(p, "acme-reviewer[bot]", "COMMENTED", "VERDICT: PASS", w.now.now())
		r.Review(p, "olive", "PENDING", "not sent yet", w.now.now())
	})
	list, err := w.store.List(t.Context(), false)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	p := list[0]
	if p.Name != "#1" || !p.ByAgent || p.Author != "acme-developer[bot]" || p.HeadSHA != head || p.Base != "main" || p.State != board.PullOpen {
		t.Errorf("%+v", p)
	}
	if p.Checks != board.ChecksGreen || len(p.CheckRuns) != 3 || p.Mergeable != board.MergeClean || p.Behind != 0 {
		t.Errorf("checks %s of %d, mergeable %s, behind %d", p.Checks, len(p.CheckRuns), p.Mergeable, p.Behind)
	}
	if fmt.Sprint(p.Issues) != "[ACM-1 #7]" {
		t.Errorf("issues %v", p.Issues)
	}
	if len(p.Reviews) != 2 || p.Reviews[0].Bot || p.Reviews[0].State != board.ReviewChangesRequested || !p.Reviews[1].Bot {
		t.Errorf("reviews %+v", p.Reviews)
	}
}

// Which checks are green, and which are not (FACTS.md, Pull requests).
func TestChecks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.branch("task/acm-1-x", "x.go", "package x\n")
	name := w.open("task/acm-1-x", "")
	for _, tc := range []struct {
		check fake.Check
		want  board.CheckState
	}{
		{fake.Check{Done: true, Conclusion: "success"}, board.ChecksGreen},
		{fake.Check{Done: true, Conclusion: "neutral"}, board.ChecksGreen},
		{fake.Check{Done: true, Conclusion: "skipped"}, board.ChecksGreen},
		{fake.Check{Done: true, Conclusion: "cancelled"}, board.ChecksRed},
		{fake.Check{Done: true, Conclusion: "stale"}, board.ChecksRed},
		{fake.Check{Done: true, Conclusion: "action_required"}, board.ChecksRed},
		{fake.Check{Done: true}, board.ChecksRed},
		{fake.Check{}, board.ChecksPending},
		{fake.Check{Status: "pending"}, board.ChecksPending},
		{fake.Check{Status: "error"}, board.ChecksRed},
		{fake.Check{Status: "success"}, board.ChecksGreen},
	} {
		tc.check.Name = "one"
		w.pull(name, func(r *fake.Repo, _ *fake.Pull) { r.SetCheck(head, tc.check) })
		p, err := w.store.Get(t.Context(), name)
		if err != nil || p.Checks != tc.want {
			t.Errorf("%+v is %s, want %s (%v)", tc.check, p.Checks, tc.want, err)
		}
	}
}

// A sweep costs one GraphQL request when nothing changed and two when
// something did; how far behind a head is is asked once for each pair.
func TestSweepCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 50
	w.many(many)
	list := func() {
		prs, err := w.store.List(t.Context(), true)
		if err != nil || len(prs) != many {
			t.Fatalf("%d pull requests, %v", len(prs), err)
		}
	}
	type cost struct{ graphql, rest int }
	measure := func() cost { g, r := w.asked(list); return cost{g, r} }
	first := measure()
	same := measure()
	w.pull("#7", func(r *fake.Repo, p *fake.Pull) {
		w.now.pass(time.Minute)
		r.Review(p, "olive", "COMMENTED", "nice", w.now.now())
	})
	one := measure()
	w.main("main.txt", "moved\n")
	moved := measure()
	after := measure()
	t.Logf("50 open pull requests, GraphQL and REST requests: first %v, unchanged %v, one changed %v, main moved %v, then %v", first, same, one, moved, after)
	if same != (cost{1, 0}) || after != (cost{1, 0}) {
		t.Errorf("unchanged costs %v and %v", same, after)
	}
	if one.graphql > 2 || one.rest != 0 {
		t.Errorf("one change costs %v", one)
	}
	if moved.graphql > 2 || moved.rest > many {
		t.Errorf("main moved costs %v", moved)
	}
}

// UNKNOWN keeps what was known of the same commits, and is asked again
// (failures.md, row 39; SYMPTOMS.md, GitHub 26).
func TestFailure39AndSymptom26MergeableUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.branch("task/acm-1-x", "README.md", "theirs\n")
	name := w.open("task/acm-1-x", "")
	get := func() board.PullRequest {
		t.Helper()
		list, err := w.store.List(t.Context(), false)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d, %v", len(list), err)
		}
		return list[0]
	}
	if p := get(); p.Mergeable != board.MergeClean {
		t.Fatalf("at first %s", p.Mergeable)
	}
	unknown := func(n int) { w.pull(name, func(_ *fake.Repo, p *fake.Pull) { p.Unknown = n }) }
	unknown(5)
	for range 5 {
		if p := get(); p.Mergeable != board.MergeClean {
			t.Errorf("UNKNOWN made it %s", p.Mergeable)
		}
	}
	w.main("README.md", "ours\n")
	unknown(1)
	if p := get(); p.Mergeable != board.MergeUnknown || p.Behind != 1 {
		t.Errorf("after main moved %s, behind %d", p.Mergeable, p.Behind)
	}
	if p := get(); p.Mergeable != board.MergeConflict {
		t.Errorf("then %s", p.Mergeable)
	}
}

// Every 422 of update-branch is asked what it means (failures.md, row 38;
// SYMPTOMS.md, GitHub 25).
func TestFailure38AndSymptom25UpdateRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before func(w *world, name string)
		want   error
		says   string
	}{
		"clean":      {before: func(w *world, _ string) { w.main("other.txt", "x\n") }},
		"up to date": {before: func(*world, string) {}, want: pulls.ErrUpToDate},
		"conflict":   {before: func(w *world, _ string) { w.main("README.md", "ours\n") }, want: pulls.ErrConflict},
		"head moved": {before: func(w *world, _ string) {
			w.main("other.txt", "x\n")
			w.repo.Git("checkout", "-q", "task/acm-1-x")
			w.commit("y", "y")
		}, want: pulls.ErrHeadMoved},
		"branch gone": {before: func(w *world, _ string) {
			w.main("other.txt", "x\n")
			w.repo.Git("push", "-q", "origin", ":task/acm-1-x")
		}, want: pulls.ErrBranchGone},
		"merged": {before: func(w *world, n string) {
			w.pull(n, func(r *fake.Repo, p *fake.Pull) { _ = r.Merge(p, "olive", w.now.now()) })
		}, want: pulls.ErrNotOpen},
		"a fork": {before: func(w *world, n string) {
			w.main("other.txt", "x\n")
			w.pull(n, func(_ *fake.Repo, p *fake.Pull) { p.Fork = "someone" })
		}, says: "not accessible"},
		"no permission": {before: func(w *world, _ string) {
			w.main("other.txt", "x\n")
			w.server.Change(1, func(a *fake.App) { a.Permissions = map[string]string{"contents": "read", "pull_requests": "write"} })
		}, says: "lacks the permission contents=write"},
		"UNKNOWN first": {before: func(w *world, n string) {
			w.main("README.md", "ours\n")
			w.pull(n, func(_ *fake.Repo, p *fake.Pull) { p.Unknown = 3 })
		}, want: pulls.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			head := w.branch("task/acm-1-x", "README.md", "theirs\n")
			n := w.open("task/acm-1-x", "")
			tc.before(w, n)
			pr, err := w.store.Freshen(t.Context(), n, head)
			switch {
			case tc.want == nil && tc.says == "":
				if err != nil || pr.Behind != 0 || pr.HeadSHA == head {
					t.Fatalf("%+v, %v", pr, err)
				}
				only, err := w.store.MergeOnly(t.Context(), n, head, pr.HeadSHA)
				if err != nil || !only {
					t.Errorf("GitHub's own merge is merge only: %v, %v", only, err)
				}
			case tc.want != nil && !errors.Is(err, tc.want), tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("err = %v, want %v %s", err, tc.want, tc.says)
			}
		})
	}
}

// What `pr` refuses, with the way out; and who wrote the commits.
func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	create := func(head string, draft bool) (board.PullRequest, error) {
		return w.store.Create(t.Context(), pulls.CreateRequest{Title: "T", Body: "Fixes ACM-1", Head: head, Draft: draft})
	}
	for head, want := range map[string]string{
		"main":            "head and base are both main",
		"task/never-here": "git push -u origin task/never-here",
	} {
		if _, err := create(head, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", head, err)
		}
	}
	w.repo.Git("push", "-q", "origin", "origin/main:refs/heads/task/empty")
	if _, err := create("task/empty", false); err == nil || !strings.Contains(err.Error(), "no commit that main lacks") {
		t.Errorf("without commits: %v", err)
	}
	w.branch("task/acm-1-x", "x.go", "package x\n")
	w.repo.Write("y.go", "package x\n")
	w.repo.Git("add", "y.go")
	w.repo.Git("commit", "-q", "-m", "by a person")
	w.repo.Git("push", "-q", "origin", "HEAD")
	pr, err := create("task/acm-1-x", true)
	if err != nil || !pr.Draft || strings.Join(pr.Foreign, ";") != "Olive Owner <olive@example.com>" {
		t.Fatalf("%+v, %v", pr, err)
	}
	if _, err := create("task/acm-1-x", false); !errors.Is(err, pulls.ErrExists) || !strings.Contains(err.Error(), "#1") {
		t.Errorf("again: %v", err)
	}
	ready := false
	title := "New title"
	if pr, err = w.store.Update(t.Context(), "#1", pulls.Edit{Draft: &ready, Title: &title}); err != nil || pr.Draft || pr.Title != title || len(pr.Foreign) != 1 {
		t.Errorf("%+v, %v", pr, err)
	}
	if pr, err := w.store.ByHead(t.Context(), "task/acm-1-x"); err != nil || pr.Name != "#1" {
		t.Errorf("%+v, %v", pr, err)
	}
	if _, err := w.store.Get(t.Context(), "#9"); !errors.Is(err, pulls.ErrNotFound) {
		t.Errorf("err = %v", err)
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

// While GitHub asks to wait nothing is sent, whatever it calls it
// (failures.md, rows 24 and 26; SYMPTOMS.md, GitHub 31).
func TestFailure24And26Limits(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultSecondary, fake.FaultInBody, fake.FaultPrimary, fake.FaultAbuse} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if _, err := w.store.List(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			w.server.Inject(fake.Fault{Kind: kind})
			before := len(w.server.Requests())
			for range 600 { // ten minutes of firings a second
				_, err := w.store.List(t.Context(), true)
				if _, limited := errors.AsType[*ghapi.LimitError](err); !limited {
					t.Fatalf("err = %v", err)
				}
				w.now.pass(time.Second)
			}
			if n := len(w.server.Requests()) - before; n > 11 {
				t.Errorf("%d requests in ten minutes of refusals", n)
			}
			w.server.Mend()
			w.now.pass(2 * time.Hour)
			if _, err := w.store.List(t.Context(), true); err != nil {
				t.Errorf("after the reset: %v", err)
			}
		})
	}
}

// A limit met while a token is minted holds everything back as any other does:
// each in a row that says no time for longer.
func TestLimitsOfMints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Inject(fake.Fault{Kind: fake.FaultBare, Path: "/access_tokens", Times: 4})
	for i, minutes := range []int{1, 2, 4, 8} {
		before := len(w.server.Requests())
		_, err := w.store.List(t.Context(), true)
		limit, limited := errors.AsType[*ghapi.LimitError](err)
		if !limited {
			t.Fatalf("refusal %d: %v", i+1, err)
		}
		wait, least := limit.Until.Sub(w.now.now()), time.Duration(minutes)*time.Minute
		if wait < least || wait > least+30*time.Second {
			t.Errorf("refusal %d is waited for %s, want %s and a little", i+1, wait, least)
		}
		if _, err := w.store.List(t.Context(), true); err == nil || len(w.server.Requests()) != before+1 {
			t.Errorf("refusal %d: %d requests, %v", i+1, len(w.server.Requests())-before, err)
		}
		w.now.pass(wait)
	}
	if _, err := w.store.List(t.Context(), true); err != nil {
		t.Errorf("after the last: %v", err)
	}
}

// A token that ends, or is taken away, costs one more and no error (failures.md,
// row 27).
func TestFailure27TokenEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func() {
		t.Helper()
		if _, err := w.store.List(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	list()
	list()
	if n := w.server.Minted(); n != 1 {
		t.Errorf("%d tokens for two sweeps", n)
	}
	w.now.pass(57 * time.Minute)
	list()
	if n := w.server.Minted(); n != 2 {
		t.Errorf("%d tokens after most of an hour", n)
	}
	w.server.Revoke()
	list()
	if n := w.server.Minted(); n != 3 {
		t.Errorf("%d tokens after one was revoked", n)
	}
}
