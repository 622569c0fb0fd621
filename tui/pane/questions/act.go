package questions

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
	switch a {
	case keymap.Answer:
		if n := m.Selected(); n != nil {
			return m.answer(n)
		}
		return pane.Not("nothing needs you, so there is nothing to answer")
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

// Move carries a move out where the focus is.
func (m *Model) Move(mv widget.Move) {
	if mv == widget.MoveNone || m.snap == nil {
		return
	}
	if m.inside {
		n := len(m.text())
		_, h := m.textRoom()
		m.scroll = max(0, min(m.scroll+mv.Step(n, h), n-h))
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	m.pick(max(0, min(m.at+mv.Step(len(m.needs), h), len(m.needs)-1)))
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
		m.inside = (m.inside || e.Kind == pane.DoubleClick) && m.Selected() != nil
	}
	return pane.Done()
}

// Subject is the chosen need.
func (m *Model) Subject() pane.Subject {
	n := m.Selected()
	if n == nil {
		return pane.Subject{Text: "nothing needs you"}
	}
	s := pane.Subject{Ref: n.Ref, Run: n.Run, PR: n.PR, Request: n.Request, Need: n.Kind}
	if r := m.request(n); r != nil {
		s.Path = r.Worktree
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action { return []keymap.Action{keymap.Answer, keymap.NextNeed} }
