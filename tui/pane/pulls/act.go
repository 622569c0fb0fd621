package pulls

import (
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.Move(mv)
		return pane.Done()
	}
	p := m.Selected()
	switch {
	case a == keymap.NextMatch || a == keymap.PrevMatch:
		return m.match(a)
	case a == keymap.Open && p == nil:
		return pane.Not("there is no pull request to open")
	case a == keymap.Open:
		r := pane.Done()
		r.Go = &pane.Go{View: keymap.Diff, Subject: m.Subject()}
		return r
	}
	return pane.Reply{}
}

// match steps to another match: all that is shown matches.
func (m *Model) match(a keymap.Action) pane.Reply {
	if m.find == "" {
		return pane.Not("nothing is searched for; / finds in pull requests")
	}
	mv := widget.MoveDown
	if a == keymap.PrevMatch {
		mv = widget.MoveUp
	}
	m.Move(mv)
	return pane.Done()
}

// Mouse scrolls and selects; twice opens.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		m.Move(widget.MoveUp)
	case pane.WheelDown:
		m.Move(widget.MoveDown)
	case pane.Click, pane.DoubleClick:
		if at := m.win.Top + e.Y - 2; e.Y > 1 && m.at(at) != nil {
			m.win.Sel = at
			m.clamp()
			if e.Kind == pane.DoubleClick {
				return m.Act(keymap.Open)
			}
		}
	}
	return pane.Done()
}

// Subject is the chosen pull request.
func (m *Model) Subject() pane.Subject {
	p := m.Selected()
	if p == nil {
		return pane.Subject{Text: "no pull request"}
	}
	return pane.Subject{Ref: p.Ref, PR: p.PR.Name, Head: p.PR.HeadSHA}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Diff, keymap.Merge, keymap.Request, keymap.Update, keymap.Browse}
}
