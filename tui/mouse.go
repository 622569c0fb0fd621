package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// spot is a key hint on the screen: a click there is that key.
type spot struct {
	y, from, to int
	action      keymap.Action
}

// lastClick tells a double click from two.
type lastClick struct {
	x, y int
	at   time.Time
}

// doubleWithin is how soon the second click of a double click comes.
const doubleWithin = 400 * time.Millisecond

// onClick selects and opens; a click on a key hint is that key, one beside a
// menu is esc.
func (m *Model) onClick(e tea.Mouse) tea.Cmd {
	if e.Button != tea.MouseLeft {
		return nil
	}
	now := m.now()
	twice := e.X == m.click.x && e.Y == m.click.y && now.Sub(m.click.at) <= doubleWithin
	m.click = lastClick{e.X, e.Y, now}
	if twice {
		m.click = lastClick{}
	}
	switch m.mode {
	case modeMenu:
		return m.clickMenu(e.X, e.Y)
	case modeHelp:
		w, h := m.helpSize()
		if !within(m.onStage(w, h), e.X, e.Y) {
			m.mode = m.under
		}
		return nil
	case modePalette:
		return m.clickPalette(e.X, e.Y)
	case modeGoto:
		m.mode = modeBrowse
		return nil
	case modeAnswer:
		return nil // what is typed stays until a key ends it
	case modeFind:
		m.mode = modeBrowse
	case modeBrowse:
	}
	for _, s := range m.spots {
		if e.Y == s.y && e.X >= s.from && e.X < s.to {
			return m.act(s.action)
		}
	}
	b := m.frame.Body
	if m.snap == nil || e.Y < b.Y || e.Y >= b.Y+b.H {
		return nil
	}
	kind := pane.Click
	if twice {
		kind = pane.DoubleClick
	}
	return m.carry(m.pane().Mouse(pane.Mouse{Kind: kind, X: e.X - b.X, Y: e.Y - b.Y}))
}

// onWheel scrolls what is under the pointer and leaves the focus.
func (m *Model) onWheel(e tea.Mouse) tea.Cmd {
	kind := pane.WheelDown
	mv := widget.MoveDown
	switch e.Button {
	case tea.MouseWheelUp:
		kind, mv = pane.WheelUp, widget.MoveUp
	case tea.MouseWheelDown:
	default:
		return nil
	}
	switch m.mode {
	case modeHelp:
		m.scrollHelp(mv)
		return nil
	case modePalette:
		_, h := m.paletteSize()
		m.palette.win.Apply(mv, len(m.palette.shown), max(h-4, 1))
		return nil
	case modeMenu, modeGoto:
		return nil
	case modeBrowse, modeAnswer, modeFind:
	}
	b := m.frame.Body
	if m.snap == nil || e.Y < b.Y || e.Y >= b.Y+b.H {
		return nil
	}
	return m.carry(m.pane().Mouse(pane.Mouse{Kind: kind, X: e.X - b.X, Y: e.Y - b.Y}))
}

// within says whether a cell is in a box.
func within(r layout.Rect, x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

func (m *Model) clickMenu(x, y int) tea.Cmd {
	box, rows := m.menuBox()
	if len(box) == 0 {
		return nil
	}
	r := m.onStage(widget.DrawnWidth(box[0]), len(box))
	switch {
	case !within(r, x, y):
		if m.menu.sure != nil {
			m.unsure()
			return nil
		}
		m.closeMenu()
		return nil
	case m.menu.sure != nil:
		return nil // y is pressed, never hit by chance
	}
	if at := y - r.Y - 1; at >= 0 && at < len(rows) && rows[at] >= 0 {
		return m.choose(rows[at])
	}
	return nil
}

func (m *Model) clickPalette(x, y int) tea.Cmd {
	w, h := m.paletteSize()
	r := m.onStage(w, h)
	if !within(r, x, y) {
		m.mode = m.under
		return nil
	}
	if at := m.palette.win.Top + y - r.Y - 3; y-r.Y >= 3 && at < len(m.palette.shown) {
		m.palette.win.Sel = at
		return m.choosePalette()
	}
	return nil
}
