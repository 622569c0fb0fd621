package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/pane/questions"
	"github.com/backside4charter/dispatcher/tui/present"
)

// needsPane is the questions with their own field.
type needsPane struct {
	*questions.Model
	room *Model
}

func (p needsPane) Act(a keymap.Action) pane.Reply {
	if a != keymap.Answer {
		return p.Model.Act(a)
	}
	n := p.Selected()
	if n != nil && n.Kind == state.NeedAttention {
		return p.attention(n)
	}
	if why := p.Answer(); why != "" {
		return pane.Not(why)
	}
	return pane.Done()
}

func (p needsPane) attention(n *state.Need) pane.Reply {
	send := func(k state.CommandKind) pane.Reply {
		return pane.Reply{Send: []state.Command{{Kind: k, Ref: n.Ref}}}
	}
	why, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n")
	q := pane.Menu{Name: string(n.Ref) + " " + n.Title, Text: why, Choices: []pane.Choice{
		{Text: "try again", Do: send(state.CommandRetry)}, {Text: "hold it for me", Do: send(state.CommandHold)}, {Text: "leave it"},
	}}
	if row := present.RowOf(p.room.snap, n.Ref); row != nil && row.Hold == "held" {
		q.Choices = []pane.Choice{{Text: "clear the hold", Do: send(state.CommandUnhold)}, {Text: "leave it held"}}
	}
	return pane.Reply{Handled: true, Menu: &q}
}

func (p needsPane) Typing() bool { return p.Answering() }

func (p needsPane) Type(msg tea.Msg) pane.Reply {
	press, ok := msg.(tea.KeyPressMsg)
	f := keymap.Default()
	switch {
	case ok && f.Action(keymap.Typing, press.String()) == keymap.Keep:
		p.Keep()
	case ok && f.Action(keymap.Typing, press.String()) == keymap.Send:
		if p.Break() {
			return pane.Done()
		}
		ref, text, ok := p.Send()
		if !ok {
			return pane.Not("an empty answer is not sent; esc leaves the field")
		}
		return pane.Reply{Handled: true, Send: []state.Command{{Kind: state.CommandAnswer, Ref: ref, Text: text}}}
	default:
		p.Update(msg)
	}
	return pane.Done()
}

func (p needsPane) SetSnapshot(s *state.Snapshot) {
	p.Model.SetSnapshot(s)
	if lost := p.Lost(); lost != "" {
		p.room.insist(lost)
	}
}

func (p needsPane) Take(msg tea.Msg) pane.Reply {
	if s, ok := msg.(pane.Sent); ok && s.Err != nil && s.Command.Kind == state.CommandAnswer {
		p.Failed(s.Command.Ref)
	}
	return pane.Reply{}
}
