package github_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// steady is a project of 60 rows beside a repository with 50 open pull requests
// that are green.
type steady struct {
	*world
	project *fake.Project
	board   *ghproject.Board
}

func newSteady(t *testing.T) *steady {
	t.Helper()
	s := &steady{world: newWorld(t)}
	s.many(50)
	heads := strings.Fields(s.repo.Git("ls-remote", "origin", "refs/heads/task/*"))
	s.server.With("acme/widgets", func(r *fake.Repo) {
		for i := 0; i < len(heads); i += 2 {
			r.SetCheck(heads[i], fake.Check{Name: "test", Done: true, Conclusion: "success"})
		}
	})
	states := map[board.Role]string{}
	var names []string
	for _, r := range board.Roles() {
		states[r] = r.DefaultName()
		names = append(names, r.DefaultName())
	}
	s.project = s.server.AddProject("acme", 2, names...)
	for n := range 60 {
		i := fake.Issue{Title: fmt.Sprint("row ", n), Milestone: "m1", Author: "olive", Body: "- [ ] one", Labels: []string{"UI"}}
		if n > 0 {
			i.BlockedBy = []int{51}
		}
		s.server.NewIssue("acme/widgets", i, "Question", s.project)
	}
	var err error
	s.board, err = ghproject.Open(ghproject.Options{
		URL: s.url + "/graphql", Token: func(context.Context) (string, error) { return "olive-token", nil },
		Owner: "acme", ProjectNumber: 2, ProjectID: s.project.ID, Repository: "acme/widgets", States: states, StaleWindow: 90 * time.Minute, Now: s.now.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.now.pass(time.Hour) // all of it is an hour old
	return s
}

// firing reads what the loop reads in one firing, and counts it: the board as
// its owner, the pull requests as the developer App.
func (s *steady) firing() (rows []board.Issue, onBoard, onPulls fake.Counts) {
	s.Helper()
	s.now.pass(time.Minute)
	before := len(s.server.Requests())
	rows, err := s.board.Poll(s.Context(), board.Query{Milestones: []string{"m1"}, Closed: true})
	if err != nil {
		s.Fatal(err)
	}
	if all, err := s.board.Poll(s.Context(), board.Query{AllMilestones: true}); err != nil || len(all) < 59 {
		s.Fatalf("%d rows, %v", len(all), err)
	}
	polled := len(s.server.Requests())
	if prs, err := s.store.List(s.Context(), true); err != nil || len(prs) != 50 {
		s.Fatalf("%d pull requests, %v", len(prs), err)
	}
	all := s.server.Requests()
	return rows, fake.Count(all[before:polled]), fake.Count(all[polled:])
}

// TestCostOfASteadyFiring states what a firing costs with 50 open pull requests
// and 60 rows, and holds it to the design's limits (design.md, section 16).
func TestCostOfASteadyFiring(t *testing.T) {
	t.Parallel()
	s := newSteady(t)
	t.Logf("a firing with 50 open pull requests and 60 rows   board: GraphQL, points   pull requests: GraphQL, points, REST counted, REST free (304)")
	for _, c := range []struct {
		what         string
		change       func()
		board, pulls fake.Counts // at most
		row          func(*board.Issue) bool
	}{
		{"the first", func() {}, fake.Counts{GraphQL: 3, Points: 5}, fake.Counts{GraphQL: 2, Points: 28, REST: 101}, nil},
		{"nothing changed", func() {}, fake.Counts{GraphQL: 1, Points: 1}, fake.Counts{GraphQL: 1, Points: 1}, nil},
		{"a row moved on its page", func() {
			s.server.Project(s.project, func(p *fake.Project) { p.Move(p.Items[7], "Ready", s.now.now()) })
		}, fake.Counts{GraphQL: 1, Points: 1}, fake.Counts{GraphQL: 1, Points: 1}, func(i *board.Issue) bool { return i.Role == board.RoleReady }},
		{"a comment", func() {
			s.server.With("acme/widgets", func(r *fake.Repo) { r.Say(r.Issue(58), "olive", "Go on.", s.now.now()) })
		}, fake.Counts{GraphQL: 2, Points: 2}, fake.Counts{GraphQL: 1, Points: 1}, func(i *board.Issue) bool { return len(i.Comments) == 1 }},
		{
			"a blocker closed", func() { s.server.Close("acme/widgets", 51) },
			fake.Counts{GraphQL: 3, Points: 5},
			fake.Counts{GraphQL: 1, Points: 1},
			func(i *board.Issue) bool { return len(i.OpenBlockers()) == 0 },
		},
		{"a pull request reviewed", func() {
			s.pull("#7", func(r *fake.Repo, p *fake.Pull) { r.Review(p, "olive", "COMMENTED", "nice", s.now.now()) })
		}, fake.Counts{GraphQL: 1, Points: 1}, fake.Counts{GraphQL: 2, Points: 2, Free: 1}, nil},
		{"and read once more a minute later", func() {}, fake.Counts{GraphQL: 1, Points: 1}, fake.Counts{GraphQL: 2, Points: 2, Free: 1}, nil},
		{"nothing changed again", func() {}, fake.Counts{GraphQL: 1, Points: 1}, fake.Counts{GraphQL: 1, Points: 1}, nil},
	} {
		c.change()
		rows, onBoard, onPulls := s.firing()
		t.Logf("%-50s %d %d   %d %d %d %d", c.what, onBoard.GraphQL, onBoard.Points, onPulls.GraphQL, onPulls.Points, onPulls.REST, onPulls.Free)
		if onBoard.Over(c.board) || onPulls.Over(c.pulls) {
			t.Errorf("%s: %+v and %+v, at most %+v and %+v", c.what, onBoard, onPulls, c.board, c.pulls)
		}
		if c.row != nil && !c.row(rowOf(rows, "#58")) {
			t.Errorf("%s: it was not seen", c.what)
		}
	}
}

func rowOf(rows []board.Issue, ref board.Ref) *board.Issue {
	for i := range rows {
		if rows[i].Ref == ref {
			return &rows[i]
		}
	}
	return &board.Issue{}
}

// TestCostOfAnIdleHour counts a quarter of an hour in which nothing happens,
// with a firing a minute: all rows are read in full once in it.
func TestCostOfAnIdleHour(t *testing.T) {
	t.Parallel()
	s := newSteady(t)
	s.firing()
	s.firing()
	var onBoard, onPulls fake.Counts
	for range 15 {
		_, b, p := s.firing()
		onBoard, onPulls = onBoard.Plus(b), onPulls.Plus(p)
	}
	t.Logf("an idle hour, a firing a minute: board %d GraphQL requests, %d points of the owner's login; pull requests %d GraphQL requests, %d points of the App, %d REST counted, %d free",
		4*onBoard.GraphQL, 4*onBoard.Points, 4*onPulls.GraphQL, 4*onPulls.Points, 4*onPulls.REST, 4*onPulls.Free)
	if 4*onBoard.Points >= 100 || 4*onPulls.Points >= 100 || onPulls.REST > 0 || onBoard.REST > 0 {
		t.Errorf("%+v, %+v", onBoard, onPulls)
	}
}

// TestCostOfSettled: what ended is read without what its reviews say on lines,
// and not at all where only open ones are asked for.
func TestCostOfSettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many(50)
	w.server.With("acme/widgets", func(r *fake.Repo) {
		for n := range 50 {
			p := r.Pull(n + 1)
			p.Reviews = []fake.Review{
				{ID: int64(n + 1), Author: "olive", State: "COMMENTED", Body: "Fine.", At: w.now.now(), Findings: []fake.Finding{{Path: "x", Line: 1, Body: "A"}}},
				{ID: int64(n + 101), Author: "olive", State: "COMMENTED", At: w.now.now(), Findings: []fake.Finding{{Path: "x", Line: 1, Body: "B", To: int64(n+1) * 1000}}},
			}
			p.State = "closed"
		}
	})
	w.now.pass(time.Hour)
	for _, c := range []struct {
		all        bool
		want, most int // pull requests; points
	}{{false, 0, 1}, {true, 50, 3}, {true, 50, 1}} {
		before := len(w.server.Requests())
		prs, err := w.store.List(t.Context(), c.all)
		got := fake.Count(w.server.Requests()[before:])
		t.Logf("all %v: %+v", c.all, got)
		if err != nil || len(prs) != c.want || got.Points > c.most {
			t.Errorf("%d pull requests, %v; %+v", len(prs), err, got)
		}
		for i := range prs {
			if r := prs[i].Reviews; len(r) != 1 || r[0].Body != "Fine." {
				t.Errorf("%s: %+v", prs[i].Name, r)
			}
		}
	}
	if p, err := w.store.Get(t.Context(), "#7"); err != nil || len(p.Reviews) != 1 || len(p.Reviews[0].Findings) != 1 {
		t.Errorf("%+v, %v", p.Reviews, err)
	}
}
