package issue

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.move(mv)
		return pane.Done()
	}
	switch a {
	case keymap.Right, keymap.NextPane, keymap.Left, keymap.PrevPane:
		m.SetInside(map[keymap.Action]bool{keymap.Right: true, keymap.Left: false}[a] || (a != keymap.Right && a != keymap.Left && !m.Inside()))
		return pane.Done()
	case keymap.Back:
		switch {
		case m.find != "":
			m.Find("")
		case m.Inside():
			m.inside = false
		default:
			return pane.Reply{}
		}
		return pane.Done()
	case keymap.NextPiece:
		return m.piece(1)
	case keymap.PrevPiece:
		return m.piece(-1)
	case keymap.NextMatch:
		return m.match(1)
	case keymap.PrevMatch:
		return m.match(-1)
	case keymap.Why:
		return m.why()
	case keymap.Mark:
		return m.tick()
	case keymap.Open:
		return m.unfold()
	default:
		return pane.Reply{}
	}
}

// why shows every rule that was asked, or only those that hold it back, and
// goes there.
func (m *Model) why() pane.Reply {
	issue := m.issue()
	if issue == nil {
		return pane.Not("no issue is open whose rules could be shown")
	}
	m.rules = !m.rules
	m.lay(issue, m.now)
	m.inside = m.rules
	m.toWhy = m.rules && !m.reads.State(m.ref).Known
	if !m.toWhy {
		m.goToWhy()
	}
	r := pane.Done()
	if !m.rules {
		r.Say = "only what holds it back"
	} else if !m.reads.State(m.ref).Known {
		r.Say = "every rule is asked"
	}
	return r
}

// goToWhy brings the rules to the top.
func (m *Model) goToWhy() {
	m.toWhy = false
	switch {
	case m.wide:
		m.side = widget.Window{Sel: m.facts.why, Top: m.facts.why}
	case m.rules:
		m.win = widget.Window{Sel: m.text.why, Top: m.text.why}
	}
}

// Inside says whether what stands beside the text has the focus.
func (m *Model) Inside() bool { return m.inside && m.wide }

// SetInside moves the focus; there is only the text where nothing stands beside
// it.
func (m *Model) SetInside(v bool) { m.inside = v && m.wide }

func (m *Model) move(mv widget.Move) {
	m.toWhy = false
	if m.Inside() {
		_, h := m.sideRoom()
		m.side.Apply(mv, len(m.facts.rows), h)
		return
	}
	_, h := m.room()
	m.win.Apply(mv, len(m.text.rows), h)
}

// to brings a row of the text under the cursor.
func (m *Model) to(row int) {
	_, h := m.room()
	m.inside = false
	m.win.Sel = row
	m.win.Top = max(m.win.Top, row-h+min(h, 6)) // some of what follows, too
	m.win.Clamp(len(m.text.rows), h)
}

// piece goes to the next comment, or the one before.
func (m *Model) piece(by int) pane.Reply {
	rows := m.text.comments
	for i := range rows {
		at := rows[i]
		if by < 0 {
			at = rows[len(rows)-1-i]
		}
		if (by > 0 && at > m.win.Sel) || (by < 0 && at < m.win.Sel) {
			m.to(at)
			return pane.Done()
		}
	}
	return pane.Not("no further comment")
}

// boxHere is the box under the cursor, else the first one below it; 0 for none.
func (m *Model) boxHere() (box, row int) {
	for row = m.win.Sel; row < len(m.text.rows); row++ {
		if b := m.text.boxes[row]; b > 0 {
			return b, row
		}
	}
	return 0, 0
}

// tick ticks a box, or clears it, and steps on to the next one.
func (m *Model) tick() pane.Reply {
	issue := m.issue()
	if issue == nil {
		return pane.Not("there is no box to tick")
	}
	box, row := m.boxHere()
	boxes := board.Checkboxes(issue.Body)
	if box == 0 || box > len(boxes) {
		return pane.Not("there is no box from here on")
	}
	m.to(row)
	for next := row + 1; next < len(m.text.rows); next++ {
		if m.text.boxes[next] > 0 {
			m.to(next)
			break
		}
	}
	r := pane.Done()
	r.Send = []state.Command{{Kind: state.CommandTick, Ref: m.ref, N: box, Off: boxes[box-1].Done, Text: boxes[box-1].Text}}
	return r
}

// unfold opens the comment under the cursor, or goes to the firing of a line of
// the history.
func (m *Model) unfold() pane.Reply {
	p, at := &m.text, m.win.Sel
	if m.Inside() {
		p, at = &m.facts, m.side.Sel
	}
	if n := p.firings[at]; n > 0 {
		r := pane.Done()
		r.Go = &pane.Go{View: keymap.Log, Subject: pane.Subject{Ref: m.ref, At: "firing " + strconv.Itoa(n)}}
		return r
	}
	for i := len(p.comments) - 1; i >= 0; i-- {
		if at >= p.comments[i] {
			if m.open[i] {
				delete(m.open, i)
			} else {
				m.open[i] = true
			}
			return pane.Done()
		}
	}
	return pane.Not("there is nothing to unfold here; . goes to a comment, → to the history")
}

// Find goes to the next row that holds a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	if text != "" {
		m.match(0)
	}
	return nil
}

// Found counts the rows that hold what is looked for.
func (m *Model) Found() (shown, total int) {
	for _, r := range m.text.rows {
		if widget.Holds(ansi.Strip(r), m.find) {
			shown++
		}
	}
	return shown, len(m.text.rows)
}

func (m *Model) match(by int) pane.Reply {
	n := len(m.text.rows)
	if m.find == "" || n == 0 {
		return pane.Not("nothing is searched for; / finds on this page")
	}
	dir := 1
	if by < 0 {
		dir = -1
	}
	for i := range n {
		row := ((m.win.Sel+by+dir*i)%n + n) % n
		if widget.Holds(ansi.Strip(m.text.rows[row]), m.find) {
			m.to(row)
			return pane.Done()
		}
	}
	return pane.Not("no line holds `" + widget.Clean(m.find) + "`")
}

// Mouse scrolls what is under it, and puts the cursor there.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	side := m.wide && e.X >= m.body.W-m.sideWidth()
	was := m.inside
	m.inside = side
	switch e.Kind {
	case pane.WheelUp:
		m.move(widget.MoveUp)
		m.inside = was
	case pane.WheelDown:
		m.move(widget.MoveDown)
		m.inside = was
	case pane.Click, pane.DoubleClick:
		win, n := &m.win, len(m.text.rows)
		if side {
			win, n = &m.side, len(m.facts.rows)
		}
		if at := win.Top + e.Y - m.headRows() - 1; at >= 0 && at < n {
			win.Sel = at
			if e.Kind == pane.DoubleClick {
				return m.unfold()
			}
		}
	}
	return pane.Done()
}

// Subject is the issue on the page, and the box under the cursor.
func (m *Model) Subject() pane.Subject {
	s := pane.Subject{Ref: m.ref, Box: m.text.boxes[m.win.Sel]}
	if w := present.LastWorker(m.snap, m.ref); w != nil {
		s.Path = w.Run.Worktree
	}
	return s
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	out := []keymap.Action{keymap.NextPiece}
	if len(m.text.boxes) > 0 {
		out = append(out, keymap.Mark)
	}
	return append(out, keymap.Why, keymap.Find)
}
