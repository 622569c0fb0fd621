package board

import (
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Mark marks the selected row or takes its mark away, and steps on; it reports
// whether there is a row.
func (m *Model) Mark() bool {
	row := m.Selected()
	if row == nil {
		return false
	}
	ref := row.Issue.Ref
	if m.marks[ref] {
		delete(m.marks, ref)
	} else {
		m.marks[ref] = true
	}
	m.Move(widget.MoveDown)
	return true
}

// Unmark takes all marks away.
func (m *Model) Unmark() { clear(m.marks) }

// Marks are the marked rows that are still on the board, in its order. A filter
// does not hide them from what acts on all.
func (m *Model) Marks() []board.Ref {
	if m.snap == nil || len(m.marks) == 0 {
		return nil
	}
	var out []board.Ref
	for i := range m.snap.Rows {
		if ref := m.snap.Rows[i].Issue.Ref; m.marks[ref] {
			out = append(out, ref)
		}
	}
	return out
}

// dropMarks forgets the marks of rows that are gone.
func (m *Model) dropMarks() {
	if len(m.marks) == 0 {
		return
	}
	still := m.Marks()
	for ref := range m.marks {
		if !slices.Contains(still, ref) {
			delete(m.marks, ref)
		}
	}
}

// SetBusy says what is under way on rows, and which have a text that is not
// sent; both stand on the row.
func (m *Model) SetBusy(busy map[board.Ref]string, drafts map[board.Ref]bool) {
	m.busy, m.drafts = busy, drafts
}

// Neighbour is the row above (by -1) or below the selected one in its column,
// whatever find hides; empty at the end.
func (m *Model) Neighbour(by int) board.Ref {
	row := m.Selected()
	if row == nil {
		return ""
	}
	last := board.Ref("")
	for i := range m.snap.Rows {
		r := &m.snap.Rows[i].Issue
		if r.Role != row.Issue.Role {
			continue
		}
		switch {
		case by < 0 && r.Ref == row.Issue.Ref:
			return last
		case by > 0 && last == row.Issue.Ref:
			return r.Ref
		}
		last = r.Ref
	}
	return ""
}

// Folds says that every row stands in a folded column.
func (m *Model) Folds() bool {
	if m.snap == nil || m.Filtered() {
		return false
	}
	for c := range m.cols {
		if m.visible(c) && m.cols[c].total > 0 {
			return false
		}
	}
	return true
}
