package board

import (
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// rowKey is everything that a drawn row depends on: equal keys are drawn once.
type rowKey struct {
	ref, title, sign, text string
	tone                   themes.Tone
	w                      int
	chosen, focus, list    bool
	marked                 bool
	room                   room
}

// cacheMax bounds the cache; a screen shows far fewer rows.
const cacheMax = 4096

// View draws the pane in its size: exactly that many lines of that width.
func (m *Model) View(now time.Time, focus bool) []string {
	if m.w <= 0 || m.h <= 0 {
		return nil
	}
	if len(m.cache) > cacheMax {
		clear(m.cache)
	}
	if m.snap == nil {
		return widget.Blank(m.w, m.h)
	}
	if m.asList {
		return m.viewList(now, focus)
	}
	return m.viewColumns(now, focus)
}

// shares are the columns on the screen and how wide each is.
func (m *Model) shares() (shown, widths []int) {
	var sizes []layout.Column
	for c := range m.cols {
		if !m.visible(c) {
			continue
		}
		col := &m.cols[c]
		weight := 4
		if col.role == board.RoleInProgress {
			weight = 6 // says what a worker does
		}
		shown = append(shown, c)
		sizes = append(sizes, layout.Column{
			Title: widget.Width(m.title(c)), Rows: len(col.rows), Weight: weight, Focus: c == m.col,
		})
	}
	return shown, layout.Columns(m.w, sizes)
}

func (m *Model) viewColumns(now time.Time, focus bool) []string {
	shown, widths := m.shares()
	blocks := make([][]string, len(shown))
	x := 0
	m.spots = m.spots[:0]
	for i, c := range shown {
		blocks[i] = m.viewColumn(c, widths[i], focus && c == m.col, now)
		m.spots[i].x = x
		if c == m.col {
			m.curX += x
		}
		x += widths[i]
	}
	return widget.Beside(blocks...)
}

func (m *Model) title(c int) string {
	col := &m.cols[c]
	if m.Filtered() && len(col.rows) != col.total {
		return col.name + " " + widget.Thousands(len(col.rows)) + " of " + widget.Thousands(col.total)
	}
	return col.name + " " + widget.Thousands(col.total)
}

// titleIn is the title in at most w cells: a count is there in full or not at
// all, for one that is cut reads as another.
func (m *Model) titleIn(c, w int) string {
	col := &m.cols[c]
	shown, total := widget.Thousands(len(col.rows)), widget.Thousands(col.total)
	titles := []string{m.title(c)}
	if m.Filtered() && shown != total {
		titles = append(titles, col.name+" "+shown+"/"+total, col.name+" "+shown)
	}
	for _, t := range append(titles, col.name) {
		if widget.Width(t) <= w {
			return t
		}
	}
	return col.name
}

func (m *Model) viewColumn(c, w int, focus bool, now time.Time) []string {
	col := &m.cols[c]
	iw, ih := widget.Inner(w, m.h)
	per := m.rowsPerColumn()
	box := widget.Box{Title: m.titleIn(c, iw-4), Focus: focus}
	top := max(0, min(col.top, len(col.rows)-per))
	if n := len(col.rows); n > per {
		last := min(top+per, n)
		if c == m.col {
			last = m.at + 1
		}
		box.Note = widget.Thousands(last) + " of " + widget.Thousands(n)
	}
	lines, rows := m.cards(c, top, iw, ih, focus, now)
	if at := slices.Index(rows, m.at); c == m.col {
		m.curX, m.curY = 1, 1+max(at, 0)
	}
	m.spots = append(m.spots, spot{w: w, col: c, rows: rows})
	return box.Render(lines, w, m.h, m.st)
}

// describe looks the row's worker and pull request up: both lists are short.
func (m *Model) describe(row *state.Row, now time.Time) present.Status {
	if busy := m.busy[row.Issue.Ref]; busy != "" {
		return present.Status{Tone: themes.ToneAccent, Sign: m.st.Signs.Ellipsis, Text: busy, Short: busy}
	}
	s := present.Describe(row, present.WorkerOf(m.snap, row), present.PullOf(m.snap, row.Issue.Ref), now, &m.st.Signs)
	if m.drafts[row.Issue.Ref] {
		s.Text = "your draft, not sent · " + s.Text
		s.Short = "draft"
	}
	return s
}

func (m *Model) bar(chosen, focus bool) widget.Span {
	switch {
	case chosen && focus:
		return widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	case chosen:
		return widget.Span{Ink: m.st.Muted, Text: m.st.Signs.Bar}
	}
	return widget.Span{Text: " "}
}

func (m *Model) cached(k rowKey, draw func() string) string {
	if s, ok := m.cache[k]; ok {
		return s
	}
	s := draw()
	m.cache[k] = s
	return s
}

// Cursor is where the terminal's cursor belongs after View: on the selected
// row.
func (m *Model) Cursor() (x, y int, ok bool) {
	if m.Selected() == nil {
		return 0, 0, false
	}
	if m.asList {
		line := m.lineOf(m.col, m.at) - m.top
		return 0, line, line >= 0 && line < m.h
	}
	return m.curX, m.curY, m.curX < m.w && m.curY < m.h-1
}
