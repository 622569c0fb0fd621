package money

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

func (m *Model) name(s section, at int) string {
	name := widget.Clean(s.lines[at].Name)
	if s.refs {
		if r := present.RowOf(m.snap, board.Ref(s.lines[at].Name)); r != nil {
			name += " " + widget.Clean(r.Issue.Title)
		}
	}
	return name
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	iw, ih := widget.Inner(m.body.W, m.body.H)
	box := widget.Box{Title: "Money", Focus: true}
	sums, known := m.reads.Get(struct{}{})
	s := m.reads.State(struct{}{})
	if !known {
		ink, text := m.st.Muted, "adding up"
		switch {
		case s.Err != nil:
			ink, text = m.st.Danger, m.st.Signs.Failed+" the sums cannot be read: "+widget.Clean(s.Err.Error())
		case m.snap != nil:
			text = widget.Money(m.snap.CostToday) + " today; adding up the rest"
		}
		return box.Render([]string{widget.Line{}.Add(ink, " "+text).Render(iw, false, m.st)}, m.body.W, m.body.H, m.st)
	}
	box.Note = "as of " + s.At.In(now.Location()).Format("15:04:05")
	if s.Err != nil {
		box.Note = m.st.Signs.Failed + " not read again: " + widget.Clean(s.Err.Error()) + " · " + box.Note
	}
	lines := m.head(&sums, iw)
	for i := m.win.Top; i < len(m.rows) && len(lines) < ih; i++ {
		lines = append(lines, m.line(m.rows[i], iw, i == m.win.Sel))
	}
	if len(m.rows) > m.height() {
		box.Foot = fmt.Sprintf("%d of %d", m.win.Sel+1, len(m.rows))
	}
	return box.Render(lines, m.body.W, m.body.H, m.st)
}

// head is the day's sum, what of it is not priced, and an empty line.
func (m *Model) head(sums *state.Money, w int) []string {
	today := widget.Line{{Text: " "}}.Add(m.st.Strong, widget.Money(sums.Today)).Add(m.st.Text, " today")
	if sums.Cap > 0 {
		today = today.Add(m.st.Muted, " of "+strings.TrimSuffix(widget.Money(sums.Cap), ".00")).Add(m.st.Text, "  ").
			Add(m.st.Accent, bar(sums.Today/sums.Cap, 20, m.st))
		if sums.Today >= sums.Cap {
			today = today.Add(m.st.Warn, "  the day's limit is reached: nothing new starts")
		}
	}
	out := []string{today.Render(w, false, m.st)}
	if sums.Unpriced > 0 {
		out = append(out, widget.Line{}.Add(m.st.Warn, " price unknown: "+widget.Tokens(sums.Unpriced)+" not counted").Render(w, false, m.st))
	}
	return append(out, widget.Blank(w, 1)...)
}

// bar is a share of a whole in cells.
func bar(share float64, cells int, st *themes.Styles) string {
	n := int(max(0, min(share, 1))*float64(cells) + 0.5)
	return strings.Repeat(st.Borders.Thick.Horizontal, n) + strings.Repeat(st.Signs.Dot, cells-n)
}

// barCells is how wide the bars beside the sums are.
const barCells = 16

func (m *Model) line(r row, w int, chosen bool) string {
	s := m.sections()[r.section]
	first := widget.Span{Text: " "}
	if chosen {
		first = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	if r.line < 0 {
		line := (widget.Line{first}).Add(m.st.Title, s.title)
		switch {
		case m.folded[r.section]:
			line = line.Add(m.st.Muted, fmt.Sprintf("  %d lines; ↵ unfolds", len(s.lines)))
		case len(s.lines) == 0:
			line = line.Add(m.st.Muted, "  nothing yet")
		}
		return line.Render(w, chosen, m.st)
	}
	l := &s.lines[r.line]
	most := 0.0
	for i := range s.lines {
		most = max(most, s.lines[i].USD)
	}
	right := widget.Line{}.Add(m.st.Strong, atRight(widget.Money(l.USD), 9))
	if w >= 50 {
		right = right.Add(m.st.Muted, atRight(widget.Tokens(l.Tokens), 13)+atRight(widget.Count(l.Runs, "run", "runs"), 10)+" ")
	}
	if w >= barsFrom && most > 0 {
		right = append(widget.Line{}.Add(m.st.Accent, bar(l.USD/most, barCells, m.st)+" "), right...)
	}
	// The sums are what this page is for: a long title gives way to them.
	name := widget.Cut("  "+m.name(s, r.line), max(w-right.Width()-2, 1))
	return widget.Sides((widget.Line{first}).Add(m.st.Text, name).Mark(m.find, m.st.Accent.Reverse()), right, w, chosen, m.st)
}

// barsFrom is from which width on there are bars beside the sums.
const barsFrom = 76

func atRight(s string, w int) string { return strings.Repeat(" ", max(w-widget.Width(s), 0)) + s }

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 1 + m.headRows() + m.win.Sel - m.win.Top
	return 1, y, len(m.rows) > 0 && m.body.W >= 4 && y < m.body.H-1
}
