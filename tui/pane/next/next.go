package next

import (
	"fmt"
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

// Load answers what the next firing would do. There is one answer.
type Load = fetch.Load[struct{}, state.Preview]

// row is one line of the page: a heading, or what is to become of a row.
type row struct {
	heading string
	line    int
}

// Model is the page.
type Model struct {
	st    *themes.Styles
	snap  *state.Snapshot
	body  layout.Rect
	reads *fetch.Value[struct{}, state.Preview]
	now   time.Time
	seen  [2]uint64 // firing and version for which it was read
	rows  []row
	win   widget.Window
	ref   board.Ref
	find  string
}

// New answers an empty page.
func New(st *themes.Styles) *Model {
	return &Model{st: st, reads: fetch.New[struct{}, state.Preview](nil)}
}

// SetLoad says where the answer is read.
func (m *Model) SetLoad(load Load) { m.reads = fetch.New(load) }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the page stands.
func (m *Model) SetBody(body layout.Rect, _ layout.Shape) { m.body = body; m.lay() }

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) { m.snap = s }

// again is how old an answer may be while pictures arrive.
const again = 5 * time.Second

// Ask reads the answer, and again after a firing, or when it has become old
// while things happen.
func (m *Model) Ask(now time.Time) tea.Cmd {
	m.now = now
	cmd := m.reads.Want(struct{}{}, now)
	if m.snap == nil {
		return cmd
	}
	is := [2]uint64{uint64(max(m.snap.Firing, 0)), m.snap.Version}
	old := now.Sub(m.reads.State(struct{}{}).At) > again
	switch {
	case cmd != nil:
		m.seen = is
	case is[0] != m.seen[0] || (is != m.seen && old):
		m.seen = is
		cmd = m.reads.Renew(now)
	}
	return cmd
}

// Take takes the answer.
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

// lay lists what would be done, then what waits; the selection stays with its
// row.
func (m *Model) lay() {
	p, _ := m.reads.Get(struct{}{})
	m.rows = m.rows[:0]
	for _, part := range []struct {
		title string
		in    func(l *state.PreviewLine) bool
	}{
		{"Would do", func(l *state.PreviewLine) bool { return l.Does != "" }},
		{"Would wait", func(l *state.PreviewLine) bool { return l.Does == "" }},
	} {
		head := len(m.rows)
		n := 0
		for i := range p.Lines {
			l := &p.Lines[i]
			if !part.in(l) {
				continue
			}
			n++
			if m.find != "" && !widget.Holds(m.name(l)+" "+l.Does+" "+l.Waits, m.find) {
				continue
			}
			if len(m.rows) == head {
				m.rows = append(m.rows, row{heading: part.title})
			}
			if l.Ref == m.ref {
				m.win.Sel = len(m.rows)
			}
			m.rows = append(m.rows, row{line: i})
		}
		if len(m.rows) > head {
			m.rows[head].heading = fmt.Sprintf("%s %d", part.title, n)
		}
	}
	if m.ref == "" && m.win.Sel == 0 && len(m.rows) > 1 {
		m.win.Sel = 1 // the first row, below its heading
	}
	m.clamp()
}

func (m *Model) clamp() {
	_, h := widget.Inner(m.body.W, m.body.H)
	m.win.Clamp(len(m.rows), h)
	if m.win.Sel == 1 {
		m.win.Top = 0 // its heading too
	}
	m.ref = ""
	if l := m.selected(); l != nil {
		m.ref = l.Ref
	}
}

func (m *Model) selected() *state.PreviewLine {
	p, _ := m.reads.Get(struct{}{})
	if m.win.Sel < 0 || m.win.Sel >= len(m.rows) || m.rows[m.win.Sel].heading != "" {
		return nil
	}
	return &p.Lines[m.rows[m.win.Sel].line]
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
