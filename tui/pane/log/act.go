package log

import (
	"strconv"
	"strings"

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
	if m.snap == nil || len(m.lines) == 0 {
		return m.nothing(a)
	}
	switch a {
	case keymap.Follow:
		m.follow = true
		m.clamp()
	case keymap.NextPiece, keymap.PrevPiece:
		by := 1
		if a == keymap.PrevPiece {
			by = -1
		}
		if !m.seek(by, func(l *line) bool { return l.at == -1 }) {
			return pane.Not("no further firing")
		}
	case keymap.NextError:
		if !m.nextError() {
			return pane.Not("no further error")
		}
	case keymap.Open:
		if !m.fold() {
			return pane.Not("this firing decided nothing that could unfold")
		}
	default:
		return pane.Reply{}
	}
	return pane.Done()
}

// nothing answers the actions of an empty log.
func (m *Model) nothing(a keymap.Action) pane.Reply {
	switch a {
	case keymap.Follow, keymap.NextPiece, keymap.PrevPiece, keymap.NextError, keymap.Open:
		return pane.Not("the log is empty")
	default:
		return pane.Reply{}
	}
}

// Mouse scrolls and selects; twice unfolds.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		m.Move(widget.MoveUp)
	case pane.WheelDown:
		m.Move(widget.MoveDown)
	case pane.Click, pane.DoubleClick:
		if at := m.win.Top + e.Y - 1; e.Y > 0 && at < len(m.lines) {
			m.to(at)
			if e.Kind == pane.DoubleClick {
				m.fold()
			}
		}
	}
	return pane.Done()
}

// Subject is the selected entry's issue.
func (m *Model) Subject() pane.Subject {
	s := pane.Subject{Ref: m.Ref()}
	switch e := m.Selected(); {
	case e != nil:
		s.Text = strings.TrimSpace(widget.Clean(string(e.Ref)) + " " + widget.Clean(e.Text))
	default:
		s.Text = "what the loop did"
		if l := m.selected(); l != nil && l.at == -1 {
			s.Text = "firing " + widget.Thousands(l.firing)
			if l.run.of > 0 {
				s.Text = l.run.says() + " did nothing · ↵ folds and unfolds"
			}
			if l.below > 0 {
				s.Text += " · " + widget.Count(l.below, "line", "lines") + " · ↵ folds and unfolds"
			}
		}
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Follow, keymap.NextPiece, keymap.NextError, keymap.Find}
}

// Open goes to the firing that a subject names, as in `firing 212`; without one
// to the end.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	if number, ok := strings.CutPrefix(s.At, "firing "); ok && m.snap != nil {
		n, err := strconv.Atoi(number)
		if err != nil || !m.goTo(n) {
			return nil, s.At + " is no longer in the log of this room"
		}
	}
	return nil, ""
}
