package linear_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// fill puts issues on the board, each with a label, a blocker and comments.
func (p *place) fill(t *testing.T, n int, state string) []board.Ref {
	t.Helper()
	var refs []board.Ref
	for i := range n {
		d := fake.Draft{Title: fmt.Sprintf("row %d", i+1), State: state, Milestone: "m1", Labels: []string{"UI"}, Body: "- [ ] one"}
		if i > 0 {
			d.Blockers = []string{string(refs[i-1])}
		}
		for _, text := range []string{"**[developer]** Which one?", "An old word of the owner's."} {
			d.Comments = append(d.Comments, fake.Comment{Body: text, User: p.made.Owner})
		}
		refs = append(refs, p.add(t, d))
	}
	return refs
}

// firing reads what the loop reads in one firing.
func firing(t *testing.T, b board.Backend) []board.Issue {
	t.Helper()
	rows, err := b.Poll(t.Context(), board.Query{Milestones: []string{"m1"}, Closed: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestCostOfAFiring states what a firing costs on a board of 250 issues, and
// holds it to the design's limits: 1 request when nothing has changed, 1 and
// the pages otherwise (design.md, section 16).
func TestCostOfAFiring(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		p := newPlace(t, fake.Options{QuietComments: quiet}, fake.Setup{})
		refs := p.fill(t, 250, "Question")
		b := p.open(t)
		cases := []struct {
			what   string
			change func()
			most   int
			note   string // where its figures stand in the note
		}{
			{"full poll of 250", func() {}, 1 + 7, "the first one"},
			{"0 changes", func() {}, 1, "nothing changed"},
			{"1 change", func() {
				if err := p.world.Edit(string(refs[7]), p.made.Owner, func(i *fake.Issue) { i.Title = "changed" }); err != nil {
					t.Fatal(err)
				}
			}, 2, "one issue changed"},
			{"0 changes again", func() {}, 1, "nothing changed"},
			{"1 comment", func() {
				if err := p.world.AddComment(string(refs[9]), fake.Comment{Body: "Go on.", User: p.made.Owner}); err != nil {
					t.Fatal(err)
				}
			}, 2, "one new comment"},
			{"1 pull request", func() { p.attach(t, refs[11], 7) }, 2, "one pull request attached"},
			{"0 changes but those of a moment ago", func() {}, 1, "nothing changed"},
			{"0 changes after 20 minutes", func() { p.clock.Advance(20 * time.Minute) }, 1, "nothing changed"},
		}
		for _, c := range cases {
			p.clock.Advance(time.Minute)
			c.change()
			p.world.ResetCounts()
			rows := firing(t, b)
			n := p.world.Counts()
			t.Logf("comments move issues %v: %s: %d requests, %.0f points", !quiet, c.what, n.Requests, n.Points)
			if n.Requests > c.most || len(rows) != 250 {
				t.Errorf("%s: %d requests, at most %d; %d rows", c.what, n.Requests, c.most, len(rows))
			}
			// The note states what costs most: a comment that moves its issue.
			if requests, points := noted(t, c.note); requests != n.Requests || !quiet && points != math.Round(n.Points) || points < math.Round(n.Points) {
				t.Errorf("%s: docs/linear.md says %d requests and %.0f points under %q", c.what, requests, points, c.note)
			}
		}
		rows := firing(t, b)
		if rows[7].Title != "changed" || len(rows[9].Comments) != 3 || len(rows[11].PRs) != 1 {
			t.Errorf("the changes were not seen: %q, %d comments, pull requests %q", rows[7].Title, len(rows[9].Comments), rows[11].PRs)
		}
	}
}

// noted are the requests and the points that the note states in its line of
// what it costs that holds some words.
func noted(t *testing.T, words string) (requests int, points float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "linear.md"))
	ok(t, err)
	_, table, _ := strings.Cut(string(text), "| a firing on 250 issues |")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(line, ",", ""), "|")
		if len(cells) != 5 || !strings.Contains(cells[1], words) {
			continue
		}
		requests, err = strconv.Atoi(strings.TrimSpace(cells[2]))
		ok(t, err)
		points, err = strconv.ParseFloat(strings.TrimSpace(cells[3]), 64)
		ok(t, err)
		return requests, points
	}
	t.Fatalf("docs/linear.md states no cost of %q", words)
	return 0, 0
}

// attach links a pull request as another process of the checkout does.
func (p *place) attach(t *testing.T, ref board.Ref, n int) {
	t.Helper()
	ok(t, p.open(t).LinkPR(t.Context(), theOwner, ref, fmt.Sprintf("#%d", n)))
}

