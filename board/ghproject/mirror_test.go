package ghproject_test

import (
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// TestLookSeesChanges: whatever changes on GitHub's pages is seen by the next
// poll, and what leaves no trace there after a quarter of an hour.
func TestLookSeesChanges(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	for _, title := range []string{"one", "two", "three"} {
		p.seed(t, board.NewIssue{Title: title, State: board.RoleReady, Milestone: "m1"})
	}
	b := p.open(t)
	poll := func() []board.Issue {
		t.Helper()
		rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true, Closed: true})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	repo := func(change func(*fake.Repo)) { p.server.With("acme/widgets", change) }
	poll()
	for _, c := range []struct {
		what   string
		change func()
		after  time.Duration
		seen   func(rows []board.Issue) bool
	}{
		{"a move", func() { p.column(1, board.RoleHumanReview) }, 0, func(r []board.Issue) bool { return r[2].Ref == "#1" && r[2].Role == board.RoleHumanReview }},
		{"a move back", func() { p.column(1, board.RoleReady) }, 0, func(r []board.Issue) bool { return r[0].Role == board.RoleReady }},
		{"a claim", func() { p.field(1, "dev:x@2026-09-01T08:00Z") }, 0, func(r []board.Issue) bool { return r[0].Claim != nil }},
		{"a comment", func() { p.say(1, "olive", "Go on.") }, 0, func(r []board.Issue) bool { return len(r[0].Comments) == 1 }},
		{"a deleted comment", func() { repo(func(r *fake.Repo) { r.Issue(1).Comments = nil }) }, 0, func(r []board.Issue) bool { return len(r[0].Comments) == 0 }},
		{"a title", func() { repo(func(r *fake.Repo) { r.Issue(1).Title = "uno" }) }, 0, func(r []board.Issue) bool { return r[0].Title == "uno" }},
		{"a blocker", func() { repo(func(r *fake.Repo) { r.Issue(1).BlockedBy = []int{2} }) }, 0, func(r []board.Issue) bool { return len(r[0].OpenBlockers()) == 1 }},
		{"its end", func() { repo(func(r *fake.Repo) { r.Issue(2).Closed = true }) }, 0, func(r []board.Issue) bool { return len(r[0].OpenBlockers()) == 0 }},
		{"a parent", func() { repo(func(r *fake.Repo) { r.Issue(1).Parent = 3 }) }, 0, func(r []board.Issue) bool { return r[0].Parent == "#3" }},
		{"no milestone", func() { repo(func(r *fake.Repo) { r.Issue(1).Milestone = "" }) }, 0, func(r []board.Issue) bool { return r[0].Milestone == "" }},
		{"another order", func() { p.server.Project(p.project, func(o *fake.Project) { slices.Reverse(o.Items) }) }, 0, func(r []board.Issue) bool { return r[0].Ref == "#3" }},
		{"a label without a trace", func() { repo(func(r *fake.Repo) { r.Issue(3).Labels = []string{"UI"} }) }, 15 * time.Minute, func(r []board.Issue) bool { return len(r[0].Labels) == 1 }},
		{"a row that is archived", func() { p.server.Project(p.project, func(o *fake.Project) { o.Items[0].Archived = true }) }, 0, func(r []board.Issue) bool { return len(r) == 2 }},
	} {
		p.clock.Advance(time.Minute)
		poll()
		c.change()
		p.clock.Advance(time.Minute + c.after)
		if rows := poll(); !c.seen(rows) {
			t.Errorf("%s was not seen: %+v", c.what, rows)
		}
	}
}

// TestOneLookForAFiring: another question is answered from the same look, the
// same one never is, and none beyond a write of this process.
func TestOneLookForAFiring(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady, Milestone: "m1"})
	b := p.open(t)
	ours, all := board.Query{Milestones: []string{"m1"}}, board.Query{AllMilestones: true}
	asks := func(q board.Query, want int) {
		t.Helper()
		before := len(p.server.Requests())
		if rows, err := b.Poll(t.Context(), q); err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if n := len(p.server.Requests()) - before; n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
	p.clock.Advance(time.Minute) // what changed just now is read again
	asks(ours, 2)
	asks(all, 0)
	asks(all, 1)
	asks(ours, 0)
	asks(ours, 1)
	if _, err := b.Claim(t.Context(), dispatcher, ref, claim("s1")); err != nil {
		t.Fatal(err)
	}
	asks(all, 1)
	p.clock.Advance(time.Minute)
	asks(ours, 1)
}
