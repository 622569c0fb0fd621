package board

// hit is a row on a line of the screen.
type hit struct{ col, row int }

// spot is where a column was drawn, and the row on each of its lines.
type spot struct {
	x, w int
	col  int
	rows []int // -1 for none
}

// at is the column under a cell, and the row if there is one.
func (m *Model) under(x, y int) (hit, bool) {
	if m.asList {
		if y < 0 || y >= len(m.lines) {
			return hit{}, false
		}
		return m.lines[y], m.lines[y].row >= 0
	}
	for i := range m.spots {
		s := &m.spots[i]
		if x < s.x || x >= s.x+s.w {
			continue
		}
		if y--; y >= 0 && y < len(s.rows) && s.rows[y] >= 0 {
			return hit{s.col, s.rows[y]}, true
		}
		return hit{s.col, -1}, false
	}
	return hit{}, false
}

// Click selects the row under a cell; it reports whether there is one. An empty
// or folded column that is clicked opens, if it has rows.
func (m *Model) Click(x, y int) bool {
	h, ok := m.under(x, y)
	if !ok {
		return false
	}
	m.col, m.at = h.col, h.row
	m.sel = m.ref(h.col, h.row)
	m.scroll()
	return m.sel != ""
}

// Wheel scrolls what is under a cell and leaves the selection where it is, as
// far as it stays on the screen.
func (m *Model) Wheel(x, by int) {
	if m.snap == nil {
		return
	}
	const lines = 3
	if m.asList {
		m.top = max(0, min(m.top+by*lines, m.listLines()-m.h))
		return
	}
	for i := range m.spots {
		s := &m.spots[i]
		if x >= s.x && x < s.x+s.w {
			c := &m.cols[s.col]
			c.top = max(0, min(c.top+by, len(c.rows)-m.rowsPerColumn()))
		}
	}
}
