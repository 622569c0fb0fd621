package log

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Away is a time in which nobody touched a key.
type Away struct {
	From time.Time
	Text string // away 12:04 to 12:56: 2 finished, $3.10
}

// item names a line of the view, so that the selection stays with it: a firing,
// one of its entries, or an absence.
type item struct {
	firing int
	entry  state.Entry // zero for the firing's own line
	away   time.Time
}

// within is the firing that an item belongs to; -1 for none.
func (i item) within() int {
	if !i.away.IsZero() {
		return -1
	}
	return i.firing
}

// line is an item and where the snapshot has it.
type line struct {
	item
	at    int // index of the entry; -1 for a firing, -2 for an absence
	bad   int // of a firing: errors that nobody has seen yet
	below int // of a firing: its entries
	open  bool
	run   run // of a firing that did nothing: those beside it
}

// Model is the view.
type Model struct {
	st     *themes.Styles
	snap   *state.Snapshot
	body   layout.Rect
	lines  []line
	win    widget.Window
	follow bool
	sel    item
	folds  map[int]bool         // firings that were folded or unfolded by hand
	read   map[state.Entry]bool // errors that were under the cursor
	away   []Away
	find   string
}

// New answers an empty log that follows its end.
func New(st *themes.Styles) *Model {
	return &Model{st: st, follow: true, folds: map[int]bool{}, read: map[state.Entry]bool{}}
}

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, _ layout.Shape) { m.body = body; m.clamp() }

// SetAway says when nobody was there, the oldest first.
func (m *Model) SetAway(away []Away) {
	m.away = away
	m.lay()
}

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	m.lay()
}

func (m *Model) height() int {
	_, h := widget.Inner(m.body.W, m.body.H)
	return max(h, 1)
}

func (m *Model) clamp() {
	if m.follow {
		m.win.Sel = len(m.lines) - 1
	}
	m.win.Clamp(len(m.lines), m.height())
	if m.win.Sel >= 0 && m.win.Sel < len(m.lines) {
		m.sel = m.lines[m.win.Sel].item
	}
}

// touch notes that the cursor is on a line: an error counts as read. The firing
// stays as unfolded as it was.
func (m *Model) touch() {
	m.clamp()
	if m.win.Sel < 0 || m.win.Sel >= len(m.lines) {
		return
	}
	l := &m.lines[m.win.Sel]
	if l.at < 0 || !l.entry.Bad || m.read[l.entry] {
		return
	}
	m.read[l.entry] = true
	if _, byHand := m.folds[l.firing]; !byHand {
		m.folds[l.firing] = true
	}
	m.lay()
}

// selected is the line under the cursor; nil without one.
func (m *Model) selected() *line {
	if m.snap == nil || m.win.Sel < 0 || m.win.Sel >= len(m.lines) {
		return nil
	}
	return &m.lines[m.win.Sel]
}

// Selected is the entry under the cursor; nil on any other line.
func (m *Model) Selected() *state.Entry {
	if l := m.selected(); l != nil && l.at >= 0 {
		return &m.snap.Log[l.at]
	}
	return nil
}

// Ref is the issue of the entry under the cursor.
func (m *Model) Ref() board.Ref {
	if e := m.Selected(); e != nil {
		return e.Ref
	}
	return ""
}

// Move carries a move out; reaching the end follows it again.
func (m *Model) Move(mv widget.Move) {
	if mv == widget.MoveNone {
		return
	}
	m.follow = false
	m.win.Apply(mv, len(m.lines), m.height())
	m.follow = m.win.Sel >= len(m.lines)-1
	m.touch()
}

// to brings a line under the cursor.
func (m *Model) to(at int) {
	m.follow, m.win.Sel = false, at
	m.touch()
}

// seek goes to the next line that is wanted, or the one before.
func (m *Model) seek(by int, want func(*line) bool) bool {
	start := m.win.Sel + by
	if m.follow && by > 0 {
		start = 0
	}
	for i := start; i >= 0 && i < len(m.lines); i += by {
		if want(&m.lines[i]) {
			m.to(i)
			return true
		}
	}
	return false
}

// nextError goes to the next entry that failed, in folded firings, too.
func (m *Model) nextError() bool {
	for _, g := range m.groups() {
		for _, i := range g.entries {
			if m.snap.Log[i].Bad {
				m.folds[g.firing] = true
			}
		}
	}
	m.lay()
	return m.seek(1, func(l *line) bool { return l.at >= 0 && l.entry.Bad })
}

// fold folds the firing of the line under the cursor, or unfolds it.
func (m *Model) fold() bool {
	l := m.selected()
	if l == nil || l.at == -2 {
		return false
	}
	firing, at := l.firing, m.win.Sel
	for at > 0 && m.lines[at].at >= 0 {
		at--
	}
	if m.lines[at].run.of > 0 {
		m.foldRun(&m.lines[at])
		return true
	}
	if m.lines[at].below == 0 {
		return false
	}
	open := at+1 < len(m.lines) && m.lines[at+1].at >= 0 && m.lines[at+1].firing == firing
	m.folds[firing] = !open
	m.follow, m.win.Sel, m.sel = false, at, m.lines[at].item
	m.lay()
	return true
}

// Find keeps the entries that hold a text, with their firings.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	m.lay()
	return nil
}

// Found counts the entries that are left.
func (m *Model) Found() (shown, total int) {
	for i := range m.lines {
		if m.lines[i].at >= 0 {
			shown++
		}
	}
	if m.snap == nil {
		return shown, 0
	}
	return shown, len(m.snap.Log)
}

// goTo brings a firing under the cursor, unfolded.
func (m *Model) goTo(firing int) bool {
	m.folds[firing] = true
	m.lay()
	for i := range m.lines {
		if m.lines[i].firing == firing && m.lines[i].at == -1 {
			m.to(i)
			m.win.Top = max(0, i-2)
			m.clamp()
			return true
		}
	}
	return false
}

// info is what is known of a firing as a whole; nil if it is under way or too
// long ago.
func (m *Model) info(n int) *state.Firing {
	for i := len(m.snap.Firings) - 1; i >= 0; i-- {
		if m.snap.Firings[i].N == n {
			return &m.snap.Firings[i]
		}
	}
	return nil
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 1 + m.win.Sel - m.win.Top
	return 1, y, len(m.lines) > 0 && m.body.W >= 4 && y < m.body.H-1
}

// View draws the whole body.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	iw, ih := widget.Inner(m.body.W, m.body.H)
	box := widget.Box{Title: "Log", Focus: true}
	if len(m.lines) == 0 {
		text := " no firing yet"
		switch {
		case m.find != "":
			text = " nothing matches `" + widget.Clean(m.find) + "`; esc shows all"
		case m.snap != nil && !m.snap.NextFiring.IsZero():
			text += "; first in " + widget.Clock(m.snap.NextFiring.Sub(now))
		}
		return box.Render([]string{widget.Line{}.Add(m.st.Muted, text).Render(iw, false, m.st)}, m.body.W, m.body.H, m.st)
	}
	if m.snap.Status != "" {
		box.Note = widget.Clean(m.snap.Status)
	}
	box.Foot = fmt.Sprintf("%d of %d", m.win.Sel+1, len(m.lines))
	if m.follow {
		box.Foot = "following"
	}
	var out []string
	for i := m.win.Top; i < len(m.lines) && len(out) < ih; i++ {
		out = append(out, m.draw(&m.lines[i], iw, i == m.win.Sel, now))
	}
	return box.Render(out, m.body.W, m.body.H, m.st)
}
