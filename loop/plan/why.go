package plan

import (
	"fmt"

	"github.com/backside4charter/dispatcher/board"
)

// Answer is what one rule says of one row.
type Answer struct {
	Ask    string `json:"ask"`    // the question
	Source string `json:"source"` // the rule's place in the specification
	Held   bool   `json:"held"`   // it holds the row; nothing after it was asked
	Says   string `json:"says"`   // why, or what it found
}

// Explain asks every rule about one row, in order, up to the one that holds it,
// and says at last where an eligible row stands (design.md, section 11, why).
func Explain(f *Facts, i *board.Issue) []Answer {
	x := newIndex(f)
	pr := x.pull(i)
	var out []Answer
	for _, r := range rules {
		j, held := r.judge(x, i, pr)
		a := Answer{Ask: r.ask, Source: r.source, Held: held, Says: "yes"}
		if held {
			a.Says = orElse(j.Waits, heldWord(j.Hold))
		}
		out = append(out, a)
		if held {
			return out
		}
	}
	j := queue(x, i, pr)
	last := Answer{Ask: "which queue is it in?", Source: "dispatcher-system.md, Eligibility 6", Held: j.Hold != "", Says: j.Waits}
	if j.Hold != "" {
		return append(out, last)
	}
	if rest, held := ruleTouched(f, i); held {
		last.Held, last.Says = true, rest.Waits
		return append(out, last)
	}
	last.Says = queueName(&j)
	if bar := f.Bar(j.Kind, j.Agent); bar.Why != "" {
		last.Says += "; it waits: " + bar.Why
		return append(out, last)
	}
	if f.liveAll() >= f.Settings.Caps.Total || f.live(j.Kind) >= f.Settings.Caps.Of(j.Kind) {
		last.Says += fmt.Sprintf("; it waits for a free %s (%d of %d busy)", j.Kind, f.live(j.Kind), f.Settings.Caps.Of(j.Kind))
	}
	return append(out, last)
}

// heldWord says in words what a reason without words means.
func heldWord(hold string) string {
	switch hold {
	case HoldWorked:
		return "it is being worked"
	case HoldClosed:
		return "it is done"
	}
	return hold
}
