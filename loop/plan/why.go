package plan

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Answer is what one rule says of one row.
type Answer struct {
	Ask    string `json:"ask"`    // the question
	Source string `json:"source"` // the part of our documents that tells more
	Held   bool   `json:"held"`   // it holds the row; nothing after it was asked
	Says   string `json:"says"`   // why, or what it found
}

// Where docs/state-machine.md tells more. The specification's own places stand
// with the rules: whoever asks why does not have it.
const (
	sourceReasons = "docs/state-machine.md, Why a row waits: "
	sourceQueue   = "docs/state-machine.md, A row's queue"
	sourcePulls   = "docs/state-machine.md, Pull requests behind main, and in conflict"
)

// Explain asks every rule about one row, in order, up to the one that holds it,
// and says at last where an eligible row stands (design.md, section 11, why).
func Explain(f *Facts, i *board.Issue) []Answer {
	x := newIndex(f)
	pr := x.pull(i)
	var out []Answer
	for _, r := range rules {
		j, held := r.judge(x, i, pr)
		a := Answer{Ask: r.ask, Source: sourceReasons + strings.Join(r.may, ", "), Held: held, Says: "yes"}
		if held {
			a.Says, a.Source = orElse(j.Waits, heldWord(j.Hold)), sourceReasons+j.Hold
		}
		out = append(out, a)
		if held {
			return out
		}
	}
	j := queue(x, i, pr)
	last := Answer{Ask: "which queue is it in?", Source: sourceQueue, Held: j.Hold != "", Says: j.Waits}
	if j.Hold != "" {
		last.Source = sourceReasons + j.Hold
		return append(out, last)
	}
	if rest, held := ruleTouched(f, i); held {
		last.Held, last.Says, last.Source = true, rest.Waits, sourceReasons+rest.Hold
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
