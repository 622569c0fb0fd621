package ghproject_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/boardtest/histories"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

var historyFlags = histories.Define("ghproject")

// TestHistories plays the loop on the fake, over HTTP, while requests fail,
// workers fail, the loop dies and its owner works on GitHub's own pages. When
// the trouble is over everything has to come to an end.
func TestHistories(t *testing.T) {
	t.Parallel()
	historyFlags.Play(t, histories.Game{New: newTroubled, Rates: []float64{0.02, 0.08, 0.2}, Steady: 1, SecondLook: 15 * time.Second})
}

// troubled is a project in which a history is played.
type troubled struct {
	*place
	*boardtest.Clock

	t *testing.T
}

func newTroubled(t *testing.T, dice *rand.Rand) histories.World {
	t.Helper()
	p := newPlace(t, dice.IntN(2) == 0)
	return &troubled{place: p, Clock: p.clock, t: t}
}

func (w *troubled) Client(pause func(time.Duration)) board.Backend {
	return w.open(w.t, func(o *ghproject.Options) {
		o.Pause = func(context.Context) error { pause(time.Second); return nil }
		o.Spread = func(d time.Duration) time.Duration { return d / 2 }
	})
}

// Rival overwrites the field, as the write of a claim does that was under way.
func (w *troubled) Rival(ref board.Ref, session string) {
	w.field(refNumber(w.t, ref), fmt.Sprintf("dev:%s@%s", session, w.Now().UTC().Format("2006-01-02T15:04Z")))
}

func (w *troubled) Seed(n board.NewIssue) board.Ref { return w.seed(w.t, n) }

// lost are failures that leave a write done or undone, nobody knows; limits are
// those after which GitHub is left alone for a while.
var (
	lost   = []fake.FaultKind{fake.FaultHangUp, fake.FaultLost, fake.FaultBadGate, fake.FaultLateGate, fake.FaultCut, fake.FaultInternal, fake.FaultEmpty, fake.FaultVoid}
	limits = []fake.FaultKind{fake.FaultRateLimited, fake.FaultRateLimit, fake.FaultSecondary, fake.FaultBare, fake.FaultInBody, fake.FaultAbuse, fake.FaultPrimary}
)

func (w *troubled) Trouble(c *histories.Chance) {
	w.server.Inject(fake.Fault{Choose: func(r fake.Request) fake.FaultKind {
		if !c.Strikes() {
			return fake.FaultNone
		}
		switch n := c.IntN(20); {
		case n == 0:
			return limits[c.IntN(len(limits))]
		case n == 2 || n == 3:
			return fake.FaultExpired
		case n < 10 && !r.Write:
			return fake.FaultStale
		}
		return lost[c.IntN(len(lost))]
	}})
}

func (w *troubled) Mend() { w.server.Mend() }

func (w *troubled) Requests() int { return len(w.server.Requests()) }

// Rows reads the project and the repository as their own pages show them.
func (w *troubled) Rows() (rows []histories.Row) {
	w.server.Project(w.project, func(p *fake.Project) {
		for _, i := range p.Items {
			row := histories.Row{Ref: board.Ref(fmt.Sprintf("#%d", i.Issue)), Role: boardtest.RoleNamed(p.Column(i))}
			if i.Claimed != nil {
				row.Claims = []string{*i.Claimed}
				if *i.Claimed == "question:-" && row.Role == board.RoleInProgress {
					row.Role = board.RoleQuestion
				}
			}
			for _, m := range i.Moves {
				row.Moves = append(row.Moves, boardtest.RoleNamed(m.To))
			}
			rows = append(rows, row)
		}
	})
	w.server.With("acme/widgets", func(r *fake.Repo) {
		for n := range rows {
			i := r.Issue(refNumber(w.t, rows[n].Ref))
			if closed := rows[n].Role == board.RoleDone; i.Closed != closed || len(i.Assignees) > 0 {
				rows[n].Held = fmt.Sprintf("closed %v, assigned to %v", i.Closed, i.Assignees)
			}
			for _, c := range i.Comments {
				rows[n].Comments = append(rows[n].Comments, c.Body)
			}
		}
	})
	return rows
}

func (w *troubled) Say(ref board.Ref, text string) { w.say(refNumber(w.t, ref), "olive", text) }

func (w *troubled) Move(ref board.Ref, to board.Role) { w.column(refNumber(w.t, ref), to) }

func (w *troubled) Write(ref board.Ref, text string) {
	w.server.With("acme/widgets", func(r *fake.Repo) {
		i := r.Issue(refNumber(w.t, ref))
		i.Body, i.Updated = i.Body+text, w.Now()
	})
}

func (w *troubled) Opened(p *board.PullRequest) {
	w.server.With("acme/widgets", func(r *fake.Repo) {
		there := &fake.Pull{Number: p.Number, Author: p.Author, Head: p.Head, Base: p.Base, Created: p.CreatedAt}
		for _, ref := range p.Issues {
			there.Closes = append(there.Closes, refNumber(w.t, ref))
		}
		r.Open(there)
	})
}

// Merged: GitHub closes the issues that it names, and the project's own
// workflow moves them.
func (w *troubled) Merged(p *board.PullRequest) {
	w.server.With("acme/widgets", func(r *fake.Repo) {
		if there := r.Pull(p.Number); there != nil {
			there.State, there.Merged = "closed", w.Now()
		}
	})
	for _, ref := range p.Issues {
		w.server.Close("acme/widgets", refNumber(w.t, ref))
	}
}
