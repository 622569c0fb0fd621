package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
	"github.com/backside4charter/dispatcher/tui/present"
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
	if m.w > 0 && m.h > 0 {
		v.Content = strings.Join(m.draw(now), "\n")
		v.Cursor = m.cursor()
	}
	m.drawn, m.dirty = v, false
	return v
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
	switch m.mode {
	case modeMenu:
		lines = m.viewMenu(lines)
	case modeHelp:
		lines = m.viewHelp(lines)
	case modeBrowse, modeAnswer, modeFind, modeGoto:
	}
	return lines
}

func (m *Model) body(now time.Time) []string {
	if m.snap == nil {
		return m.waiting(now)
	}
	switch m.view {
	case viewBoard:
		return m.viewBoard(now)
	case viewWorkers:
		return m.wview.View(now)
	case viewNeeds:
		return m.needs.View(now)
	case viewPulls:
		return m.pulls.View(now)
	case viewLog:
		return m.log.View(now)
	case viewIssue:
		return m.issue.View(now)
	}
	return nil
}

func (m *Model) waiting(now time.Time) []string {
	b := m.frame.Body
	text := " waiting for the first picture of the loop, " + widget.Clock(now.Sub(m.started))
	if m.lost {
		text = " there is no loop to show; q leaves"
	}
	return []string{widget.Line{}.Add(m.styles.Muted, text).Render(b.W, false, m.styles)}
}

func (m *Model) viewBoard(now time.Time) []string {
	focus := !m.stripFocus()
	p := &m.place
	if empty := m.emptyBoard(); empty != "" {
		return m.note(empty, p.List.W+p.Detail.W, m.frame.Body.H)
	}
	list := m.board.View(now, focus)
	if !p.Strip.Empty() {
		return append(list, m.strip.View(m.selectedRef(), m.lead(now), now, m.stripFocus())...)
	}
	if p.Detail.Empty() {
		return list
	}
	return widget.Beside(list, m.detail(p.Detail, now))
}

// emptyBoard says what would be here, when there is nothing.
func (m *Model) emptyBoard() string {
	shown, total := m.board.Matches()
	switch {
	case total == 0 && m.snap.PolledAt.IsZero():
		return "reading the board"
	case total == 0:
		return "no issues in " + m.milestones() + "; dispatcher board create makes one"
	case shown == 0:
		return "nothing matches `" + widget.Clean(m.filter) + "`; esc shows all " + widget.Thousands(total)
	}
	return ""
}

// lead is the selected issue as the first box of the strip.
func (m *Model) lead(now time.Time) *workers.Lead {
	if !m.leads() {
		return nil
	}
	row := m.board.Selected()
	return &workers.Lead{
		Title: widget.Clean(string(row.Issue.Ref) + " " + row.Issue.Title),
		Lines: func(w, h int) []string { return issue.Reading(m.snap, row, w, h, now, m.styles) },
	}
}

func (m *Model) note(text string, w, h int) []string {
	var out []string
	for _, l := range widget.Wrap(text, max(w-2, 1)) {
		out = append(out, widget.Line{}.Add(m.styles.Muted, " "+l).Render(w, false, m.styles))
	}
	return widget.Fill(out, w, h)
}

// detail is the selected issue beside the list: in short, then its worker's
// stream, or its text if no worker is at it.
func (m *Model) detail(r layout.Rect, now time.Time) []string {
	st := m.styles
	row := m.board.Selected()
	w := r.W - 2
	if row == nil || w < 4 {
		return widget.Blank(r.W, r.H)
	}
	lines := issue.Brief(m.snap, row, w, r.H, now, st)
	if room := r.H - len(lines) - 1; room > 0 {
		lines = append(lines, widget.Divider("", w, st))
		if worker := present.WorkerOf(m.snap, row); worker != nil {
			lines = append(lines, m.strip.Stream(worker, w, room, now)...)
		} else {
			lines = append(lines, issue.Reading(m.snap, row, w, room, now, st)...)
		}
	}
	side := st.Border.Render(st.Borders.Thin.Vertical) + " "
	out := make([]string, 0, r.H)
	for _, l := range widget.Fill(lines, w, r.H) {
		out = append(out, side+l)
	}
	return out
}

// overlay lays a box over the middle of the screen.
func overlay(lines, box []string, w, h int) []string {
	if len(box) == 0 {
		return lines
	}
	r := layout.Center(w, h, widget.DrawnWidth(box[0]), len(box))
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
	if m.mode == modeFind && m.frame.Subject.H > 0 {
		x, _ := m.find.Cursor()
		return at(min(x+3, m.w-1), m.frame.Subject.Y)
	}
	if m.snap == nil || m.mode == modeMenu || m.mode == modeHelp {
		return nil
	}
	x, y, ok := 0, 0, false
	switch m.view {
	case viewBoard:
		if m.stripFocus() || m.emptyBoard() != "" {
			return nil
		}
		x, y, ok = m.board.Cursor()
	case viewWorkers:
		x, y, ok = m.wview.Cursor()
	case viewNeeds:
		x, y, ok = m.needs.Cursor()
	case viewPulls:
		x, y, ok = m.pulls.Cursor()
	case viewLog:
		x, y, ok = m.log.Cursor()
	case viewIssue:
	}
	if !ok || y >= m.frame.Body.H || x >= m.w {
		return nil
	}
	return at(x, m.frame.Body.Y+y)
}

func at(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Blink = false
	return c
}
