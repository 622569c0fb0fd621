package linear_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/boardtest/histories"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

var historyFlags = histories.Define("linear")

// TestHistories plays the loop on the fake, over HTTP, while requests fail,
// workers fail, the loop dies and its owner works on Linear's own pages. When
// the trouble is over everything has to come to an end.
func TestHistories(t *testing.T) {
	t.Parallel()
	historyFlags.Play(t, histories.Game{New: newTroubled, Rates: []float64{0.02, 0.08, 0.2}, Steady: 1})
}

// troubled is a workspace in which a history is played.
type troubled struct {
	*place
	*boardtest.Clock

	t      *testing.T
	folder string // of the checkout's state
	dana   string // another account of the workspace
}

func newTroubled(t *testing.T, dice *rand.Rand) histories.World {
	t.Helper()
	flip := func() bool { return dice.IntN(2) == 0 }
	p := newPlace(t, fake.Options{KeepsAssignee: flip(), QuietComments: flip(), OldestFirst: flip(), NoGitHub: flip()}, fake.Setup{Labels: []string{"UI"}})
	dana := p.world.AddUser(fake.User{Name: "dana", DisplayName: "dana"})
	return &troubled{place: p, Clock: p.clock, t: t, folder: filepath.Join(t.TempDir(), "state"), dana: dana}
}

func (w *troubled) Client(pause func(time.Duration)) board.Backend {
	return w.open(w.t, func(o *linear.Options) {
		o.StateDir = w.folder
		o.Pause = func(_ context.Context, d time.Duration) error { pause(d); return nil }
	})
}

// Rival is another checkout with the same key, whose comment Linear has received
// before ours.
func (w *troubled) Rival(ref board.Ref, session string) {
	claim := board.Claim{Kind: board.KindDeveloper, Session: session, Stamp: w.Now().Truncate(time.Minute)}
	if err := w.world.AddComment(string(ref), fake.Comment{Body: claim.Text(), User: w.made.Owner}); err != nil {
		w.t.Error(err)
	}
	_ = w.world.Change(func(d *fake.Data) {
		theirs := d.Comments[len(d.Comments)-1]
		for _, c := range d.Comments {
			if _, ok := board.ParseClaimText(c.Body); ok && c.Issue == theirs.Issue && !c.Created.After(theirs.Created) {
				theirs.Created = c.Created.Add(-time.Millisecond)
			}
		}
	})
}

func (w *troubled) Seed(n board.NewIssue) board.Ref { return w.seed(w.t, n) }

// Trouble lets requests fail, and leaves behind what another account claimed:
// in the past, just now, or in a year that is far ahead.
func (w *troubled) Trouble(c *histories.Chance) {
	for n, row := range w.Rows() {
		if ages := []time.Duration{2 * time.Hour, time.Minute, -1000 * time.Hour}; c.IntN(4) == 0 {
			w.claimAs(w.t, w.dana, row.Ref, fmt.Sprintf("dana-%d", n), ages[c.IntN(len(ages))])
		}
	}
	either := []fake.FaultKind{
		fake.FaultDrop, fake.FaultLost, fake.FaultHTML, fake.FaultTruncated, fake.FaultRateLimit, fake.FaultEmpty, fake.FaultVoid,
		fake.FaultInternal, fake.FaultKey, fake.FaultDelay,
	}
	writes := append(either[:len(either):len(either)], fake.FaultRefused, fake.FaultLock)
	reads := append(either[:len(either):len(either)], fake.FaultStale, fake.FaultStale)
	w.world.Inject(fake.Fault{Delay: time.Millisecond, Choose: func(write bool) fake.FaultKind {
		switch {
		case !c.Strikes():
			return fake.FaultNone
		case write:
			return writes[c.IntN(len(writes))]
		}
		return reads[c.IntN(len(reads))]
	}})
}

func (w *troubled) Mend() { w.world.Mend() }

func (w *troubled) Requests() int { return w.world.Counts().Requests }

// Rows reads the workspace as its own pages show it.
func (w *troubled) Rows() (rows []histories.Row) {
	_ = w.world.Change(func(d *fake.Data) {
		states := map[string]board.Role{}
		for _, s := range d.States {
			states[s.ID] = boardtest.RoleNamed(s.Name)
		}
		for _, i := range d.Issues {
			row := histories.Row{Ref: board.Ref(fmt.Sprintf("ACM-%d", i.Number)), Role: states[i.State]}
			if i.Delegate != "" || i.Assignee != "" {
				row.Held = fmt.Sprintf("delegate %q, assignee %q", i.Delegate, i.Assignee)
			}
			for _, e := range d.History {
				if e.Issue == i.ID && e.ToState != "" {
					row.Moves = append(row.Moves, states[e.ToState])
				}
			}
			for _, c := range d.Comments {
				if c.Issue != i.ID {
					continue
				}
				row.Comments = append(row.Comments, c.Body)
				if claim, ok := board.ParseClaimText(c.Body); ok && c.User != w.dana { // hers are not ours to take back
					row.Claims = append(row.Claims, claim.Session)
				}
			}
			rows = append(rows, row)
		}
	})
	return rows
}

func (w *troubled) Say(ref board.Ref, text string) {
	if err := w.world.AddComment(string(ref), fake.Comment{Body: text, User: w.made.Owner}); err != nil {
		w.t.Error(err)
	}
}

func (w *troubled) Move(ref board.Ref, to board.Role) {
	id := w.world.StateID(to.DefaultName())
	w.edit(w.t, ref, func(i *fake.Issue) { i.State = id })
}

func (w *troubled) Write(ref board.Ref, text string) {
	w.edit(w.t, ref, func(i *fake.Issue) { i.Description += text })
}

// Opened tells Linear nothing: it hears of a pull request when it is attached.
func (w *troubled) Opened(*board.PullRequest) {}

func (w *troubled) Merged(p *board.PullRequest) {
	w.world.Merge(fmt.Sprintf("https://dispatcher.invalid/acme/widgets/pull/%d", p.Number))
}
