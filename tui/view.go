package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// View draws the room. It answers the last picture again unless something has
// changed: Bubble Tea asks after every message.
func (m *Model) View() tea.View {
	if !m.dirty {
		return m.drawn
	}
	now := m.now()
	if m.opts.Look.Slow {
		now = now.Truncate(time.Minute)
	}
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	m.titled(&v)
	m.grounded(&v)
	if m.opts.Look.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.w > 0 && m.h > 0 {
		v.Content = strings.Join(m.draw(now), "\n")
		v.Cursor = m.cursor()
	}
	m.drawn, m.dirty = v, false
	return v
}

// withKey pairs texts with the key that leads there; empty texts are left out.
func withKey(pairs ...string) []string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "" {
			out = append(out, pairs[i]+" ("+pairs[i+1]+")")
		}
	}
	return out
}

func (m *Model) windowTitle() string {
	title := "dispatcher"
	if m.snap == nil {
		return title
	}
	title += " · " + widget.Clean(m.snap.Repository)
	if n := len(m.snap.Needs); n > 0 {
		title += " · " + widget.Count(n, "needs you", "need you")
	}
	return title
}

// draw answers exactly as many lines as the screen has, each as wide as it.
func (m *Model) draw(now time.Time) []string {
	f := &m.frame
	m.spots = m.spots[:0]
	lines := make([]string, 0, m.h)
	if f.Title.H > 0 {
		lines = append(lines, m.titleLine(now))
	}
	if f.Attention.H > 0 {
		lines = append(lines, m.attentionLine(now))
	}
	lines = append(lines, widget.Fill(m.body(now), m.w, f.Body.H)...)
	if f.Subject.H > 0 {
		lines = append(lines, m.subjectLine(now))
	}
	if f.Keys.H > 0 {
		lines = append(lines, m.hintLine())
	}
	if m.opts.Look.Plain && m.overlaid() {
		lines = widget.Blank(m.w, m.h) // one thing at a time
	}
	if m.field != nil && !m.field.hosted {
		lines = m.viewField(lines)
	} else {
		lines = m.viewToast(lines)
	}
	switch m.mode {
	case modeMenu:
		lines = m.viewMenu(lines)
	case modeHelp:
		lines = m.viewHelp(lines)
	case modePalette:
		lines = m.viewPalette(lines)
	case modeBrowse, modeAnswer, modeFind, modeGoto:
	}
	return lines
}

func (m *Model) body(now time.Time) []string {
	if m.snap == nil {
		return m.waiting(now)
	}
	return m.pane().View(now)
}

func (m *Model) waiting(now time.Time) []string {
	b := m.frame.Body
	text := " waiting for the first picture of the loop, " + widget.Clock(now.Sub(m.started))
	if m.lost {
		text = " there is no loop to show; q leaves"
	}
	return []string{widget.Line{}.Add(m.styles.Muted, text).Render(b.W, false, m.styles)}
}

// emptyBoard says what would be here, when there is nothing.
func (m *Model) emptyBoard() string {
	if m.snap == nil {
		return ""
	}
	shown, total := m.home.Found()
	switch {
	case total == 0 && m.snap.PolledAt.IsZero():
		text := "reading the board"
		if since := m.snap.StepSince; !since.IsZero() && m.now().Sub(since) > state.Moment {
			text += ", " + widget.Clock(m.now().Sub(since))
			if p := m.snap.Reading; p != nil {
				text += ": " + widget.Clean(p.String())
			}
		}
		return text
	case total == 0:
		return "no issues in " + m.milestones() + "; b makes one"
	case shown == 0:
		return "nothing matches `" + widget.Clean(m.finds[viewBoard]) + "`; esc shows all " + widget.Thousands(total)
	case m.home.board.Folds():
		left, right := m.home.board.Folded()
		return "no issues in " + m.milestones() + " to work on; " + strings.Join(withKey(left, "←", right, "→"), ", ")
	}
	return ""
}

// stage is where boxes are laid over the view: below what needs the owner and
// above the keys, or the whole of a narrow screen.
func (m *Model) stage() layout.Rect {
	r := layout.Rect{W: m.w, H: m.h}
	if m.frame.Shape != layout.ShapeSingle && m.frame.Body.H >= stageFrom {
		r.Y = m.frame.Body.Y
		r.H = m.h - r.Y - m.frame.Keys.H
	}
	return r
}

// stageFrom is how high the view must be for boxes to keep to it.
const stageFrom = 10

// onStage is the place of a box of that size.
func (m *Model) onStage(w, h int) layout.Rect {
	s := m.stage()
	r := layout.Center(s.W, s.H, w, h)
	r.X, r.Y = r.X+s.X, r.Y+s.Y
	return r
}

// overlay lays a box over the view.
func (m *Model) overlay(lines, box []string) []string {
	if len(box) == 0 {
		return lines
	}
	w := m.w
	r := m.onStage(widget.DrawnWidth(box[0]), len(box))
	for i, b := range box {
		y := r.Y + i
		if y >= len(lines) {
			break
		}
		lines[y] = splice(lines[y], b, r.X, w)
	}
	return lines
}

// splice replaces the cells from x on by an inked text. A wide character cut in
// half at either edge becomes a space.
func splice(line, over string, x, w int) string {
	left := ansi.Truncate(line, x, "")
	n := widget.DrawnWidth(over)
	right := ansi.TruncateLeft(line, x+n, "")
	if widget.DrawnWidth(right) > w-x-n {
		right = ansi.TruncateLeft(line, x+n+1, "")
	}
	gap := w - x - n - widget.DrawnWidth(right)
	return widget.Pad(left, 0, x) + over + widget.Pad("", 0, max(gap, 0)) + right
}

// cursor is where the terminal's own cursor belongs: on the selected row, or
// where typing goes on. Nil hides it.
func (m *Model) cursor() *tea.Cursor {
	switch m.mode {
	case modeMenu, modeHelp, modePalette:
		return nil
	case modeFind:
		if m.frame.Subject.H == 0 {
			return nil
		}
		x, _ := m.find.Cursor()
		return at(min(x+3, m.w-1), m.frame.Subject.Y)
	case modeAnswer:
		if m.field != nil && !m.field.hosted {
			x, y := m.fieldCursor()
			if x >= m.w || y >= m.h {
				return nil
			}
			return at(x, y)
		}
	case modeBrowse, modeGoto:
	}
	if m.snap == nil {
		return nil
	}
	x, y, ok := m.pane().Cursor()
	if !ok || y < 0 || y >= m.frame.Body.H || x < 0 || x >= m.w {
		return nil
	}
	return at(x, m.frame.Body.Y+y)
}

func at(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Blink = false
	return c
}
