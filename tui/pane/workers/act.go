package workers

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.Move(mv)
		return pane.Done()
	}
	switch a {
	case keymap.Open, keymap.Left, keymap.Right, keymap.NextPane, keymap.PrevPane, keymap.Back, keymap.Layout:
		return m.focus(a)
	case keymap.Follow:
		m.Follow()
		return pane.Done()
	case keymap.NextPiece:
		return m.piece(1)
	case keymap.PrevPiece:
		return m.piece(-1)
	case keymap.NextError:
		return m.nextError()
	case keymap.NextMatch:
		return m.match(1)
	case keymap.PrevMatch:
		return m.match(-1)
	case keymap.Steer:
		return Steer(m.Selected())
	case keymap.Interrupt:
		return Interrupt(m.Selected())
	default:
		return pane.Reply{}
	}
}

// focus goes deeper, back, to the other part or to the other layout.
func (m *Model) focus(a keymap.Action) pane.Reply {
	w := m.Selected()
	switch a {
	case keymap.Layout:
		if m.single {
			return pane.Not("a grid needs a window at least 60 wide")
		}
		m.grid, m.inside, m.large = !m.grid, false, false
	case keymap.Back:
		switch {
		case m.Inside():
			m.inside = false
			m.grid, m.large = m.large, false
		case m.find != "":
			m.find = ""
		default:
			return pane.Reply{}
		}
	case keymap.Open:
		if m.Inside() && w != nil {
			return m.unfold(w)
		}
		m.SetInside(true)
	case keymap.Left, keymap.Right:
		by := 1
		if a == keymap.Left {
			by = -1
		}
		if m.grid {
			m.pick(m.at + by)
			break
		}
		m.SetInside(by > 0)
	default:
		if !m.grid {
			m.SetInside(!m.inside)
		}
	}
	return pane.Done()
}

// Mouse scrolls what is under it, and selects; twice opens.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	if m.grid {
		return m.mouseGrid(e)
	}
	right := e.X >= m.list.W || (m.single && m.inside)
	w := m.Selected()
	switch e.Kind {
	case pane.WheelUp, pane.WheelDown:
		mv := widget.MoveUp
		if e.Kind == pane.WheelDown {
			mv = widget.MoveDown
		}
		if right && w != nil {
			m.sight(w).move(mv)
		} else {
			was := m.inside
			m.inside = false
			m.Move(mv)
			m.inside = was
		}
	case pane.Click, pane.DoubleClick:
		if at := m.top + (e.Y-1)/2; !right && m.snap != nil && e.Y > 0 && at < len(m.snap.Workers) {
			m.pick(at)
		}
		m.SetInside(right || e.Kind == pane.DoubleClick)
	}
	return pane.Done()
}

// Subject is the chosen worker.
func (m *Model) Subject() pane.Subject {
	w := m.Selected()
	if w == nil {
		return pane.Subject{Text: "no worker"}
	}
	s := pane.Subject{Ref: w.Run.Ref, Run: w.Run.ID, PR: w.Run.PR, Path: w.Run.Worktree}
	if r := present.RequestOf(m.snap, w.Run.ID); r != nil {
		s.Request = r.ID
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	w := m.Selected()
	if w == nil {
		return nil
	}
	var out []keymap.Action
	if present.RequestOf(m.snap, w.Run.ID) != nil {
		out = append(out, keymap.Answer)
	}
	if w.Outcome == "" && w.Run.Alive() {
		out = append(out, keymap.Steer)
		if !w.Waiting {
			out = append(out, keymap.Interrupt)
		}
		out = append(out, keymap.Stop)
	}
	if m.grid {
		return append(out, keymap.Open, keymap.Layout)
	}
	return append(out, keymap.Follow, keymap.NextPiece, keymap.NextError, keymap.Find, keymap.Layout)
}

// Open selects a run, or the worker of an issue, and gives its transcript the
// focus; it answers why not.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	w := present.LastWorker(m.snap, s.Ref)
	if s.Run != "" && m.snap != nil {
		if named := present.WorkerByRun(m.snap, s.Run); named != nil {
			w = named
		}
	}
	if w == nil {
		return nil, "no worker of this loop has run on " + widget.Clean(string(s.Ref))
	}
	return m.openRun(w), ""
}
