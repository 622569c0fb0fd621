package log

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// KeyMap are the keys of the view besides the global ones.
type KeyMap struct {
	widget.ListKeys
}

// FullHelp lists every key.
func (k KeyMap) FullHelp() []key.Binding { return k.All() }

// line is a heading of a firing, or one of its entries.
type line struct {
	heading bool
	entry   int
}

// Model is the view.
type Model struct {
	st     *themes.Styles
	keys   KeyMap
	snap   *state.Snapshot
	body   layout.Rect
	lines  []line
	win    widget.Window
	follow bool
	sel    state.Entry // stays selected while the log moves
}

// New answers an empty log that follows its end.
func New(st *themes.Styles) *Model {
	return &Model{st: st, keys: KeyMap{widget.NewListKeys()}, follow: true}
}

// Keys is the view's key map.
func (m *Model) Keys() KeyMap { return m.keys }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, _ layout.Shape) { m.body = body; m.clamp() }

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	shift := m.win.Sel - m.win.Top
	m.lines = m.lines[:0]
	firing := -1
	for i := range s.Log {
		if f := s.Log[i].Firing; f != firing {
			firing = f
			m.lines = append(m.lines, line{heading: true, entry: i})
		}
		if !m.follow && s.Log[i] == m.sel {
			m.win.Sel = len(m.lines)
			m.win.Top = m.win.Sel - shift
		}
		m.lines = append(m.lines, line{entry: i})
	}
	m.clamp()
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
	if e := m.Selected(); e != nil {
		m.sel = *e
	}
}

// Selected is the entry under the selection, for a heading the first below it;
// nil without one.
func (m *Model) Selected() *state.Entry {
	if m.snap == nil || m.win.Sel < 0 || m.win.Sel >= len(m.lines) {
		return nil
	}
	return &m.snap.Log[m.lines[m.win.Sel].entry]
}

// Ref is the issue of the selected entry.
func (m *Model) Ref() board.Ref {
	if e := m.Selected(); e != nil && !m.lines[m.win.Sel].heading {
		return e.Ref
	}
	return ""
}

// Update moves the selection.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		m.Move(m.keys.Match(press))
	}
	return nil
}

// Move carries a move out; reaching the end follows it again.
func (m *Model) Move(mv widget.Move) {
	if mv == widget.MoveNone {
		return
	}
	m.follow = false
	m.win.Apply(mv, len(m.lines), m.height())
	m.follow = m.win.Sel >= len(m.lines)-1
	m.clamp()
}

// Follow goes to the end and stays there.
func (m *Model) Follow() { m.follow = true; m.clamp() }

// Piece goes to the heading of the next firing (by 1) or the one before.
func (m *Model) Piece(by int) bool {
	return m.seek(by, func(l line) bool { return l.heading })
}

// SeekError goes to the next entry that failed (by 1), or the one before.
func (m *Model) SeekError(by int) bool {
	return m.seek(by, func(l line) bool { return !l.heading && m.snap.Log[l.entry].Bad })
}

func (m *Model) seek(by int, want func(line) bool) bool {
	if m.snap == nil {
		return false
	}
	start := m.win.Sel + by
	if m.follow && by > 0 {
		start = 0
	}
	for i := start; i >= 0 && i < len(m.lines); i += by {
		if want(m.lines[i]) {
			m.follow = false
			m.win.Sel = i
			m.clamp()
			return true
		}
	}
	return false
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
		if m.snap != nil && !m.snap.NextFiring.IsZero() {
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
		out = append(out, m.line(m.lines[i], iw, i == m.win.Sel, now))
	}
	return box.Render(out, m.body.W, m.body.H, m.st)
}

// firing is what is known of a firing as a whole; nil if it is under way or too
// long ago.
func (m *Model) firing(n int) *state.Firing {
	for i := len(m.snap.Firings) - 1; i >= 0; i-- {
		if m.snap.Firings[i].N == n {
			return &m.snap.Firings[i]
		}
	}
	return nil
}

func (m *Model) line(l line, w int, chosen bool, now time.Time) string {
	e := &m.snap.Log[l.entry]
	bar := widget.Span{Text: " "}
	if chosen {
		bar = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	row := widget.Line{bar}
	stamp := e.At.In(now.Location()).Format("15:04:05")
	if l.heading {
		row = row.Add(m.st.Title, stamp+"  firing "+widget.Thousands(e.Firing))
		var right widget.Line
		if f := m.firing(e.Firing); f != nil {
			ink := m.st.Muted
			if f.Bad {
				ink = m.st.Danger
			}
			row = row.Add(ink, "  "+widget.Clean(f.Why))
			right = right.Add(m.st.Muted, widget.Took(f.Took)+" ")
		}
		return widget.Sides(row, right, w, chosen, m.st)
	}
	ref := widget.Fit(widget.Clean(string(e.Ref)), 8)
	sign, ink := "  ", m.st.Text
	if e.Bad {
		sign, ink = m.st.Signs.Failed+" ", m.st.Danger
	}
	row = row.Add(m.st.Muted, "  ").Add(m.st.Accent, ref+" ").Add(m.st.Danger, sign).Add(ink, widget.Clean(e.Text))
	return row.Render(w, chosen, m.st)
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 1 + m.win.Sel - m.win.Top
	return 1, y, len(m.lines) > 0 && m.body.W >= 4 && y < m.body.H-1
}
