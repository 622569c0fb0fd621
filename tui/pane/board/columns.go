package board

import (
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
	for i, c := range shown {
		blocks[i] = m.viewColumn(c, widths[i], focus && c == m.col, now)
	}
	return widget.Beside(blocks...)
}

func (m *Model) title(c int) string {
	col := &m.cols[c]
	if m.filter != "" && len(col.rows) != col.total {
		return col.name + " " + widget.Thousands(len(col.rows)) + " of " + widget.Thousands(col.total)
	}
	return col.name + " " + widget.Thousands(col.total)
}

func (m *Model) viewColumn(c, w int, focus bool, now time.Time) []string {
	col := &m.cols[c]
	iw, ih := widget.Inner(w, m.h)
	per := m.rowsPerColumn()
	box := widget.Box{Title: m.title(c), Focus: focus}
	top := max(0, min(col.top, len(col.rows)-per))
	if n := len(col.rows); n > per {
		last := min(top+per, n)
		if c == m.col {
			last = m.at + 1
		}
		box.Note = widget.Thousands(last) + " of " + widget.Thousands(n)
	}
	var lines []string
	for i := top; i < len(col.rows) && len(lines)+1 < ih+1; i++ {
		row := &m.snap.Rows[col.rows[i]]
		chosen := c == m.col && i == m.at
		s := m.describe(row, now)
		lines = append(lines, m.first(row, iw, chosen, focus), m.second(s, iw, chosen, focus))
	}
	return box.Render(lines, w, m.h, m.st)
}

// describe looks the row's worker and pull request up: both lists are short.
func (m *Model) describe(row *state.Row, now time.Time) present.Status {
	return present.Describe(row, present.WorkerOf(m.snap, row), present.PullOf(m.snap, row.Issue.Ref), now, &m.st.Signs)
}

// first is a row's ref and title.
func (m *Model) first(row *state.Row, w int, chosen, focus bool) string {
	k := rowKey{ref: string(row.Issue.Ref), title: row.Issue.Title, w: w, chosen: chosen, focus: focus}
	return m.cached(k, func() string {
		title := m.st.Text
		if chosen {
			title = m.st.Strong
		}
		line := widget.Line{m.bar(chosen, focus)}
		line = line.Add(m.st.Muted, widget.Clean(k.ref)+" ").Add(title, widget.Clean(k.title))
		return line.Render(w, chosen && focus, m.st)
	})
}

// second is why the row stands where it stands.
func (m *Model) second(s present.Status, w int, chosen, focus bool) string {
	k := rowKey{sign: s.Sign, text: s.Text, tone: s.Tone, w: w, chosen: chosen, focus: focus}
	return m.cached(k, func() string {
		bar := widget.Span{Text: " "}
		line := widget.Line{bar}.Add(m.st.Tone(s.Tone), s.Sign+" ")
		ink := m.st.Muted
		if s.Tone == themes.ToneAttention || s.Tone == themes.ToneDanger {
			ink = m.st.Tone(s.Tone)
		}
		return line.Add(ink, s.Text).Render(w, chosen && focus, m.st)
	})
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

// Cursor is where the terminal's cursor belongs: on the selected row.
func (m *Model) Cursor() (x, y int, ok bool) {
	if m.snap == nil || m.Selected() == nil {
		return 0, 0, false
	}
	if m.asList {
		line := m.lineOf(m.col, m.at) - m.top
		return 0, line, line >= 0 && line < m.h
	}
	x = 1
	shown, widths := m.shares()
	for i, c := range shown {
		if c == m.col {
			break
		}
		x += widths[i]
	}
	y = 1 + 2*(m.at-m.cols[m.col].top)
	return x, y, x < m.w && y < m.h
}
