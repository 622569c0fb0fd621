package board

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/tui/query"
)

// SetFilter keeps the rows that pass a query, in every column; the empty text
// keeps all.
func (m *Model) SetFilter(text string) {
	m.filter = query.Parse(text)
	m.regroup()
	if m.Filtered() && len(m.cols[m.col].rows) == 0 {
		m.pickStart()
	}
	// A ref that is typed in full means that issue and no other.
	if c, at, ok := m.find(board.Ref(strings.ToUpper(strings.TrimSpace(text)))); ok {
		m.col, m.at, m.sel = c, at, m.ref(c, at)
	}
	m.settle()
}

// Filtered says that only what matches is shown.
func (m *Model) Filtered() bool { return !m.filter.Empty() }

// Matches says how many rows pass the filter, of how many.
func (m *Model) Matches() (shown, total int) {
	for i := range m.cols {
		shown += len(m.cols[i].rows)
		total += m.cols[i].total
	}
	return shown, total
}
