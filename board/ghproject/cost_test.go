package ghproject_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// TestCostOfClosedRows counts a project of 1,000 items of which 900 are closed:
// what is closed is not read in full, and not again every quarter of an hour.
func TestCostOfClosedRows(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	for n := range 1000 {
		milestone, column := "old", board.RoleDone
		if n%10 == 0 {
			column = board.RoleReady
		}
		if n%2 == 0 {
			milestone = "m1"
		}
		number := p.server.NewIssue("acme/widgets", fake.Issue{Title: fmt.Sprint("row ", n), Milestone: milestone, Author: "olive", Labels: []string{"UI"}}, column.DefaultName(), p.project)
		if column == board.RoleDone {
			p.server.With("acme/widgets", func(r *fake.Repo) { r.Issue(number).Closed = true })
		}
	}
	b := p.open(t)
	counts := func(questions ...board.Query) fake.Counts {
		t.Helper()
		before := len(p.server.Requests())
		for i, want := range questions {
			rows, err := b.Poll(t.Context(), want)
			if err != nil || len(rows) < 100 {
				t.Fatalf("question %d: %d rows, %v", i, len(rows), err)
			}
		}
		return fake.Count(p.server.Requests()[before:])
	}
	ours, open, all := board.Query{Milestones: []string{"m1"}, Closed: true}, board.Query{AllMilestones: true}, board.Query{AllMilestones: true, Closed: true}
	t.Log("1,000 items, 900 closed: GraphQL requests, points")
	for _, c := range []struct {
		what  string
		after time.Duration
		asks  []board.Query
		most  fake.Counts
	}{
		{"the first firing", time.Hour, []board.Query{ours, open}, fake.Counts{GraphQL: 16, Points: 28}},
		{"nothing changed", time.Minute, []board.Query{ours, open}, fake.Counts{GraphQL: 10, Points: 10}},
		{"after a quarter of an hour", 15 * time.Minute, []board.Query{ours, open}, fake.Counts{GraphQL: 12, Points: 16}},
		{"all closed rows of all milestones", time.Minute, []board.Query{all}, fake.Counts{GraphQL: 15, Points: 25}},
	} {
		p.clock.Advance(c.after)
		got := counts(c.asks...)
		t.Logf("%-40s %d %d", c.what, got.GraphQL, got.Points)
		if got.Over(c.most) {
			t.Errorf("%s: %+v, at most %+v", c.what, got, c.most)
		}
	}
}

// TestCostOfIssuesOf: whose a pull request is, is asked by name: by its branch,
// its text, and GitHub's own links, whatever else is on the board.
func TestCostOfIssuesOf(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	for n := range 300 {
		p.seed(t, board.NewIssue{Title: fmt.Sprint("row ", n), State: board.RoleReady, Milestone: "m1"})
	}
	p.server.With("acme/widgets", func(r *fake.Repo) {
		r.Issue(7).Closed = true
		r.Open(&fake.Pull{Title: "T", Body: "Closes #9", Base: "main", Head: "x", Author: "olive", Closes: []int{7}, Created: p.clock.Now()})
	})
	b := p.open(t)
	var hostile []board.Ref
	for n := range 300 {
		hostile = append(hostile, board.Ref(fmt.Sprint("#", n+1)))
	}
	url := "https://github.com/acme/widgets/pull/301"
	for name, tc := range map[string]struct {
		pr   board.PullRequest
		want []board.Ref
		most int
	}{
		"by branch":           {board.PullRequest{Name: "#1", Head: "task/12-row"}, []board.Ref{"#12"}, 1},
		"by text":             {board.PullRequest{Name: "#1", Issues: []board.Ref{"#3", "ACM-3", "#4711"}}, []board.Ref{"#3"}, 2},
		"of all by text":      {board.PullRequest{Name: "#1", Issues: hostile}, hostile[:20], 20},
		"linked":              {board.PullRequest{Name: "#301", Number: 301, URL: url}, []board.Ref{"#7", "#9"}, 3},
		"none of this board":  {board.PullRequest{Name: "#301", Number: 301, URL: "https://github.com/acme/other/pull/301"}, nil, 0},
		"one that is no more": {board.PullRequest{Name: "#999", Number: 999, URL: url}, nil, 1},
	} {
		before := len(p.server.Requests())
		rows, err := b.IssuesOf(t.Context(), tc.pr)
		var got []board.Ref
		for i := range rows {
			got = append(got, rows[i].Ref)
		}
		slices.SortFunc(got, func(a, b board.Ref) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		if n := len(p.server.Requests()) - before; err != nil || !slices.Equal(got, tc.want) || n > tc.most {
			t.Errorf("%s: %v by %d requests, %v", name, got, n, err)
		}
	}
}
