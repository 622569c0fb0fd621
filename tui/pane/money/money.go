package money

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Load answers the sums. Its key says nothing: there is one answer.
type Load = fetch.Load[struct{}, state.Money]

// row is one line of the page: a heading, or a sum below it.
type row struct {
	section int
	line    int // -1 for the heading
}

// Model is the page.
type Model struct {
	st     *themes.Styles
	snap   *state.Snapshot
	body   layout.Rect
	reads  *fetch.Value[struct{}, state.Money]
	now    time.Time
	firing int     // for which the sums were read
	cost   float64 // the day's, then
	folded map[int]bool
	rows   []row
	win    widget.Window
	find   string
}

// New answers an empty page.
func New(st *themes.Styles) *Model {
	return &Model{st: st, reads: fetch.New[struct{}, state.Money](nil), folded: map[int]bool{}}
}

// SetLoad says where the sums are read.
func (m *Model) SetLoad(load Load) { m.reads = fetch.New(load) }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the page stands.
func (m *Model) SetBody(body layout.Rect, _ layout.Shape) { m.body = body; m.lay() }

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) { m.snap = s }

// Ask reads the sums, and again when they can have changed.
func (m *Model) Ask(now time.Time) tea.Cmd {
	m.now = now
	cmd := m.reads.Want(struct{}{}, now)
	if m.snap == nil || (m.snap.Firing == m.firing && m.snap.CostToday == m.cost) {
		return cmd
	}
	m.firing, m.cost = m.snap.Firing, m.snap.CostToday
	if cmd == nil {
		cmd = m.reads.Renew(now)
	}
	return cmd
}

// Take takes the sums.
func (m *Model) Take(msg tea.Msg) pane.Reply {
	mine, cmd := m.reads.Take(msg, m.now)
	if !mine {
		return pane.Reply{}
	}
	m.lay()
	r := pane.Done()
	r.Cmd = cmd
	return r
}

// section is one way to add up.
type section struct {
	title string
	lines []state.MoneyLine
	refs  bool // the names are issues
}

func (m *Model) sections() []section {
	sums, _ := m.reads.Get(struct{}{})
	return []section{{"By issue", sums.ByIssue, true}, {"By day", sums.ByDay, false}, {"By kind", sums.ByKind, false}}
}

// lay lists the lines of the page.
func (m *Model) lay() {
	m.rows = m.rows[:0]
	for i, s := range m.sections() {
		m.rows = append(m.rows, row{i, -1})
		if m.folded[i] {
			continue
		}
		for j := range s.lines {
			if m.find == "" || widget.Holds(m.name(s, j), m.find) {
				m.rows = append(m.rows, row{i, j})
			}
		}
	}
	m.win.Clamp(len(m.rows), m.height())
}

// height is the room of the lines below the sum of today.
func (m *Model) height() int {
	_, h := widget.Inner(m.body.W, m.body.H)
	return max(h-m.headRows(), 1)
}

func (m *Model) headRows() int {
	sums, _ := m.reads.Get(struct{}{})
	if sums.Unpriced > 0 {
		return 3
	}
	return 2
}

func (m *Model) selected() (row, bool) {
	if m.win.Sel < 0 || m.win.Sel >= len(m.rows) {
		return row{}, false
	}
	return m.rows[m.win.Sel], true
}

func (m *Model) ref() board.Ref {
	r, ok := m.selected()
	s := m.sections()
	if !ok || r.line < 0 || !s[r.section].refs || r.line >= len(s[r.section].lines) {
		return ""
	}
	return board.Ref(s[r.section].lines[r.line].Name)
}