// TestLinksAreSeen: a pull request that is attached shows with the next poll,
// whoever attached it and whether or not that moves the issue's time, also when
// the first read of the row comes too early.
func TestLinksAreSeen(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		for _, stale := range []bool{false, true} {
			p := newPlace(t, fake.Options{QuietComments: quiet}, fake.Setup{})
			refs := p.fill(t, 3, "Human Review")
			b := p.open(t)
			firing(t, b)
			p.clock.Advance(time.Minute)
			// The row was changed and looked at a moment before.
			ok(t, p.world.Edit(string(refs[0]), p.made.Owner, func(i *fake.Issue) { i.Title = "changed" }))
			firing(t, b)
			p.clock.Advance(20 * time.Second)
			reads := 9
			p.world.Inject(fake.Fault{Reads: true, Choose: func(bool) fake.FaultKind {
				if reads++; stale && reads == 2 {
					return fake.FaultStale
				}
				return fake.FaultNone
			}})
			p.attach(t, refs[0], 1)
			ok(t, b.LinkPR(t.Context(), theOwner, refs[1], "#2"))
			p.clock.Advance(20 * time.Second)
			if stale {
				reads = 0
				firing(t, b)
				p.clock.Advance(time.Second)
				p.world.Mend()
			}
			rows := firing(t, b)
			if len(rows) != 3 || len(rows[0].PRs) != 1 || len(rows[1].PRs) != 1 {
				t.Errorf("quiet %v, stale %v: %q and %q", quiet, stale, rows[0].PRs, rows[1].PRs)
			}
			p.clock.Advance(2 * time.Minute)
			p.world.ResetCounts()
			firing(t, b)
			if n := p.world.Counts().Requests; n != 1 {
				t.Errorf("quiet %v, stale %v: %d requests with nothing changed", quiet, stale, n)
			}
		}
	}
}

// TestClosedRowsAskedForOnce: a look at all that is closed is not paid again
// with everything that is read anew.
func TestClosedRowsAskedForOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 400, "Done")
	p.fill(t, 40, "Question")
	b := p.open(t)
	polls := func(q board.Query, want int) int {
		t.Helper()
		p.world.ResetCounts()
		if rows, err := b.Poll(t.Context(), q); err != nil || len(rows) != want {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		return p.world.Counts().Requests
	}
	open, all := board.Query{AllMilestones: true}, board.Query{AllMilestones: true, Closed: true}
	first := polls(open, 40)
	whole := polls(all, 440)
	p.clock.Advance(31 * time.Minute)
	again := polls(open, 40)
	t.Logf("requests: open rows %d, closed ones too %d, open ones half an hour later %d", first, whole, again)
	if again > first || whole < 10 {
		t.Errorf("%d, %d and %d requests", first, whole, again)
	}
	if n := polls(all, 440); n < 10 {
		t.Errorf("%d requests for what was not read", n)
	}
}

// TestTenMinutesParked counts the requests of ten minutes with 50 parked
// questions, polled once a minute.
func TestTenMinutesParked(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 50, "Question")
	b := p.open(t)
	firing(t, b)
	p.world.ResetCounts()
	for range 10 {
		p.clock.Advance(time.Minute)
		firing(t, b)
	}
	n := p.world.Counts()
	t.Logf("ten minutes with 50 parked questions: %d requests, %.0f points", n.Requests, n.Points)
	if n.Requests != 10 {
		t.Errorf("%d requests in ten firings", n.Requests)
	}
}

// TestTenMinutesRefused counts the requests of ten minutes of a server that
// answers RATELIMITED to everything, polled every ten seconds
// (eltmon/overdeck#1821: the error loop ran at full cadence).
func TestTenMinutesRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 5, "Ready")
	b := p.open(t)
	firing(t, b)
	p.world.Inject(fake.Fault{Kind: fake.FaultRateLimit, Times: -1})
	p.world.ResetCounts()
	for range 60 {
		p.clock.Advance(10 * time.Second)
		_, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
		if lim, ok := errors.AsType[*linear.LimitError](err); !ok || !lim.Until.After(p.clock.Now()) {
			t.Fatalf("error %v", err)
		}
		if _, err := b.Issue(t.Context(), "ACM-1"); err == nil {
			t.Fatal("a read got through")
		}
	}
	n := p.world.Counts()
	t.Logf("ten minutes of RATELIMITED, 120 tries: %d requests", n.Requests)
	if n.Requests > 4 {
		t.Errorf("%d requests", n.Requests)
	}
	p.world.Mend()
	p.clock.Advance(time.Hour)
	if _, err := b.Issue(t.Context(), "ACM-1"); err != nil {
		t.Errorf("after the reset: %v", err)
	}
}
