package board

import (
	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/query"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// column is the rows of one role, by their place in the snapshot.
type column struct {
	role  board.Role
	name  string
	rows  []int // shown, after the filter
	total int   // before the filter
	top   int   // first row on the screen
}

// Model is the board pane.
type Model struct {
	st     *themes.Styles
	w, h   int
	asList bool

	snap   *state.Snapshot
	cols   []column // in the order of board.Roles
	col    int      // the column with the selection
	sel    board.Ref
	at     int // place of the selection in its column
	top    int // first line of the list
	filter query.Query
	marks  map[board.Ref]bool
	busy   map[board.Ref]string // what is under way on a row
	drafts map[board.Ref]bool   // rows with a text that is not sent
	cache  map[rowKey]string

	curX, curY int    // where the selection was drawn
	spots      []spot // where columns were drawn
	lines      []hit  // the list's rows, line by line
}

// New answers an empty board.
func New(st *themes.Styles) *Model {
	m := &Model{st: st, cache: map[rowKey]string{}, marks: map[board.Ref]bool{}, busy: map[board.Ref]string{}, drafts: map[board.Ref]bool{}}
	names := map[board.Role]string{
		board.RoleChangesRequested: "Changes", board.RoleInProgress: "In progress", board.RoleHumanReview: "Review",
	}
	for _, r := range board.Roles() {
		name := names[r]
		if name == "" {
			name = r.DefaultName()
		}
		m.cols = append(m.cols, column{role: r, name: name})
	}
	m.col = 1
	return m
}

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st; clear(m.cache) }

// SetSize says how much room there is, and whether the rows stand in one
// grouped list.
func (m *Model) SetSize(w, h int, asList bool) {
	m.w, m.h, m.asList = w, h, asList
	m.settle()
}

// SetSnapshot takes a new picture. The selection follows its issue.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	fresh := m.snap == nil
	near := m.neighbours()
	m.snap = s
	m.dropMarks()
	m.regroup()
	if _, _, ok := m.find(m.sel); !ok {
		for _, ref := range near {
			if _, _, ok := m.find(ref); ok {
				m.sel = ref
				break
			}
		}
	}
	if fresh || m.sel == "" {
		m.pickStart()
	}
	m.settle()
}

// neighbours are the rows around the selection, the next first: whichever of
// them still stands is selected when the selected issue is gone.
func (m *Model) neighbours() []board.Ref {
	const reach = 16
	var out []board.Ref
	for by := 1; by <= reach; by++ {
		if ref := m.ref(m.col, m.at+by); ref != "" {
			out = append(out, ref)
		}
	}
	for by := 1; by <= reach; by++ {
		if ref := m.ref(m.col, m.at-by); ref != "" {
			out = append(out, ref)
		}
	}
	return out
}

func (m *Model) regroup() {
	for i := range m.cols {
		m.cols[i].rows, m.cols[i].total = m.cols[i].rows[:0], 0
	}
	if m.snap == nil {
		return
	}
	for i := range m.snap.Rows {
		row := &m.snap.Rows[i]
		c := m.columnOf(row.Issue.Role)
		if c < 0 {
			continue
		}
		m.cols[c].total++
		if m.filter.Empty() || m.filter.Match(row, present.WorkerOf(m.snap, row)) {
			m.cols[c].rows = append(m.cols[c].rows, i)
		}
	}
}

func (m *Model) columnOf(r board.Role) int {
	for i := range m.cols {
		if m.cols[i].role == r {
			return i
		}
	}
	return -1
}

// pickStart selects what is worth looking at first: a row in work, else the
// first row of the first unfolded column that has one.
func (m *Model) pickStart() {
	for _, r := range []board.Role{
		board.RoleInProgress, board.RoleQuestion, board.RoleReady, board.RoleChangesRequested,
		board.RoleHumanReview, board.RoleBacklog, board.RoleDone,
	} {
		if c := m.columnOf(r); len(m.cols[c].rows) > 0 {
			if m.filter.Empty() && folds(r) {
				continue
			}
			m.col, m.at = c, 0
			m.sel = m.ref(c, 0)
			return
		}
	}
}

