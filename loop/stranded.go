package loop

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Life tells whether the worker that a claim names still lives on this machine.
type Life interface {
	Lives(c board.Claim) bool
}

// lives marks the rows whose stale claim still shows a sign of life (design.md,
// section 6): those are nobody's to take.
func (f *firing) lives(rows []board.Issue) map[board.Ref]bool {
	out := map[board.Ref]bool{}
	for i := range rows {
		if f.showsLife(&rows[i]) {
			out[rows[i].Ref] = true
		}
	}
	return out
}

// showsLife says whether the claim of a row is stale and its worker lives all
// the same, as far as can be told.
func (f *firing) showsLife(row *board.Issue) bool {
	c := row.Claim
	if c == nil || !c.Stale(f.facts.Now, f.facts.Settings.StaleWindow) {
		return false
	}
	return f.e.d.Life.Lives(*c) || !f.standsStill(row.Ref, c) || plan.SignOfLife(&f.facts, row)
}

// stranded takes over or lets go the rows that another session left behind,
// over the whole project (dispatcher-system.md, One firing 7).
func (f *firing) stranded(ctx context.Context) error {
	if f.e.modeNow() != state.ModeRunning {
		return nil
	}
	f.refresh()
	found := plan.Strays(&f.facts)
	for _, d := range found.Let {
		if err := f.letGo(ctx, d); err != nil {
			f.say(d.Ref, true, "let %s go: %v", d.Ref, err)
		}
	}
	for i := range found.Review {
		if err := f.takeOver(ctx, found.Review[i]); err != nil {
			f.say(found.Review[i].Ref, true, "take over the review of %s: %v", found.Review[i].Ref, err)
		}
	}
	return nil
}

// letGo releases a stranded row. The session goes along: a claim that somebody
// has taken since is left alone.
func (f *firing) letGo(ctx context.Context, d state.Decision) error {
	if d.Op == state.OpNotice {
		f.tellLeft(d)
		return nil
	}
	issue, err := f.e.d.Board.Issue(ctx, d.Ref)
	if err != nil {
		return err
	}
	f.refresh()
	if c := issue.Claim; c == nil || issue.Role != d.From || c.Session != d.Text || !c.Stale(f.facts.Now, f.facts.Settings.StaleWindow) || f.showsLife(&issue) {
		f.skip(d.Ref) // it showed a sign of life since the poll
		return nil
	}
	_, claims := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	if err := claims.Release(ctx, d.Ref, d.Text); err != nil {
		f.skip(d.Ref) // it is not let go, and nothing else is told of it
		return err
	}
	return nil
}

// tellLeft tells of a row that was left behind: once, while its claim stands as
// it does.
func (f *firing) tellLeft(d state.Decision) {
	s, seen := f.e.sightings[d.Ref]
	if f.facts.Skip[d.Ref] || s.left {
		return
	}
	if seen {
		s.left = true
		f.e.sightings[d.Ref] = s
	}
	f.notify(d.Ref, d.Text)
}

// takeOver starts a stranded review, if a reviewer is free.
func (f *firing) takeOver(ctx context.Context, row board.Issue) error {
	f.refresh()
	if !f.facts.Free(board.KindReviewer) || f.facts.Skip[row.Ref] {
		return nil
	}
	j := plan.Judge(&f.facts, &row)
	if j.Hold != "" || j.Kind != board.KindReviewer {
		return nil
	}
	return f.dispatch(ctx, state.Dispatch{Issue: row, Kind: j.Kind, Agent: j.Agent, PR: j.PR, Why: "stranded review"})
}

// tookOver says aloud that a stale claim was taken over.
func (f *firing) tookOver(before *board.Claim, ref board.Ref) {
	if before == nil {
		return
	}
	f.notify(ref, fmt.Sprintf("%s: took over the stale claim of the %s in session %s, %dm old",
		ref, before.Kind, before.Session, before.Age(f.e.o.Now())))
}
