package next

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		_, h := widget.Inner(m.body.W, m.body.H)
		m.win.Apply(mv, len(m.rows), h)
		m.clamp()
		return pane.Done()
	}
	if a == keymap.Back && m.find != "" {
		m.Find("")
		return pane.Done()
	}
	return pane.Reply{}
}

// Mouse scrolls and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		return m.Act(keymap.Up)
	case pane.WheelDown:
		return m.Act(keymap.Down)
	case pane.Click, pane.DoubleClick:
		if at := m.win.Top + e.Y - 1; e.Y > 0 && at < len(m.rows) {
			m.win.Sel = at
			m.clamp()
		}
	}
	return pane.Done()
}

// Subject is the selected row.
func (m *Model) Subject() pane.Subject {
	if l := m.selected(); l != nil {
		return pane.Subject{Ref: l.Ref, Text: widget.Clean(string(l.Ref)) + " · " + firstOf(widget.Clean(l.Does), m.waits(l))}
	}
	return pane.Subject{Text: "what the next firing would do"}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Why, keymap.Dispatch, keymap.Fire, keymap.Find}
}

// Find keeps the rows that hold a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	m.lay()
	return nil
}

// Found counts the rows that are left.
func (m *Model) Found() (shown, total int) {
	p, _ := m.reads.Get(struct{}{})
	for _, r := range m.rows {
		if r.heading == "" {
			shown++
		}
	}
	return shown, len(p.Lines)
}
