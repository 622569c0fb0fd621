package loop

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// graces are the rows that the owner has just touched. The owner goroutine
// writes them and firings read them; nothing of it lasts.
type graces struct {
	mu   sync.Mutex
	rows map[board.Ref]plan.Touch
}

// at are the graces that still hold.
func (g *graces) at(now time.Time) map[board.Ref]plan.Touch {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.rows, func(_ board.Ref, t plan.Touch) bool { return !t.Until.After(now) })
	return maps.Clone(g.rows)
}

func (g *graces) set(ref board.Ref, t plan.Touch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rows == nil {
		g.rows = map[board.Ref]plan.Touch{}
	}
	g.rows[ref] = t
}

// end lets the loop at some rows again, or at all of them.
func (g *graces) end(refs ...board.Ref) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(refs) == 0 {
		g.rows = nil
	}
	for _, ref := range refs {
		delete(g.rows, ref)
	}
}

// touch leaves a row alone for state.Grace from now, and wakes the loop for it
// when that is over.
func (e *Engine) touch(ref board.Ref, did string) {
	if ref == "" {
		return
	}
	t := plan.Touch{Did: did, Until: e.o.Now().Add(state.Grace)}
	e.graces.set(ref, t)
	e.dirty = true
	e.tickGraces()
	e.after(state.Grace, func() {
		e.post(func(ctx context.Context) { e.graceOver(ctx, ref, t) })
	})
}

// graceOver wakes the loop for a row whose grace has run out, unless the owner
// has touched it again or ended the grace.
func (e *Engine) graceOver(ctx context.Context, ref board.Ref, t plan.Touch) {
	if e.rested(ref, t) {
		e.wake(ctx, "your ten seconds on "+string(ref)+" are over")
	}
}

// rested takes a grace away if it is still the one that was set then.
func (e *Engine) rested(ref board.Ref, t plan.Touch) bool {
	g := &e.graces
	g.mu.Lock()
	defer g.mu.Unlock()
	now, there := g.rows[ref]
	if there && now == t {
		delete(g.rows, ref)
		return true
	}
	// Whoever read the rows at this very moment has let it go already.
	return !there && !t.Until.After(e.o.Now())
}

// tickGraces counts the seconds of a grace down on the screen.
func (e *Engine) tickGraces() {
	if e.ticking {
		return
	}
	e.ticking = true
	e.after(time.Second, func() {
		e.post(func(context.Context) {
			e.ticking, e.dirty = false, true
			if len(e.graces.at(e.o.Now())) > 0 {
				e.tickGraces()
			}
		})
	})
}

// shownRows are the rows of the last firing, with what is left of each grace.
func (e *Engine) shownRows() []state.Row {
	now := e.o.Now()
	held := e.graces.at(now)
	if len(held) == 0 {
		return e.rows
	}
	rows := slices.Clone(e.rows)
	for i := range rows {
		if t, ok := held[rows[i].Issue.Ref]; ok && rows[i].Hold == plan.HoldTouched {
			rows[i].Waits = t.Waits(now)
		}
	}
	return rows
}

// rests says whether the owner's hand is on a row, so that a firing leaves it
// alone.
func (f *firing) rests(ref board.Ref) bool {
	t, ok := f.e.graces.at(f.e.o.Now())[ref]
	return ok && t.Did != ""
}
