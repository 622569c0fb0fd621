package diff

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.move(mv)
		return pane.Done()
	}
	switch a {
	case keymap.Open, keymap.Back, keymap.Left, keymap.Right, keymap.NextPane, keymap.PrevPane:
		return m.focus(a)
	case keymap.NextPiece:
		return m.step(1)
	case keymap.PrevPiece:
		return m.step(-1)
	case keymap.NextMatch:
		return m.match(1)
	case keymap.PrevMatch:
		return m.match(-1)
	case keymap.Mark:
		return m.mark()
	case keymap.Layout:
		back := m.keepLine()
		m.sides = !m.sides
		m.text.laid = nil
		back()
		if f := m.file(); m.sides && f != nil && !m.beside(f) {
			return pane.Not("the other files stand side by side now; this one has one side only")
		}
		return pane.Done()
	case keymap.Diff:
		if m.query == (state.DiffQuery{}) {
			return pane.Not("no change is open; d on an issue or a pull request opens its own")
		}
		m.fresh = true
		r := pane.Done()
		r.Say = "reading the change again"
		return r
	case keymap.Merge:
		if m.moved() {
			return pane.Not("the branch has moved since you read it: d reads what it is now, then M merges that")
		}
		return pane.Reply{}
	default:
		return pane.Reply{}
	}
}

func (m *Model) move(mv widget.Move) {
	if m.inside {
		m.moveText(mv)
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	m.pick(m.at + mv.Step(m.entries(), h))
}

func (m *Model) focus(a keymap.Action) pane.Reply {
	switch a {
	case keymap.Open:
		f := m.file()
		if m.entries() == 0 {
			return pane.Not("there is nothing to open")
		}
		if m.inside && f != nil {
			m.fold[f.Path] = !m.fold[f.Path]
			m.text = textPlace{}
			return pane.Done()
		}
		m.SetInside(true)
	case keymap.Right:
		m.SetInside(true)
	case keymap.Left:
		m.SetInside(false)
	case keymap.Back:
		switch {
		case m.inside:
			m.inside = false
		case m.find != "":
			m.find, m.text.laid = "", nil
		default:
			return pane.Reply{}
		}
	default:
		m.SetInside(!m.inside)
	}
	return pane.Done()
}

// step goes to the next file, or the one before.
func (m *Model) step(by int) pane.Reply {
	to := m.at + by
	if to < 0 || to >= m.entries() {
		return pane.Not("no further file")
	}
	m.pick(to)
	return pane.Done()
}

// mark marks the file as seen, or not, and steps on to the next that is not.
func (m *Model) mark() pane.Reply {
	f := m.file()
	if f == nil {
		return pane.Not("this is no file that could be marked as seen")
	}
	d, _ := m.diff()
	k := seenKey{d.Head, f.Path}
	m.seen[k] = !m.seen[k]
	if !m.seen[k] {
		delete(m.seen, k)
		return pane.Done()
	}
	if m.at+1 < m.entries() {
		m.pick(m.at + 1)
	}
	return pane.Done()
}

// Inside says whether the lines have the focus.
func (m *Model) Inside() bool { return m.inside }

// SetInside moves the focus between files and lines.
func (m *Model) SetInside(v bool) { m.inside = v && m.entries() > 0 }

// Mouse scrolls what is under it, and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	right := e.X >= m.list.W || (m.single && m.inside)
	switch e.Kind {
	case pane.WheelUp, pane.WheelDown:
		mv := widget.MoveUp
		if e.Kind == pane.WheelDown {
			mv = widget.MoveDown
		}
		if right {
			m.moveText(mv)
			break
		}
		m.pick(m.at + mv.Step(0, 0))
	case pane.Click, pane.DoubleClick:
		if at := m.top + e.Y - 2; !right && e.Y > 1 && at < m.entries() {
			m.pick(at)
		}
		m.SetInside(right || e.Kind == pane.DoubleClick)
		if right {
			m.clickText(e.Y - 2)
		}
	}
	return pane.Done()
}

// Subject is the change, the head that is read, and the line under the cursor.
func (m *Model) Subject() pane.Subject {
	s := pane.Subject{Ref: m.ref, PR: m.query.PR, Path: m.path()}
	if p := m.pull(); p != nil && s.Ref == "" {
		s.Ref = p.Ref
	}
	if d, ok := m.diff(); ok && m.query.PR != "" {
		s.Head = d.Head
	}
	if f := m.file(); f != nil {
		s.At = f.Path
		if line := m.lineUnder(); line > 0 && m.inside {
			s.At += ":" + strconv.Itoa(line)
		}
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	out := []keymap.Action{keymap.NextPiece, keymap.Mark}
	if m.query.PR != "" {
		out = append(out, keymap.Request, keymap.Merge)
	}
	return append(out, keymap.Layout, keymap.Find)
}

// Host draws the notes that are written below the lines they are about.
func (m *Model) Host(f *pane.Open) bool {
	m.open = nil
	if f == nil || m.query.PR == "" || f.ID != drafts.ID(drafts.Request, m.query.PR) {
		return false
	}
	m.open = f
	return true
}

// Find goes to the next line that holds a text, over all files.
func (m *Model) Find(text string) tea.Cmd {
	m.find, m.text.laid = text, nil
	if text != "" {
		m.match(0)
	}
	return nil
}

// Found counts the files that hold what is looked for.
func (m *Model) Found() (shown, total int) {
	d, _ := m.diff()
	for i := range d.Files {
		if m.find == "" || holds(&d.Files[i], m.find) {
			shown++
		}
	}
	return shown, len(d.Files)
}

func holds(f *state.DiffFile, text string) bool {
	if widget.Holds(f.Path, text) {
		return true
	}
	for i := range f.Lines {
		if widget.Holds(f.Lines[i].Text, text) {
			return true
		}
	}
	return false
}
