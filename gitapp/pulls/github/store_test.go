package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
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
