package linear_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/contest"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// arena is what a claiming process needs to know of the workspace.
type arena struct {
	URL  string
	Made fake.Made
}

// TestClaimer is one process of TestClaimContest; by itself it does nothing.
func TestClaimer(t *testing.T) {
	contest.Enter(t, func(t *testing.T, world json.RawMessage, r *contest.Road) board.Backend {
		t.Helper()
		var a arena
		if err := json.Unmarshal(world, &a); err != nil {
			t.Fatal(err)
		}
		p := &place{made: a.Made, url: a.URL, clock: newClock()}
		return p.open(t, func(o *linear.Options) {
			o.Transport = r
			o.Pause = func(context.Context, time.Duration) error { r.Pause(); return nil }
		})
	})
}

// TestClaimContest lets two processes claim the same 200 rows at once, some of
// them with stale claims of a third: every row has exactly one winner, and the
// claim that stands is the winner's (watt-mind/factory#877).
func TestClaimContest(t *testing.T) {
	t.Parallel()
	const rows = 200
	p := newPlace(t, fake.Options{Requests: 1e6, Points: 1e9}, fake.Setup{})
	other := p.world.AddUser(fake.User{Name: "Otto", DisplayName: "otto"})
	c := contest.Contest{World: arena{p.url, p.made}, Least: rows}
	for n := range rows {
		d := fake.Draft{Title: fmt.Sprintf("row %d", n), State: "Ready", Milestone: "m1"}
		if n%4 == 0 {
			stale := board.Claim{Kind: board.KindDeveloper, Session: fmt.Sprintf("third-%d", n), Stamp: p.clock.Now().Add(-2 * time.Hour)}
			d.Comments = []fake.Comment{{Body: stale.Text(), User: []string{p.made.Owner, other}[n/4%2]}}
		}
		c.Refs = append(c.Refs, p.add(t, d))
	}
	reader := p.open(t)
	c.Holds = func(ref board.Ref, session string) bool {
		i, err := reader.Issue(t.Context(), ref)
		if err != nil {
			t.Error(err)
		}
		return i.Claim != nil && i.Claim.Session == session && i.Delegate == board.DelegateDeveloper
	}
	c.Hold(t)
}
