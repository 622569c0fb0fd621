package ghproject_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// ended adds rows that are closed, each assigned and with a comment, and half of
// them with a blocker.
func (p *place) ended(t *testing.T, many int, column board.Role) {
	t.Helper()
	first := 0
	for n := range many {
		number := p.server.NewIssue("acme/widgets", fake.Issue{Title: fmt.Sprint("row ", n), Author: "olive"}, column.DefaultName(), p.project)
		if first == 0 {
			first = number
		}
		p.server.With("acme/widgets", func(r *fake.Repo) {
			i := r.Issue(number)
			i.Closed, i.Assignees = true, []string{"olive"}
			if n%2 == 1 {
				i.BlockedBy = []int{first}
			}
		})
		p.say(number, "olive", "Done.")
	}
}

// TestClosedRowsAreToldAlike: what a poll says of a row that is closed does not
// depend on how many others there are: whose it was, and no comment.
func TestClosedRowsAreToldAlike(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 49, 120} {
		p := newPlace(t, true)
		p.seed(t, board.NewIssue{Title: "open", State: board.RoleReady})
		p.ended(t, many, board.RoleDone)
		rows, err := p.open(t).Poll(t.Context(), board.Query{AllMilestones: true, Closed: true})
		if err != nil || len(rows) != many+1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		assigned, comments := 0, 0
		for i := range rows {
			comments += len(rows[i].Comments)
			if rows[i].Assignee == "olive" {
				assigned++
			}
		}
		if assigned != many || comments != 0 {
			t.Errorf("of %d closed rows %d are assigned, with %d comments", many, assigned, comments)
		}
	}
}

// TestReopenedBetweenTwoRequests: a row that was closed when the board was looked
// at, and is open when it is read, is read whole as every one that is open.
func TestReopenedBetweenTwoRequests(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	p.ended(t, 120, board.RoleReady)
	p.clock.Advance(time.Hour)
	b, reopened := p.open(t), []int{1, 5, 120} // two without relations and one with
	b.Tell(func(at board.Progress) {
		p.server.With("acme/widgets", func(r *fake.Repo) {
			for _, n := range reopened {
				r.Issue(n).Closed = false
			}
		})
	})
	seen := func(when string) {
		t.Helper()
		rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true, Closed: true})
		if err != nil || len(rows) != 120 {
			t.Fatalf("%s: %d rows, %v", when, len(rows), err)
		}
		for i := range rows {
			r, open := &rows[i], slices.Contains(reopened, i+1)
			if r.Ref != board.Ref(fmt.Sprintf("#%d", i+1)) || r.Closed == open || r.Assignee != "olive" || open != (len(r.Comments) == 1) {
				t.Errorf("%s: %s closed %v, of %q, %d comments", when, r.Ref, r.Closed, r.Assignee, len(r.Comments))
			}
		}
	}
	seen("at once")
	p.clock.Advance(time.Minute)
	seen("with the next poll")
}

// TestClosedRowsAreReadAnew: what leaves no trace where a look sees it is seen of
// a closed row after six hours, and not paid for before.
func TestClosedRowsAreReadAnew(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	p.ended(t, 1, board.RoleDone)
	p.clock.Advance(time.Hour)
	b := p.open(t)
	labels := func() int {
		t.Helper()
		rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true, Closed: true})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		return len(rows[0].Labels)
	}
	labels()
	p.server.With("acme/widgets", func(r *fake.Repo) { r.Issue(1).Labels = []string{"UI"} })
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{5 * time.Hour, 0}, {time.Hour, 1}} {
		p.clock.Advance(c.after)
		if n := labels(); n != c.want {
			t.Errorf("%s later: %d labels, want %d", c.after, n, c.want)
		}
	}
}

// TestWhatIsKeptIsBounded: of rows that are items no more nothing is kept.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	for range 5 {
		p.seed(t, board.NewIssue{Title: "row", State: board.RoleReady})
	}
	b := p.open(t)
	for _, want := range []int{5, 3} {
		if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
			t.Fatal(err)
		}
		if n := b.Kept(); n != want {
			t.Errorf("%d rows are kept, want %d", n, want)
		}
		p.server.Project(p.project, func(o *fake.Project) { o.Items = o.Items[2:] })
		p.clock.Advance(time.Minute)
	}
}
