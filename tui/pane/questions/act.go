package questions

import (
	tea "charm.land/bubbletea/v2"

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
	switch a {
	case keymap.Open, keymap.Right:
		m.SetInside(true)
	case keymap.Left:
		m.SetInside(false)
	case keymap.NextPane, keymap.PrevPane:
		m.SetInside(!m.inside)
	case keymap.Back:
		if !m.inside {
			return pane.Reply{}
		}
		m.inside = false
	default:
		return pane.Reply{}
	}
	return pane.Done()
}

// Mouse scrolls what is under it, and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	was := m.inside
	m.inside = e.X >= m.list.W || (m.single && was)
	switch e.Kind {
	case pane.WheelUp:
		m.Move(widget.MoveUp)
		m.inside = was
	case pane.WheelDown:
		m.Move(widget.MoveDown)
		m.inside = was
	case pane.Click, pane.DoubleClick:
		if all, _ := m.lines(); !m.inside && m.snap != nil {
			if at := m.top + e.Y - 1; e.Y > 0 && at < len(all) && all[at].heading == "" {
				m.pick(all[at].need)
			}
		}
		m.inside = m.inside || e.Kind == pane.DoubleClick
	}
	return pane.Done()
}

// Subject is the chosen need.
func (m *Model) Subject() pane.Subject {
	n := m.Selected()
	if n == nil {
		return pane.Subject{Text: "nothing needs you"}
	}
	return pane.Subject{Ref: n.Ref, Run: n.Run, PR: n.PR, Request: n.Request, Need: n.Kind}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action { return []keymap.Action{keymap.Answer, keymap.NextNeed} }

// Open selects what a subject needs a person for; it answers why not.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	if !m.Select(s.Ref) {
		return nil, widget.Clean(string(s.Ref)) + " asks nothing; ! goes to what needs you"
	}
	return nil, ""
}
