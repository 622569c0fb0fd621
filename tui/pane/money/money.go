package money

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
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

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		m.win.Apply(mv, len(m.rows), m.height())
		return pane.Done()
	}
	switch a {
	case keymap.Open:
		if ref := m.ref(); ref != "" {
			return pane.Reply{} // the root opens the issue
		}
		if !m.reads.State(struct{}{}).Known {
			return pane.Not("the sums are not here yet")
		}
		if r, ok := m.selected(); ok && r.line < 0 {
			m.folded[r.section] = !m.folded[r.section]
			m.lay()
			return pane.Done()
		}
		return pane.Not("there is nothing below this sum")
	case keymap.Back:
		if m.find == "" {
			return pane.Reply{}
		}
		m.Find("")
		return pane.Done()
	default:
		return pane.Reply{}
	}
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

// Mouse scrolls and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		return m.Act(keymap.Up)
	case pane.WheelDown:
		return m.Act(keymap.Down)
	case pane.Click, pane.DoubleClick:
		at := m.win.Top + e.Y - 1 - m.headRows()
		if e.Y > m.headRows() && at < len(m.rows) {
			m.win.Sel = at
			if e.Kind == pane.DoubleClick {
				return m.Act(keymap.Open)
			}
		}
	}
	return pane.Done()
}

// Subject is the selected issue.
func (m *Model) Subject() pane.Subject {
	if ref := m.ref(); ref != "" {
		return pane.Subject{Ref: ref}
	}
	return pane.Subject{Text: "what the runs have cost"}
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action { return []keymap.Action{keymap.Find} }

// Find keeps the lines whose name holds a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	m.lay()
	return nil
}

// Found counts the lines that are left.
func (m *Model) Found() (shown, total int) {
	for _, r := range m.rows {
		if r.line >= 0 {
			shown++
		}
	}
	for _, s := range m.sections() {
		total += len(s.lines)
	}
	return shown, total
}

func (m *Model) name(s section, at int) string {
	name := widget.Clean(s.lines[at].Name)
	if s.refs {
		if r := present.RowOf(m.snap, board.Ref(s.lines[at].Name)); r != nil {
			name += " " + widget.Clean(r.Issue.Title)
		}
	}
	return name
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	iw, ih := widget.Inner(m.body.W, m.body.H)
	box := widget.Box{Title: "Money", Focus: true}
	sums, known := m.reads.Get(struct{}{})
	s := m.reads.State(struct{}{})
	if !known {
		ink, text := m.st.Muted, "adding up"
		switch {
		case s.Err != nil:
			ink, text = m.st.Danger, m.st.Signs.Failed+" the sums cannot be read: "+widget.Clean(s.Err.Error())
		case m.snap != nil:
			text = widget.Money(m.snap.CostToday) + " today; adding up the rest"
		}
		return box.Render([]string{widget.Line{}.Add(ink, " "+text).Render(iw, false, m.st)}, m.body.W, m.body.H, m.st)
	}
	box.Note = "as of " + s.At.In(now.Location()).Format("15:04:05")
	if s.Err != nil {
		box.Note = m.st.Signs.Failed + " not read again: " + widget.Clean(s.Err.Error()) + " · " + box.Note
	}
	lines := m.head(&sums, iw)
	for i := m.win.Top; i < len(m.rows) && len(lines) < ih; i++ {
		lines = append(lines, m.line(m.rows[i], iw, i == m.win.Sel))
	}
	if len(m.rows) > m.height() {
		box.Foot = fmt.Sprintf("%d of %d", m.win.Sel+1, len(m.rows))
	}
	return box.Render(lines, m.body.W, m.body.H, m.st)
}

// head is the day's sum, what of it is not priced, and an empty line.
func (m *Model) head(sums *state.Money, w int) []string {
	today := widget.Line{{Text: " "}}.Add(m.st.Strong, widget.Money(sums.Today)).Add(m.st.Text, " today")
	if sums.Cap > 0 {
		today = today.Add(m.st.Muted, " of "+strings.TrimSuffix(widget.Money(sums.Cap), ".00")).Add(m.st.Text, "  ").
			Add(m.st.Accent, bar(sums.Today/sums.Cap, 20, m.st))
		if sums.Today >= sums.Cap {
			today = today.Add(m.st.Warn, "  the day's limit is reached: nothing new starts")
		}
	}
	out := []string{today.Render(w, false, m.st)}
	if sums.Unpriced > 0 {
		out = append(out, widget.Line{}.Add(m.st.Warn, " price unknown: "+widget.Tokens(sums.Unpriced)+" not counted").Render(w, false, m.st))
	}
	return append(out, widget.Blank(w, 1)...)
}

// bar is a share of a whole in cells.
func bar(share float64, cells int, st *themes.Styles) string {
	n := int(max(0, min(share, 1))*float64(cells) + 0.5)
	return strings.Repeat(st.Borders.Thick.Horizontal, n) + strings.Repeat(st.Signs.Dot, cells-n)
}

// barCells is how wide the bars beside the sums are.
const barCells = 16

func (m *Model) line(r row, w int, chosen bool) string {
	s := m.sections()[r.section]
	first := widget.Span{Text: " "}
	if chosen {
		first = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	if r.line < 0 {
		line := (widget.Line{first}).Add(m.st.Title, s.title)
		switch {
		case m.folded[r.section]:
			line = line.Add(m.st.Muted, fmt.Sprintf("  %d lines; ↵ unfolds", len(s.lines)))
		case len(s.lines) == 0:
			line = line.Add(m.st.Muted, "  nothing yet")
		}
		return line.Render(w, chosen, m.st)
	}
	l := &s.lines[r.line]
	most := 0.0
	for i := range s.lines {
		most = max(most, s.lines[i].USD)
	}
	right := widget.Line{}.Add(m.st.Strong, atRight(widget.Money(l.USD), 9))
	if w >= 50 {
		right = right.Add(m.st.Muted, atRight(widget.Tokens(l.Tokens), 13)+atRight(widget.Count(l.Runs, "run", "runs"), 10)+" ")
	}
	if w >= barsFrom && most > 0 {
		right = append(widget.Line{}.Add(m.st.Accent, bar(l.USD/most, barCells, m.st)+" "), right...)
	}
	// The sums are what this page is for: a long title gives way to them.
	name := widget.Cut("  "+m.name(s, r.line), max(w-right.Width()-2, 1))
	return widget.Sides((widget.Line{first}).Add(m.st.Text, name).Mark(m.find, m.st.Accent.Reverse()), right, w, chosen, m.st)
}

// barsFrom is from which width on there are bars beside the sums.
const barsFrom = 76

func atRight(s string, w int) string { return strings.Repeat(" ", max(w-widget.Width(s), 0)) + s }

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 1 + m.headRows() + m.win.Sel - m.win.Top
	return 1, y, len(m.rows) > 0 && m.body.W >= 4 && y < m.body.H-1
}
