package issue

import (
	"fmt"
	"strings"
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

// sideWidth is the width of the facts beside the text.
func (m *Model) sideWidth() int {
	if !m.wide {
		return 0
	}
	return min(max(m.body.W/3, 40), 64)
}

// headRows are the lines above the boxes.
func (m *Model) headRows() int {
	if m.body.H < 8 {
		return 0
	}
	return 2
}

// room is the size of the scrolling text.
func (m *Model) room() (w, h int) {
	iw, ih := widget.Inner(m.body.W-m.sideWidth(), m.body.H-m.headRows())
	return max(iw-2, 0), max(ih, 1)
}

// sideRoom is the same beside it.
func (m *Model) sideRoom() (w, h int) {
	iw, ih := widget.Inner(m.sideWidth(), m.body.H-m.headRows())
	return max(iw-2, 0), max(ih, 1)
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	issue := m.issue()
	if issue == nil {
		return m.gone()
	}
	m.now = now
	m.lay(issue, now)
	if m.toWhy && m.reads.State(m.ref).Known {
		m.goToWhy()
	}
	head := m.heading(issue, now)
	side := m.sideWidth()
	h := m.body.H - m.headRows()
	main := m.viewText(issue, m.body.W-side, h)
	if side > 0 {
		main = widget.Beside(main, m.viewSide(side, h))
	}
	return widget.Fill(append(head, main...), m.body.W, m.body.H)
}

func (m *Model) gone() []string {
	iw, _ := widget.Inner(m.body.W, m.body.H)
	text := widget.Clean(string(m.ref)) + " is not on the board any more; esc goes back"
	if m.ref == "" {
		text = "no issue is open; gi goes to one"
	}
	line := widget.Line{}.Add(m.st.Muted, " "+text).Render(iw, false, m.st)
	return widget.Box{Title: "Issue", Focus: true}.Render([]string{line}, m.body.W, m.body.H, m.st)
}

func (m *Model) viewText(issue *board.Issue, w, h int) []string {
	iw, ih := widget.Inner(w, h)
	m.win.Clamp(len(m.text.rows), max(ih, 1))
	box := widget.Box{Title: "Description", Focus: !m.Inside()}
	if m.headRows() == 0 {
		box.Title = widget.Clean(string(issue.Ref) + " " + issue.Title)
	}
	if n := len(m.text.rows); n > ih {
		box.Foot = fmt.Sprintf("%d of %d lines", min(m.win.Top+ih, n), n)
	}
	return box.Render(m.rowsOf(&m.text, &m.win, iw, ih, !m.Inside()), w, h, m.st)
}

func (m *Model) viewSide(w, h int) []string {
	iw, ih := widget.Inner(w, h)
	m.side.Clamp(len(m.facts.rows), max(ih, 1))
	box := widget.Box{Title: "Why", Focus: m.Inside()}
	if n := len(m.facts.rows); n > ih {
		box.Foot = fmt.Sprintf("%d of %d lines", min(m.side.Top+ih, n), n)
	}
	return box.Render(m.rowsOf(&m.facts, &m.side, iw, ih, m.Inside()), w, h, m.st)
}

// rowsOf are the rows of a page on the screen, the one under the cursor marked.
func (m *Model) rowsOf(p *page, win *widget.Window, iw, ih int, focus bool) []string {
	out := make([]string, 0, ih)
	for i := win.Top; i < len(p.rows) && len(out) < ih; i++ {
		if focus && i == win.Sel {
			out = append(out, m.st.Focus.Render(m.st.Signs.Bar)+widget.Pad(p.rows[i], 0, iw-1))
			continue
		}
		out = append(out, widget.Pad(p.rows[i], 1, iw))
	}
	return out
}

// Boxes counts an issue's ticked boxes: `1 of 2 boxes`, empty without any.
func Boxes(body string) string {
	done, all, _ := board.AllTicked(body)
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s", done, widget.Count(all, "box", "boxes"))
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	win, left := &m.win, 0
	if m.Inside() {
		win, left = &m.side, m.body.W-m.sideWidth()
	}
	y = m.headRows() + 1 + win.Sel - win.Top
	return left + 1, y, m.issue() != nil && len(m.text.rows) > 0 && m.body.W >= 4 && y < m.body.H-1
}

// heading is what the issue is and where it goes, and how it stands.
func (m *Model) heading(issue *board.Issue, now time.Time) []string {
	if m.headRows() == 0 {
		return nil
	}
	title := widget.Line{{Text: " "}}.Add(m.st.Title, widget.Clean(string(issue.Ref)+" "+issue.Title))
	path := widget.Line{}
	for i, step := range steps(issue) {
		if i > 0 {
			path = path.Add(m.st.Muted, " "+m.st.Signs.Right+" "+step)
			continue
		}
		path = path.Add(m.st.Accent, step)
	}
	parts := []string{}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	line := widget.Line{{Text: " "}}
	w := present.LastWorker(m.snap, m.ref)
	if w != nil {
		s := present.WorkerState(w, now, &m.st.Signs)
		line = line.Add(m.st.Tone(s.Tone), s.Sign+" ")
		add(s.Text)
	}
	add(widget.Clean(issue.Milestone))
	add(widget.Clean(strings.Join(issue.Labels, ", ")))
	if w != nil {
		add("try " + fmt.Sprint(max(w.Run.Attempt, 1)))
		if w.CostUSD > 0 {
			add(widget.Money(w.CostUSD))
		}
	}
	if p := present.PullOf(m.snap, m.ref); p != nil {
		name := "PR " + widget.Clean(p.PR.Name)
		if p.PR.Draft {
			name += " draft"
		}
		add(name)
	}
	if ago := widget.Ago(issue.CreatedAt, now); ago != "" {
		by := ""
		if issue.CreatedBy != "" {
			by = " by " + widget.Clean(issue.CreatedBy)
		}
		add("created " + ago + by)
	}
	line = line.Add(m.st.Muted, strings.Join(parts, " · "))
	return []string{
		widget.Sides(title, path.Add(m.st.Muted, " "), m.body.W, false, m.st), line.Render(m.body.W, false, m.st),
	}
}

// steps is where the issue stands, and the way that is left.
func steps(issue *board.Issue) []string {
	name := issue.State
	if name == "" {
		name = issue.Role.DefaultName()
	}
	at := widget.Clean(name)
	progress, review, done := board.RoleInProgress.DefaultName(), board.RoleHumanReview.DefaultName(), board.RoleDone.DefaultName()
	switch issue.Role {
	case board.RoleBacklog:
		return []string{at, board.RoleReady.DefaultName(), progress, review, done}
	case board.RoleReady, board.RoleChangesRequested:
		return []string{at, progress, review, done}
	case board.RoleQuestion:
		return []string{at, "your answer", progress, review, done}
	case board.RoleInProgress:
		return []string{at, review, done}
	case board.RoleHumanReview:
		return []string{at, done}
	case board.RoleDone, board.RoleNone:
	}
	return []string{at}
}
