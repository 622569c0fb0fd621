package log

import (
	"strings"

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
	found, what := true, ""
	switch a {
	case keymap.Follow:
		m.Follow()
	case keymap.NextPiece, keymap.PrevPiece:
		found, what = m.Piece(map[bool]int{true: 1, false: -1}[a == keymap.NextPiece]), "firing"
	case keymap.NextError:
		found, what = m.SeekError(1), "error"
	default:
		return pane.Reply{}
	}
	if !found {
		return pane.Not("no further " + what)
	}
	return pane.Done()
}

// Mouse scrolls and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		m.Move(widget.MoveUp)
	case pane.WheelDown:
		m.Move(widget.MoveDown)
	case pane.Click, pane.DoubleClick:
		if at := m.win.Top + e.Y - 1; e.Y > 0 && at < len(m.lines) {
			m.follow, m.win.Sel = false, at
			m.clamp()
		}
	}
	return pane.Done()
}

// Subject is the selected entry's issue.
func (m *Model) Subject() pane.Subject {
	s := pane.Subject{Ref: m.Ref()}
	if e := m.Selected(); e != nil {
		s.Text = strings.TrimSpace(widget.Clean(string(e.Ref)) + " " + widget.Clean(e.Text))
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Follow, keymap.NextPiece, keymap.NextError}
}
