package workers

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// notLive says why nothing can be said to a worker; empty if it can.
func notLive(w *state.Worker) string {
	switch {
	case w == nil:
		return "no worker is selected"
	case w.Outcome != "" || !w.Run.Alive():
		return "the " + widget.Clean(string(w.Run.Kind)) + " on " + widget.Clean(string(w.Run.Ref)) + " does not run any more"
	case w.TakenOver:
		return "you have its session: say it there"
	}
	return ""
}

// Steer asks for a word to a worker.
func Steer(w *state.Worker) pane.Reply {
	if why := notLive(w); why != "" {
		return pane.Not(why)
	}
	run, ref, kind := w.Run.ID, w.Run.Ref, widget.Clean(string(w.Run.Kind))
	name := widget.Clean(string(ref))
	hint := "it reads this when the tool that runs is done; i interrupts it at once"
	if w.Waiting {
		hint = "it stands still: this is its next word"
	}
	r := pane.Done()
	r.Field = &pane.Field{
		ID: drafts.ID(drafts.Steer, run), Name: "Say to the " + kind + " on " + name,
		Empty: "an empty word is not sent; esc leaves the field",
		Hints: func(string) []string { return []string{hint} },
		Send: func(text string) pane.Reply {
			return pane.Reply{
				Handled: true, Say: "sent to the " + kind + " on " + name, Tone: themes.ToneAlive,
				Send: []state.Command{{Kind: state.CommandSteer, Ref: ref, Run: run, Text: strings.TrimSpace(text)}},
			}
		},
		Gone: func(s *state.Snapshot) string {
			if now := present.WorkerByRun(s, run); now == nil || now.Outcome != "" || !now.Run.Alive() {
				return "the " + kind + " on " + name + " has ended; your text is kept"
			}
			return ""
		},
	}
	return r
}

// Interrupt ends a worker's turn.
func Interrupt(w *state.Worker) pane.Reply {
	if why := notLive(w); why != "" {
		return pane.Not(why)
	}
	name := widget.Clean(string(w.Run.Ref))
	if w.Waiting {
		return pane.Not(name + " stands still already: s gives it a word, x stops it")
	}
	return pane.Reply{
		Handled: true, Tone: themes.ToneWarn, Say: "interrupting " + name + ": it stands still until s gives it a word or x stops it",
		Send: []state.Command{{Kind: state.CommandInterrupt, Ref: w.Run.Ref, Run: w.Run.ID}},
	}
}

// receipt says what became of a message: `sent · read 14:17`.
func receipt(w *state.Worker, msg *state.Message, zone *time.Location) string {
	switch msg.State {
	case state.MessageRead:
		if msg.ReadAt.IsZero() {
			return "read"
		}
		return "sent " + msg.At.In(zone).Format("15:04") + " · read " + msg.ReadAt.In(zone).Format("15:04")
	case state.MessageFailed:
		return "not read: the run ended before"
	case state.MessageSent:
	}
	if w.Waiting {
		return "sent"
	}
	return "sent · waits for the tool"
}

// receiptOf is the receipt of a line that the owner said; empty for any other.
func receiptOf(w *state.Worker, line state.Line, zone *time.Location) string {
	for i := len(w.Messages) - 1; i >= 0; i-- {
		if m := &w.Messages[i]; m.State == state.MessageRead && strings.TrimSpace(m.Text) == strings.TrimSpace(line.Text) {
			return receipt(w, m, zone)
		}
	}
	return ""
}

// pinned is what stands below the stream whatever part of it is shown: what the
// worker asks, what was said to it and not read, how it ended.
func (m *Model) pinned(w *state.Worker, width int, now time.Time) []string {
	var out []string
	if line := asks(m.snap, w, width, now, m.st); line != "" {
		out = append(out, line)
	}
	for i := range w.Messages {
		msg := &w.Messages[i]
		if msg.State == state.MessageRead || (msg.State == state.MessageFailed && w.Outcome == "") {
			continue
		}
		ink := m.st.Accent
		if msg.State == state.MessageFailed {
			ink = m.st.Danger
		}
		left := widget.Line{}.Add(ink, "you   ").Add(m.st.Text, widget.Clean(msg.Text))
		out = append(out, widget.Sides(left, widget.Line{}.Add(m.st.Muted, receipt(w, msg, m.zone)), width, false, m.st))
	}
	if foot := ended(w, width, now, m.st); foot != "" {
		out = append(out, foot)
	}
	_, h := m.room()
	if most := max(h/3, 1); len(out) > most {
		out = out[len(out)-most:]
	}
	if f := m.fieldLines(width, h); len(f) > 0 {
		out = append(out, f...)
	}
	return out
}

// Host draws the open field below the transcript of the worker it is for.
func (m *Model) Host(f *pane.Open) bool {
	m.open = nil
	if f == nil || m.grid || f.ID != drafts.ID(drafts.Steer, m.run) {
		return false
	}
	m.open = f
	m.inside = true
	return true
}

// fieldLines is the open field with its heading and what sending does.
func (m *Model) fieldLines(width, h int) []string {
	if m.open == nil || h < 5 {
		return nil
	}
	fh := max(1, min(4, h/4))
	m.open.Input.SetSize(width, fh)
	out := []string{widget.Divider(widget.Clean(m.open.Name), width, m.st)}
	out = append(out, m.open.Input.View(m.st)...)
	if m.open.Hints != nil {
		out = append(out, widget.Notes(m.open.Hints(m.open.Input.Value()), width, h, m.st.Muted, m.st)...)
	}
	return out
}
