package money

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.win.Apply(mv, len(m.rows), m.height())
		return pane.Done()
	}
	switch a {
	case keymap.Open:
		if ref := m.ref(); ref != "" {
			return pane.Reply{} // the root opens the issue
		}
		if !m.reads.State(struct{}{}).Known {
			return pane.Not("the sums are not here yet")
		}
		if r, ok := m.selected(); ok && r.line < 0 {
			m.folded[r.section] = !m.folded[r.section]
			m.lay()
			return pane.Done()
		}
		return pane.Not("there is nothing below this sum")
	case keymap.Back:
		if m.find == "" {
			return pane.Reply{}
		}
		m.Find("")
		return pane.Done()
	default:
		return pane.Reply{}
	}
}

// Mouse scrolls and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		return m.Act(keymap.Up)
	case pane.WheelDown:
		return m.Act(keymap.Down)
	case pane.Click, pane.DoubleClick:
		at := m.win.Top + e.Y - 1 - m.headRows()
		if e.Y > m.headRows() && at < len(m.rows) {
			m.win.Sel = at
			if e.Kind == pane.DoubleClick {
				return m.Act(keymap.Open)
			}
		}
	}
	return pane.Done()
}

// Subject is the selected issue.
func (m *Model) Subject() pane.Subject {
	if ref := m.ref(); ref != "" {
		return pane.Subject{Ref: ref}
	}
	return pane.Subject{Text: "what the runs have cost"}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action { return []keymap.Action{keymap.Find} }

// Find keeps the lines whose name holds a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	m.lay()
	return nil
}

// Found counts the lines that are left.
func (m *Model) Found() (shown, total int) {
	for _, r := range m.rows {
		if r.line >= 0 {
			shown++
		}
	}
	for _, s := range m.sections() {
		total += len(s.lines)
	}
	return shown, total
}
