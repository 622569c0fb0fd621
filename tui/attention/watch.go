package attention

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Kind is what can call for a person.
type Kind string

// The kinds, by the names that a person's settings use.
const (
	Question   Kind = "question"
	Permission Kind = "permission"
	Finished   Kind = "finished" // ready for a person's review
	GaveUp     Kind = "gave-up"
	Limit      Kind = "limit"
)

// Event is one thing that has come up.
type Event struct {
	Kind Kind
	Ref  board.Ref
	Text string // a clean line, the ref in it
}

// remembered is how many things are known not to be new; the oldest are
// forgotten first.
const remembered = 10_000

// Watch tells what is new in a picture. The zero value is ready.
type Watch struct {
	opened bool
	known  map[string]bool
	order  []string
}

// Look answers what has come up since the last picture, in the order in which
// the picture has it; nothing for the first one.
func (w *Watch) Look(s *state.Snapshot) []Event {
	var out []Event
	for i := range s.Needs {
		if e, ok := needEvent(s, &s.Needs[i]); ok && w.learn(needKey(&s.Needs[i])) {
			out = append(out, e)
		}
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Hold != "quota" {
			continue
		}
		text := widget.Clean(strings.TrimPrefix(r.Waits, "quota: "))
		_, until, _ := strings.Cut(text, "until ")
		if w.learn("limit " + until) {
			out = append(out, Event{Limit, "", "a limit is reached: " + text})
		}
	}
	if !w.opened {
		w.opened = true
		return nil
	}
	return out
}

func (w *Watch) learn(key string) bool {
	if w.known[key] {
		return false
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	if len(w.order) == remembered {
		delete(w.known, w.order[0])
		w.order = w.order[1:]
	}
	w.known[key] = true
	w.order = append(w.order, key)
	return true
}

// needKey is the same for the same thing in every picture.
func needKey(n *state.Need) string {
	if n.Request != "" {
		return string(n.Kind) + " " + n.Request
	}
	return string(n.Kind) + " " + string(n.Ref) + " " + n.Since.UTC().Format(time.RFC3339Nano)
}

func needEvent(s *state.Snapshot, n *state.Need) (Event, bool) {
	ref, title := widget.Clean(string(n.Ref)), widget.Clean(n.Title)
	switch n.Kind {
	case state.NeedRequest:
		for i := range s.Requests {
			if r := &s.Requests[i]; r.ID == n.Request && r.Kind == state.RequestPermission {
				return Event{Permission, n.Ref, ref + " asks: " + widget.Clean(r.Tool+" "+r.Summary)}, true
			}
		}
		return Event{Question, n.Ref, ref + " asks: " + firstLine(n.Text, title)}, true
	case state.NeedQuestion:
		return Event{Question, n.Ref, ref + " has a question: " + title}, true
	case state.NeedAttention:
		return Event{GaveUp, n.Ref, ref + " was given up: " + firstLine(n.Text, title)}, true
	case state.NeedReview:
		return Event{Finished, n.Ref, ref + " is ready for your review: " + title}, true
	case state.NeedInterrupted, state.NeedConfirm, state.NeedStale:
		// The owner's own doing, or nothing that is new.
	}
	return Event{}, false
}

func firstLine(text, otherwise string) string {
	if lines := widget.CleanLines(text); len(lines) > 0 {
		return lines[0]
	}
	return otherwise
}
