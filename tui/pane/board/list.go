package board

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// listOrder is the order of the groups in the list: what moves first.
var listOrder = []board.Role{
	board.RoleBacklog, board.RoleInProgress, board.RoleQuestion, board.RoleHumanReview,
	board.RoleChangesRequested, board.RoleReady, board.RoleDone,
}

// order is the columns from left to right, or from top to bottom in the list.
func (m *Model) order() []int {
	out := make([]int, 0, len(m.cols))
	if !m.asList {
		for c := range m.cols {
			out = append(out, c)
		}
		return out
	}
	for _, r := range listOrder {
		out = append(out, m.columnOf(r))
	}
	return out
}

// groups are the columns that the list shows: visible and with rows.
func (m *Model) groups() []int {
	var out []int
	for _, c := range m.order() {
		if m.visible(c) && len(m.cols[c].rows) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// lineOf is the line of a row in the whole list; each group has a heading.
func (m *Model) lineOf(col, at int) int {
	line := 0
	for _, c := range m.groups() {
		if c == col {
			return line + 1 + at
		}
		line += 1 + len(m.cols[c].rows)
	}
	return 0
}

func (m *Model) listLines() int {
	n := 0
	for _, c := range m.groups() {
		n += 1 + len(m.cols[c].rows)
	}
	return n
}

func (m *Model) scrollList() {
	line := m.lineOf(m.col, m.at)
	h := max(m.h, 1)
	// The heading of the first row is worth showing with it.
	if m.at == 0 && line-1 < m.top {
		m.top = line - 1
	}
	win := widget.Window{Sel: line, Top: m.top}
	win.Clamp(max(m.listLines(), line+1), h)
	m.top = win.Top
}

// moveInList goes through the rows of all groups as if they were one.
func (m *Model) moveInList(mv widget.Move) {
	groups := m.groups()
	flat, total := 0, 0
	for _, c := range groups {
		if c == m.col {
			flat = total + m.at
		}
		total += len(m.cols[c].rows)
	}
	if total == 0 {
		return
	}
	flat = max(0, min(flat+mv.Step(total, m.h), total-1))
	for _, c := range groups {
		if n := len(m.cols[c].rows); flat >= n {
			flat -= n
			continue
		}
		m.at, m.sel = flat, m.ref(c, flat)
		// Leaving an open Backlog or Done folds it again, so the place is
		// looked up after the column has changed.
		m.col = c
		break
	}
	m.scrollList()
}

func (m *Model) viewList(now time.Time, focus bool) []string {
	out := make([]string, 0, m.h)
	m.lines = m.lines[:0]
	line := 0
	for _, c := range m.groups() {
		col := &m.cols[c]
		n := 1 + len(col.rows)
		if line+n <= m.top {
			line += n
			continue
		}
		for i := max(m.top-line, 0); i < n && len(out) < m.h; i++ {
			m.lines = append(m.lines, hit{c, i - 1})
			if i == 0 {
				out = append(out, m.heading(c, focus))
				continue
			}
			out = append(out, m.listRow(c, i-1, now, focus))
		}
		line += n
		if len(out) == m.h {
			break
		}
	}
	return widget.Fill(out, m.w, m.h)
}

func (m *Model) heading(c int, focus bool) string {
	ink := m.st.Title
	if focus && c == m.col {
		ink = m.st.Accent.Bold()
	}
	return widget.Line{{Ink: ink, Text: " " + m.title(c)}}.Render(m.w, false, m.st)
}

// listRow is one row: ref and title, and in few words why at the right.
func (m *Model) listRow(c, i int, now time.Time, focus bool) string {
	row := &m.snap.Rows[m.cols[c].rows[i]]
	chosen := c == m.col && i == m.at
	s := m.describe(row, now)
	k := rowKey{
		ref: string(row.Issue.Ref), title: row.Issue.Title, sign: s.Sign, text: s.Short, tone: s.Tone,
		w: m.w, chosen: chosen, focus: focus, list: true, marked: m.marks[row.Issue.Ref],
	}
	return m.cached(k, func() string {
		title := m.st.Text
		if chosen {
			title = m.st.Strong
		}
		left := widget.Line{m.bar(chosen, focus)}
		left = left.Add(m.refInk(k.marked), mark(k.marked)+widget.Clean(k.ref)+" ").Add(title, widget.Clean(k.title))
		right := widget.Line{}
		if k.sign != "" && s.Short != "" {
			right = right.Add(m.st.Tone(s.Tone), s.Sign+" ")
		}
		ink := m.st.Muted
		if s.Tone == themes.ToneAttention || s.Tone == themes.ToneDanger {
			ink = m.st.Tone(s.Tone)
		}
		right = right.Add(ink, widget.Cut(s.Short, max(m.w/3, 4))).Add(m.st.Text, " ")
		return listSides(left, right, m.w, chosen && focus, m.st)
	})
}

// listSides keeps the right part as long as a third of the row is left.
func listSides(left, right widget.Line, w int, chosen bool, st *themes.Styles) string {
	rw := right.Width()
	if rw+10 > w {
		return left.Render(w, chosen, st)
	}
	return left.Render(w-rw-1, chosen, st) + widget.Line{{Text: " "}}.Render(1, chosen, st) + right.Render(rw, chosen, st)
}
