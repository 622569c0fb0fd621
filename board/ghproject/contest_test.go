package ghproject_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/contest"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// arena is what a claiming process needs to know of the project.
type arena struct {
	URL, ProjectID string
	States         map[board.Role]string
}

// TestClaimer is one process of TestClaimContest; by itself it does nothing.
func TestClaimer(t *testing.T) {
	contest.Enter(t, func(t *testing.T, world json.RawMessage, r *contest.Road) board.Backend {
		t.Helper()
		var a arena
		if err := json.Unmarshal(world, &a); err != nil {
			t.Fatal(err)
		}
		p := &place{url: a.URL, clock: newClock(), states: a.States, project: &fake.Project{ID: a.ProjectID}}
		return p.open(t, func(o *ghproject.Options) {
			o.Transport = r
			o.Pause = func(context.Context) error { r.Pause(); return nil }
		})
	})
}

// TestClaimContest lets two processes claim the same 200 rows at once, some of
// them with stale claims of a third: of no row there are ever two workers that
// both push (failures.md, claims; SYMPTOMS.md, 39).
func TestClaimContest(t *testing.T) {
	t.Parallel()
	const rows = 200
	p := newPlace(t, true)
	c := contest.Contest{World: arena{p.url, p.project.ID, p.states}, Looks: true, Least: rows - 5}
	for n := range rows {
		ref := p.seed(t, board.NewIssue{Title: fmt.Sprint("row ", n), State: board.RoleReady})
		if n%10 == 0 {
			p.field(refNumber(t, ref), "dev:gone@2026-08-01T00:00Z") // stale
		}
		c.Refs = append(c.Refs, ref)
	}
	c.Holds = func(ref board.Ref, session string) bool { return strings.Contains(p.claimed(t, ref), ":"+session+"@") }
	c.Hold(t)
}
