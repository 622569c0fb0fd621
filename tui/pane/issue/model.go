package issue

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
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Load answers an issue in full.
type Load = fetch.Load[board.Ref, state.Detail]

// Model is the issue page.
type Model struct {
	st     *themes.Styles
	snap   *state.Snapshot
	ref    board.Ref
	body   layout.Rect
	wide   bool
	inside bool // what stands beside the text has the focus, where there is room for it
	rules  bool // every rule is shown
	toWhy  bool // go to the rules once they are here
	open   map[int]bool
	find   string

	reads *fetch.Value[board.Ref, state.Detail]
	now   time.Time
	seen  seen // for what the detail was read

	win   widget.Window // the row of the text under the cursor
	side  widget.Window // the same beside it
	text  page
	facts page
}

// page is rows laid out, and what stands where.
type page struct {
	key      pageKey
	rows     []string
	boxes    map[int]int // row to box, 1 is the first
	comments []int       // rows at which comments begin
	firings  map[int]int // row to firing
	why      int         // row at which the rules begin
}

// pageKey is what laid out rows depend on.
type pageKey struct {
	ref      board.Ref
	w        int
	minute   int64
	theme    string
	body     string
	comments int
	last     time.Time
	read     time.Time
	err      string
	find     string
	folds    int
	version  uint64
	rules    bool
}

// seen is what a detail depends on.
type seen struct {
	firing   int
	run      string
	role     board.Role
	hold     string
	comments int
	body     string
}

// New answers an empty page.
func New(st *themes.Styles) *Model {
	return &Model{st: st, open: map[int]bool{}, reads: fetch.New[board.Ref, state.Detail](nil)}
}

// SetLoad says where issues are read in full.
func (m *Model) SetLoad(load Load) { m.reads = fetch.New(load) }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the page stands. Its first two lines are its heading.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.body, m.wide = body, shape == layout.ShapeColumns
}

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) { m.snap = s }

// Open shows an issue from its start.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	if s.Ref != m.ref {
		m.open = map[int]bool{}
	}
	m.ref, m.win, m.side, m.inside, m.rules, m.toWhy, m.seen = s.Ref, widget.Window{}, widget.Window{}, false, false, false, seen{}
	return nil, ""
}

// Ref is the issue on the page.
func (m *Model) Ref() board.Ref { return m.ref }

// Ask reads the issue in full, and again when it has changed.
func (m *Model) Ask(now time.Time) tea.Cmd {
	m.now = now
	if m.ref == "" {
		return nil
	}
	is := seen{}
	if row := present.RowOf(m.snap, m.ref); row != nil {
		is = seen{m.snap.Firing, row.Run, row.Issue.Role, row.Hold, len(row.Issue.Comments), row.Issue.Body}
	}
	cmd := m.reads.Want(m.ref, now)
	if cmd == nil && is != m.seen {
		cmd = m.reads.Renew(now)
	}
	m.seen = is
	return cmd
}

// Take takes an issue that was read.
func (m *Model) Take(msg tea.Msg) pane.Reply {
	mine, cmd := m.reads.Take(msg, m.now)
	if !mine {
		return pane.Reply{}
	}
	r := pane.Done()
	r.Cmd = cmd
	return r
}

// issue is the newest that is known of the issue; nil when it is gone.
func (m *Model) issue() *board.Issue {
	row := present.RowOf(m.snap, m.ref)
	d, known := m.reads.Get(m.ref)
	switch {
	case row == nil && !known:
		return nil
	case row == nil:
		return &d.Issue
	case known && len(d.Issue.Comments) > len(row.Issue.Comments):
		// The picture of some boards has no comments.
		full := row.Issue
		full.Comments = d.Issue.Comments
		return &full
	}
	return &row.Issue
}

// Boxes counts an issue's ticked boxes: `1 of 2 boxes`, empty without any.
func Boxes(body string) string {
	done, all, _ := board.AllTicked(body)
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s", done, widget.Count(all, "box", "boxes"))
}