// settle brings selection, column and scroll positions in line after the rows
// or the room changed.
func (m *Model) settle() {
	if m.snap == nil {
		return
	}
	if c, i, ok := m.find(m.sel); ok {
		m.col, m.at = c, i
	} else {
		rows := m.cols[m.col].rows
		m.at = max(0, min(m.at, len(rows)-1))
		m.sel = m.ref(m.col, m.at)
	}
	m.scroll()
}

func (m *Model) scroll() {
	if m.asList {
		m.scrollList()
		return
	}
	c := &m.cols[m.col]
	win := widget.Window{Sel: m.at, Top: c.top}
	win.Clamp(len(c.rows), m.rowsPerColumn())
	c.top = win.Top
}

func (m *Model) rowsPerColumn() int { return max((m.h-2)/2, 1) }

func (m *Model) find(ref board.Ref) (col, at int, ok bool) {
	if ref == "" {
		return 0, 0, false
	}
	look := func(c int) bool {
		for i, r := range m.cols[c].rows {
			if m.snap.Rows[r].Issue.Ref == ref {
				col, at, ok = c, i, true
				return true
			}
		}
		return false
	}
	if look(m.col) {
		return col, at, ok
	}
	for c := range m.cols {
		if c != m.col && look(c) {
			break
		}
	}
	return col, at, ok
}

func (m *Model) ref(c, i int) board.Ref {
	if i < 0 || i >= len(m.cols[c].rows) {
		return ""
	}
	return m.snap.Rows[m.cols[c].rows[i]].Issue.Ref
}

// Selected is the row under the selection, nil without one.
func (m *Model) Selected() *state.Row {
	if m.snap == nil || m.at < 0 || m.at >= len(m.cols[m.col].rows) {
		return nil
	}
	return &m.snap.Rows[m.cols[m.col].rows[m.at]]
}

// Select puts the selection on a ref, unfolding its column; it reports whether
// the board shows it.
func (m *Model) Select(ref board.Ref) bool {
	if m.snap == nil {
		return false
	}
	c, i, ok := m.find(ref)
	if !ok {
		return false
	}
	m.col, m.at, m.sel = c, i, ref
	m.scroll()
	return true
}

// Folded says what stands folded to the left and to the right of the columns,
// for example "Backlog 12" and "Done 31"; empty when it is open or has no row.
func (m *Model) Folded() (left, right string) {
	name := func(c int) string {
		if m.visible(c) || m.cols[c].total == 0 {
			return ""
		}
		return m.cols[c].name + " " + widget.Thousands(m.cols[c].total)
	}
	return name(0), name(len(m.cols) - 1)
}

func folds(r board.Role) bool { return r == board.RoleBacklog || r == board.RoleDone }

// visible says whether a column is shown.
func (m *Model) visible(c int) bool {
	if !folds(m.cols[c].role) {
		return true
	}
	return c == m.col || (m.Filtered() && len(m.cols[c].rows) > 0)
}

// Move carries a move out in the column, or through the list.
func (m *Model) Move(mv widget.Move) {
	if mv == widget.MoveNone || m.snap == nil {
		return
	}
	if m.asList {
		m.moveInList(mv)
		return
	}
	c := &m.cols[m.col]
	win := widget.Window{Sel: m.at, Top: c.top}
	win.Apply(mv, len(c.rows), m.rowsPerColumn())
	m.at, c.top = win.Sel, win.Top
	m.sel = m.ref(m.col, m.at)
}

// Step goes to the next column that has rows, on that side; folded ones open.
func (m *Model) Step(by int) {
	if m.snap == nil {
		return
	}
	order := m.order()
	at := 0
	for i, c := range order {
		if c == m.col {
			at = i
		}
	}
	for i := at + by; i >= 0 && i < len(order); i += by {
		c := order[i]
		if len(m.cols[c].rows) == 0 {
			continue
		}
		m.col = c
		m.at = min(m.cols[c].top, len(m.cols[c].rows)-1)
		m.sel = m.ref(c, m.at)
		m.scroll()
		return
	}
}
