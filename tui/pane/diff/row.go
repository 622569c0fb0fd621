package diff

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// wrapFrom is how wide the text of a line must be to go on below itself;
// narrower it is cut.
const wrapFrom = 12

// beside says whether the old lines of a file stand beside its new ones. Where
// nothing was removed, or nothing added, one half would be empty.
func (m *Model) beside(f *state.DiffFile) bool {
	return m.sides && f.Kind != "added" && f.Kind != "deleted"
}

// textWidth is the room of a line's text: without the bar, its number and what
// happens to it. The head of a hunk has none of these but the bar.
func (m *Model) textWidth(f *state.DiffFile, op string, num int) int {
	w, _ := widget.Inner(m.detail.W, m.detail.H)
	switch {
	case op == "@":
		return w - 2
	case m.beside(f):
		return (w-2)/2 - num - 3
	}
	return w - 1 - num - 3
}

// pieces is a line as it stands on the screen, one row each.
func (m *Model) pieces(f *state.DiffFile, n, num int) []string {
	text, w := clean(f.Lines[n].Text), m.textWidth(f, f.Lines[n].Op, num)
	if w < wrapFrom || widget.Width(text) <= w {
		return []string{text}
	}
	return strings.Split(ansi.Hardwrap(text, w, true), "\n")
}

// parts is how many rows a pair of lines takes.
func (m *Model) parts(f *state.DiffFile, p pair, num int) int {
	n := 1
	if p.left >= 0 {
		n = len(m.pieces(f, p.left, num))
	}
	if p.right >= 0 && p.right != p.left {
		n = max(n, len(m.pieces(f, p.right, num)))
	}
	return n
}

func (m *Model) row(f *state.DiffFile, p pair, w, num int, under bool) string {
	chosen := under && m.inside
	bar := widget.Span{Text: " "}
	if under {
		bar = widget.Span{Ink: m.st.Muted, Text: m.st.Signs.Bar}
		if m.inside {
			bar.Ink = m.st.Focus
		}
	}
	found := m.st.Accent.Reverse()
	if p.left >= 0 && f.Lines[p.left].Op == "@" {
		return append(widget.Line{bar}, m.hunk(f, p, num)...).Mark(m.find, found).Render(w, chosen, m.st)
	}
	if !m.beside(f) {
		n := p.right
		if n < 0 {
			n = p.left
		}
		return append(widget.Line{bar}, m.side(f, n, p.part, num, p.right < 0)...).Mark(m.find, found).Render(w, chosen, m.st)
	}
	half := (w - 2) / 2
	return (widget.Line{bar}).Render(1, chosen, m.st) +
		m.side(f, p.left, p.part, num, true).Mark(m.find, found).Render(half, chosen, m.st) +
		m.st.Border.Render(m.st.Borders.Thin.Vertical) +
		m.side(f, p.right, p.part, num, false).Mark(m.find, found).Render(w-2-half, chosen, m.st)
}

// hunk is the head of a hunk: where in the file it is.
func (m *Model) hunk(f *state.DiffFile, p pair, num int) widget.Line {
	lead := " "
	if p.part > 0 {
		lead = m.st.Signs.Ellipsis
	}
	return widget.Line{}.Add(m.st.Accent, lead+m.pieces(f, p.left, num)[p.part])
}

// side is one row of a line with its number and what happens to it. A row on
// which it goes on has … in place of the number.
func (m *Model) side(f *state.DiffFile, n, part, num int, old bool) widget.Line {
	if n < 0 {
		return nil
	}
	pieces := m.pieces(f, n, num)
	if part >= len(pieces) {
		return nil
	}
	l := &f.Lines[n]
	number := l.New
	if old {
		number = l.Old
	}
	var ink themes.Ink
	op := l.Op
	switch op {
	case "+":
		ink = m.st.Good
	case "-":
		ink = m.st.Danger
	default:
		op, ink = " ", m.st.Text
	}
	shown := ""
	switch {
	case part > 0:
		shown = m.st.Signs.Ellipsis
	case number > 0:
		shown = strconv.Itoa(number)
	}
	shown = strings.Repeat(" ", max(num-widget.Width(shown), 0)) + shown
	return widget.Line{}.Add(m.st.Muted, shown+" ").Add(ink.Bold(), op+" ").Add(ink, pieces[part])
}

// clean makes a line of a file safe and keeps its columns.
func clean(s string) string { return widget.Clean(strings.ReplaceAll(s, "\t", "    ")) }
