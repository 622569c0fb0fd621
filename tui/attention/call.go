package attention

import (
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// Options is how a person wants to be called.
type Options struct {
	Bell     bool
	Notify   Style
	Tmux     bool // sequences pass through a tmux
	Title    bool
	Progress bool
	Quiet    []Span
	Mute     []Kind
	// Away is how long without a key counts as away; zero is never.
	Away time.Duration
}

// Span is hours of the day in minutes after midnight; one that ends before it
// begins goes over midnight.
type Span struct{ From, To int }

func (s Span) holds(at time.Time) bool {
	m := at.Hour()*60 + at.Minute()
	if s.From <= s.To {
		return s.From <= m && m < s.To
	}
	return m >= s.From || m < s.To
}

// between is how long after a call the next one comes at the earliest.
const between = 5 * time.Second

// Caller turns events into calls, not more than one in five seconds.
type Caller struct {
	opts    Options
	waiting []Event
	last    time.Time
}

// NewCaller answers one that follows these wishes.
func NewCaller(o Options) *Caller { return &Caller{opts: o} }

// Add takes what has come up. What is muted, and what comes in quiet hours, is
// never called out, not even later.
func (c *Caller) Add(now time.Time, events []Event) {
	if slices.ContainsFunc(c.opts.Quiet, func(s Span) bool { return s.holds(now) }) {
		return
	}
	for _, e := range events {
		if !slices.Contains(c.opts.Mute, e.Kind) {
			c.waiting = append(c.waiting, e)
		}
	}
}

// Call answers the sequence that calls for the owner now, empty for none. An
// owner who looks at the room is not sent a notification too.
func (c *Caller) Call(now time.Time, looking bool) string {
	if len(c.waiting) == 0 || (!c.last.IsZero() && now.Sub(c.last) < between) {
		return ""
	}
	text := c.waiting[0].Text
	if n := len(c.waiting); n > 1 {
		text = fmt.Sprintf("%d things need you; %s", n, text)
	}
	c.waiting, c.last = nil, now
	out := ""
	if !looking {
		out = notification(c.opts.Notify, c.opts.Tmux, widget.Cut(text, maxText))
	}
	if c.opts.Bell {
		out += "\a"
	}
	return out
}
