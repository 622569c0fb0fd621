package attention

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Absence is a time without a key, and what happened in it.
type Absence struct {
	From, To time.Time
	Text     string // 2 finished, 1 question, 1 gave up, $3.10
}

// Line is the absence as a person reads it.
func (a *Absence) Line() string {
	const clock = "15:04"
	return "away " + a.From.Format(clock) + " to " + a.To.Format(clock) + ": " + a.Text
}

// Away keeps count while nobody touches a key.
type Away struct {
	after time.Duration
	since time.Time // of the last key
	cost  float64   // of the day, then
	now   float64
	count map[Kind]int
}

// NewAway counts from start on; after is how long counts as away, zero never.
func NewAway(after time.Duration, start time.Time) *Away {
	return &Away{after: after, since: start, count: map[Kind]int{}}
}

// Add takes what has come up, and the picture it came with.
func (a *Away) Add(events []Event, s *state.Snapshot, first bool) {
	for _, e := range events {
		a.count[e.Kind]++
	}
	a.now = s.CostToday
	if first || a.now < a.cost { // another day began
		a.cost = 0
		if first {
			a.cost = a.now
		}
	}
}

// Gone says whether the owner counts as away, and since when.
func (a *Away) Gone(now time.Time) (since time.Time, gone bool) {
	return a.since, a.after > 0 && now.Sub(a.since) >= a.after
}

// Meanwhile is what has happened so far to an owner who is away; empty while
// they are here, or nothing has.
func (a *Away) Meanwhile(now time.Time) string {
	since, gone := a.Gone(now)
	text := a.text()
	if !gone || text == nothing {
		return ""
	}
	return "away since " + since.Format("15:04") + ": " + text
}

// Key notes that a key was pressed, and answers the absence that it ends.
func (a *Away) Key(now time.Time) (Absence, bool) {
	_, gone := a.Gone(now)
	out := Absence{From: a.since, To: now, Text: a.text()}
	a.since, a.cost = now, a.now
	clear(a.count)
	return out, gone
}

// nothing is said of an absence in which nothing came up.
const nothing = "nothing happened that needs you"

func (a *Away) text() string {
	var parts []string
	for _, p := range []struct {
		kind      Kind
		one, many string
	}{
		{Finished, "finished", "finished"},
		{Permission, "asked for permission", "asked for permission"},
		{Question, "question", "questions"},
		{GaveUp, "gave up", "gave up"},
		{Limit, "limit reached", "limits reached"},
	} {
		if n := a.count[p.kind]; n > 0 {
			parts = append(parts, widget.Count(n, p.one, p.many))
		}
	}
	if spent := a.now - a.cost; spent >= 0.005 {
		parts = append(parts, widget.Money(spent))
	}
	if len(parts) == 0 {
		return nothing
	}
	return strings.Join(parts, ", ")
}
