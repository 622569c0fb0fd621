package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// What clocks may differ by. A lease of another machine that has just run out
// by our clock may have minutes left by its holder's, who renews it meanwhile:
// it counts as run out when its stamp has stood still for as long as a renewal
// takes, or when it is overdue beyond any difference that clocks have
// (failures.md, 19).
const (
	clockSlack = 2 * time.Minute // a stamp this far ahead is nothing to tell of
	// clockTolerance is how far a lease must be overdue to be taken at its word.
	clockTolerance = board.ClockTolerance
)

// sighting is when this loop first saw another session's claim with its
// present stamp, by its own clock alone.
type sighting struct {
	session string
	stamp   time.Time
	at      time.Time
	told    bool // that the stamp lies in the future
	left    bool // that the row was left behind
}

// sight notes which claims of other sessions are seen with which stamps, and
// lets those go that a clock far ahead has stamped and nobody has renewed for a
// whole stale window: a stamp in the future is not fresh for ever (design.md,
// section 6).
func (f *firing) sight(ctx context.Context, rows []board.Issue) {
	seen := map[board.Ref]sighting{}
	for i := range rows {
		c := rows[i].Claim
		if c == nil {
			continue
		}
		if r, ours := f.runOn(rows[i].Ref); ours && r.Session == c.Session {
			continue
		}
		s, known := f.e.sightings[rows[i].Ref]
		if !known || s.session != c.Session || !s.stamp.Equal(c.Stamp) {
			s = sighting{session: c.Session, stamp: c.Stamp, at: f.facts.Now}
		}
		if ahead := c.Stamp.Sub(f.facts.Now); ahead > clockSlack && !f.e.d.Life.Lives(*c) {
			s = f.fromTheFuture(ctx, rows[i].Ref, *c, s, ahead)
		}
		seen[rows[i].Ref] = s
	}
	f.e.sightings = seen
}

// fromTheFuture tells of a claim that is stamped in the future, once, and
// lets it go when it has stood still for a stale window. The session goes
// along: a claim that somebody has taken since is left alone, and so is one that
// only another account can take back.
func (f *firing) fromTheFuture(ctx context.Context, ref board.Ref, c board.Claim, s sighting, ahead time.Duration) sighting {
	if !s.told {
		s.told = true
		f.notify(ref, fmt.Sprintf("%s: the claim of session %s is stamped %d minutes in the future; the clocks of this machine and of %s differ",
			ref, c.Session, int(ahead/time.Minute), firstOf(c.Host, "its holder")))
	}
	if f.facts.Now.Sub(s.at) < f.facts.Settings.StaleWindow || c.Account != "" {
		return s
	}
	_, claims := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	if err := claims.Release(ctx, ref, c.Session); err != nil {
		f.say(ref, true, "let the claim on %s go: %v", ref, err)
		return s
	}
	f.notify(ref, fmt.Sprintf("%s: the claim of session %s was let go: stamped in the future, and not renewed for %s", ref, c.Session, f.facts.Settings.StaleWindow))
	return s
}

// standsStill says whether a lease that has run out by our clock has run out
// by its holder's, too.
func (f *firing) standsStill(ref board.Ref, c *board.Claim) bool {
	if c.LeaseUntil.IsZero() || c.Host == "" || c.Host == f.e.o.Host || f.facts.Now.Sub(c.LeaseUntil) > clockTolerance {
		return true
	}
	s, ok := f.e.sightings[ref]
	return ok && f.facts.Now.Sub(s.at) >= f.e.o.RestampAfter+2*f.e.o.HeartEvery
}
