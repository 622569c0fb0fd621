package issue

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
	case keymap.NextPiece, keymap.PrevPiece:
		if !m.Piece(map[bool]int{true: 1, false: -1}[a == keymap.NextPiece]) {
			return pane.Not("no further comment")
		}
	default:
		return pane.Reply{}
	}
	return pane.Done()
}

// Mouse scrolls.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		m.Move(widget.MoveUp)
	case pane.WheelDown:
		m.Move(widget.MoveDown)
	case pane.Click, pane.DoubleClick:
	}
	return pane.Done()
}

// Subject is the issue on the page.
func (m *Model) Subject() pane.Subject { return pane.Subject{Ref: m.ref} }

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action { return []keymap.Action{keymap.NextPiece, keymap.Mark} }

// Open shows an issue from its start.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	m.OpenRef(s.Ref)
	return nil, ""
}

// Cursor hides the terminal's own: the page is read, nothing on it is chosen.
func (m *Model) Cursor() (x, y int, ok bool) { return 0, 0, false }
