package plan

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Touch is the owner's hand on a row: for a short while after it the loop
// leaves the row alone, so that what was done can be taken back (screens.md,
// Focus and modes).
type Touch struct {
	Did   string // what the owner did, as in "you just moved it"
	Until time.Time
}

// Waits is the reason that a touched row shows.
func (t Touch) Waits(now time.Time) string {
	left := max(t.Until.Sub(now), 0)
	left = (left + time.Second - 1).Truncate(time.Second)
	return fmt.Sprintf("you just %s it; %d:%02d", t.Did, int(left/time.Minute), int(left%time.Minute/time.Second))
}

// Rests says whether the owner's hand is on a row.
func (f *Facts) Rests(ref board.Ref) bool {
	t, ok := f.Touched[ref]
	return ok && t.Until.After(f.Now)
}

// ruleTouched comes after all others: a row that could not be worked anyway
// says that.
func ruleTouched(f *Facts, i *board.Issue) (Judgement, bool) {
	if !f.Rests(i.Ref) {
		return Judgement{}, false
	}
	return hold(HoldTouched, "%s", f.Touched[i.Ref].Waits(f.Now)), true
}
