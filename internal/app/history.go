package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/loop/state"
)

// sameMoment is how far the time of a run may lie from the loop's word on it.
const sameMoment = 30 * time.Second

// history is what the board, the loop and the runs have written down of an
// issue, and how to resume its last session.
func (r *reader) history(ctx context.Context, ref board.Ref, snap *state.Snapshot) (out []state.Entry, resume string, err error) {
	out, err = r.boardHistory(ctx, ref)
	if err != nil {
		return nil, "", err
	}
	if snap != nil {
		for _, e := range snap.Log {
			if e.Ref == ref {
				out = append(out, e)
			}
		}
	}
	runs, err := r.f.ListRuns(ctx)
	if err != nil {
		return nil, "", err
	}
	for i := range runs {
		run := &runs[i]
		if run.Ref != ref {
			continue
		}
		if resume == "" && run.Session != "" && run.Agent == "claude" {
			resume = "claude --resume " + run.Session
		}
		out = append(out, runHistory(run, out)...)
	}
	slices.SortStableFunc(out, func(a, b state.Entry) int { return a.At.Compare(b.At) })
	return out[max(0, len(out)-maxHistory):], resume, nil
}

// runHistory is how a run began and ended, as far as the loop's own log does not
// tell it: that ends with the loop's process.
func runHistory(run *RunInfo, told []state.Entry) []state.Entry {
	name := fmt.Sprintf("%s try %d", run.Kind, max(run.Try, 1))
	tells := func(prefix string, at time.Time) bool {
		return slices.ContainsFunc(told, func(e state.Entry) bool {
			return strings.HasPrefix(e.Text, prefix) && e.At.Sub(at).Abs() < sameMoment
		})
	}
	var out []state.Entry
	if !run.Started.IsZero() && !tells(name+" started", run.Started) {
		out = append(out, state.Entry{At: run.Started, Ref: run.Ref, Text: name + " started"})
	}
	if !run.Ended.IsZero() && !tells(name+": ", run.Ended) {
		text := name + " ended: " + run.Outcome
		if run.CostUSD > 0 {
			text += fmt.Sprintf(", $%.2f", run.CostUSD)
		}
		out = append(out, state.Entry{At: run.Ended, Ref: run.Ref, Text: text})
	}
	return out
}

// boardHistory is what the native board's event log holds of an issue, read on
// from where it was read last. Other boards keep their history on their own
// pages.
func (r *reader) boardHistory(ctx context.Context, ref board.Ref) ([]state.Entry, error) {
	if _, err := r.f.Board(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f.boardEvents == nil {
		return nil, nil
	}
	events, next, err := r.f.boardEvents(r.eventsAt)
	if err != nil {
		return nil, err
	}
	r.eventsAt = next
	names := r.stateNames(ctx)
	for i := range events {
		e := &events[i]
		list := append(slices.Clip(r.histories[e.Ref]), state.Entry{At: e.At, Ref: e.Ref, Text: eventText(e, names)})
		r.histories[e.Ref] = list[max(0, len(list)-maxHistory):]
	}
	return slices.Clone(r.histories[ref]), nil
}

// stateNames are the board's columns by the id that its events have.
func (r *reader) stateNames(ctx context.Context) map[string]string {
	out := map[string]string{}
	p, err := r.f.Board(ctx)
	if err != nil {
		return out
	}
	states, _ := p.States(ctx) // without them an event names the id
	for _, s := range states {
		out[s.ID] = s.Name
	}
	return out
}

// eventText is a board's event in words.
func eventText(e *native.Event, states map[string]string) string {
	who := cmp.Or(e.Name, string(e.Actor))
	field := func(name string) string {
		s, _ := e.Fields[name].(string)
		return s
	}
	column := func(name string) string { return cmp.Or(states[field(name)], field(name)) }
	of := func(verb, name string) string {
		if s := field(name); s != "" {
			return who + " " + verb + " " + s
		}
		return who + " " + verb
	}
	switch e.Type {
	case "state":
		return fmt.Sprintf("%s → %s, by %s", column("from"), column("to"), who)
	case "claim":
		return of("claimed it for a", "kind")
	case "assign":
		return of("passed it on to the", "to")
	case "tick":
		n, _ := e.Fields["n"].(float64)
		if set, ok := e.Fields["set"].(bool); ok && !set {
			return fmt.Sprintf("%s cleared box %d", who, int(n))
		}
		return fmt.Sprintf("%s ticked box %d", who, int(n))
	case "link":
		return of("linked", "pr")
	case "label", "block":
		what := map[string]string{"label": "the label", "block": "the blocker"}[e.Type]
		if s := field("removed"); s != "" {
			return who + " took " + what + " " + s + " away"
		}
		return of("put on "+what, "added")
	}
	return who + " " + cmp.Or(eventVerbs[e.Type], e.Type)
}

// eventVerbs are the events whose fields say nothing to a person.
var eventVerbs = map[string]string{
	"created": "created it", "release": "released it", "comment": "commented", "uncomment": "took a comment back",
	"edit": "edited it", "place": "moved it within its column", "imported": "imported it", "hand-edit": "edited its file",
}
