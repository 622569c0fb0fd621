package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// together is what was asked for of several rows at once: when the last of them
// is answered, one sentence says how it went. Only Update writes it.
type together struct {
	command state.Command // the first of them
	of, did int
	undo    bool     // z takes them back
	refused []string // why not, or why maybe not, each with its row
}

// sendAll sends commands. Several rows are answered for together.
func (m *Model) sendAll(cs []state.Command) []tea.Cmd {
	var with *together
	if len(cs) > 1 {
		with = &together{command: cs[0], of: len(cs)}
	}
	out := make([]tea.Cmd, 0, len(cs))
	for _, c := range cs {
		send := m.send(c)
		out = append(out, func() tea.Msg {
			msg := send()
			if sent, ok := msg.(sentMsg); ok {
				sent.with = with
				return sent
			}
			return msg
		})
	}
	return out
}

// onSentWith counts one answer of several, and speaks once all are there.
func (m *Model) onSentWith(msg *sentMsg) {
	w := msg.with
	switch {
	case msg.err != nil:
		w.refused = append(w.refused, withRef(&msg.command, refusal(msg.err)))
	case msg.done.Pending:
		w.refused = append(w.refused, withRef(&msg.command, widget.Clean(msg.done.Text)))
	default:
		w.did++
		w.undo = w.undo || msg.done.Undo != 0
	}
	if w.did+len(w.refused) < w.of {
		return
	}
	if len(w.refused) > 0 {
		text := fmt.Sprintf("%s, %d not: %s", wordedMany(&w.command, w.did), len(w.refused), w.refused[0])
		if n := len(w.refused) - 1; n > 0 {
			text += fmt.Sprintf("; and %d more", n)
		}
		m.insist(text)
		return
	}
	text := wordedMany(&w.command, w.did)
	if w.undo {
		text += " · " + m.keys.Key("undo") + " takes them back, one at a time"
	}
	m.say(themes.ToneGood, text)
}

// withRef is what is said of a command, with what that is about before it, once.
func withRef(c *state.Command, text string) string {
	if of := widget.Clean(c.About()); of != "" && !c.NamedIn(text) {
		return of + ": " + text
	}
	return text
}
