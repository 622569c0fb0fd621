package workers

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
	found, what := true, ""
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
	case keymap.Follow:
		m.Follow()
	case keymap.NextPiece, keymap.PrevPiece:
		m.SetInside(true)
		found, what = m.SeekTool(map[bool]int{true: 1, false: -1}[a == keymap.NextPiece]), "tool call"
	case keymap.NextError:
		m.SetInside(true)
		found, what = m.SeekError(1), "error"
	default:
		return pane.Reply{}
	}
	if !found {
		return pane.Not("no further " + what)
	}
	return pane.Done()
}

// Mouse does nothing yet but scroll what is under it.
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
		if at := m.top + (e.Y-1)/2; !m.inside && m.snap != nil && e.Y > 0 && at < len(m.snap.Workers) {
			m.at, m.run = at, m.snap.Workers[at].Run.ID
		}
		m.inside = m.inside || e.Kind == pane.DoubleClick
	}
	return pane.Done()
}

// Subject is the chosen worker.
func (m *Model) Subject() pane.Subject {
	w := m.Selected()
	if w == nil {
		return pane.Subject{Text: "no worker"}
	}
	return pane.Subject{Ref: w.Run.Ref, Run: w.Run.ID, PR: w.Run.PR, Path: w.Run.Worktree}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Follow, keymap.NextPiece, keymap.NextError, keymap.Layout}
}

// Open selects a run, or the worker of an issue, and gives its transcript the
// focus; it answers why not.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	if !m.OpenRef(s.Ref) {
		return nil, "no worker of this loop has run on " + widget.Clean(string(s.Ref))
	}
	return nil, ""
}
