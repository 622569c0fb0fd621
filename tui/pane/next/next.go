package next

import (
	"fmt"
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

func (m *Model) name(l *state.PreviewLine) string {
	name := widget.Clean(string(l.Ref))
	if r := present.RowOf(m.snap, l.Ref); r != nil {
		name += " " + widget.Clean(r.Issue.Title)
	}
	return name
}

// Act carries an action out.
func (m *Model) Act(a keymap.Action) pane.Reply {
	if mv := pane.MoveOf(a); mv != widget.MoveNone {
		_, h := widget.Inner(m.body.W, m.body.H)
		m.win.Apply(mv, len(m.rows), h)
		m.clamp()
		return pane.Done()
	}
	if a == keymap.Back && m.find != "" {
		m.Find("")
		return pane.Done()
	}
	return pane.Reply{}
}

// Mouse scrolls and selects.
func (m *Model) Mouse(e pane.Mouse) pane.Reply {
	switch e.Kind {
	case pane.WheelUp:
		return m.Act(keymap.Up)
	case pane.WheelDown:
		return m.Act(keymap.Down)
	case pane.Click, pane.DoubleClick:
		if at := m.win.Top + e.Y - 1; e.Y > 0 && at < len(m.rows) {
			m.win.Sel = at
			m.clamp()
		}
	}
	return pane.Done()
}

// Subject is the selected row.
func (m *Model) Subject() pane.Subject {
	if l := m.selected(); l != nil {
		return pane.Subject{Ref: l.Ref, Text: widget.Clean(string(l.Ref)) + " · " + firstOf(widget.Clean(l.Does), m.waits(l))}
	}
	return pane.Subject{Text: "what the next firing would do"}
}

// nameWidth is the room of the names: of the longest, as far as there is room.
func (m *Model) nameWidth(p *state.Preview, w int) int {
	longest := 12
	for i := range p.Lines {
		longest = max(longest, widget.Width(m.name(&p.Lines[i])))
	}
	return min(longest, max(w*2/5, 12))
}

// waits is why nothing would be done with a row.
func (m *Model) waits(l *state.PreviewLine) string {
	if l.Waits == "" && present.WorkerOf(m.snap, present.RowOf(m.snap, l.Ref)) != nil {
		return "a worker is at it"
	}
	return widget.Clean(l.Waits)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Actions are what the keys can do here.
func (m *Model) Actions() []keymap.Action {
	return []keymap.Action{keymap.Why, keymap.Dispatch, keymap.Fire, keymap.Find}
}

// Find keeps the rows that hold a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	m.lay()
	return nil
}

// Found counts the rows that are left.
func (m *Model) Found() (shown, total int) {
	p, _ := m.reads.Get(struct{}{})
	for _, r := range m.rows {
		if r.heading == "" {
			shown++
		}
	}
	return shown, len(p.Lines)
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	iw, ih := widget.Inner(m.body.W, m.body.H)
	box := widget.Box{Title: "Next firing", Focus: true}
	if m.snap != nil {
		switch {
		case m.snap.Mode == state.ModePaused:
			box.Title += " · paused: nothing would start"
		case m.snap.NextFiring.After(now):
			box.Title += " in " + widget.Clock(m.snap.NextFiring.Sub(now))
		}
	}
	p, known := m.reads.Get(struct{}{})
	s := m.reads.State(struct{}{})
	say := func(ink themes.Ink, text string) []string {
		return box.Render([]string{widget.Line{}.Add(ink, " "+text).Render(iw, false, m.st)}, m.body.W, m.body.H, m.st)
	}
	switch {
	case !known && s.Err != nil:
		return say(m.st.Danger, m.st.Signs.Failed+" it cannot be foreseen: "+widget.Clean(s.Err.Error()))
	case !known:
		return say(m.st.Muted, "asking every rule about every row")
	case len(p.Lines) == 0:
		return say(m.st.Muted, "nothing to do, and nothing waits")
	case len(m.rows) == 0:
		return say(m.st.Muted, "nothing matches `"+widget.Clean(m.find)+"`; esc shows all "+widget.Thousands(len(p.Lines)))
	}
	box.Note = "as of " + s.At.In(now.Location()).Format("15:04:05")
	if s.Err != nil {
		box.Note = m.st.Signs.Failed + " not asked again: " + widget.Clean(s.Err.Error()) + " · " + box.Note
	}
	if len(m.rows) > ih {
		box.Foot = fmt.Sprintf("%d of %d", m.win.Sel+1, len(m.rows))
	}
	var lines []string
	for i := m.win.Top; i < len(m.rows) && len(lines) < ih; i++ {
		lines = append(lines, m.line(&p, m.rows[i], iw, i == m.win.Sel))
	}
	return box.Render(lines, m.body.W, m.body.H, m.st)
}

func (m *Model) line(p *state.Preview, r row, w int, chosen bool) string {
	bar := widget.Span{Text: " "}
	if chosen {
		bar = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	if r.heading != "" {
		return (widget.Line{bar}).Add(m.st.Title, r.heading).Render(w, chosen, m.st)
	}
	l := &p.Lines[r.line]
	sign, ink, text := m.st.Signs.Next, m.st.Accent, widget.Clean(l.Does)
	if l.Does == "" {
		sign, ink, text = m.st.Signs.Dot, m.st.Muted, m.waits(l)
	}
	name := widget.Fit(m.name(l), m.nameWidth(p, w))
	line := (widget.Line{bar}).Add(ink, " "+sign+" ").Add(m.st.Strong, name+"  ").Add(ink, text)
	if l.Does != "" && l.Waits != "" {
		line = line.Add(m.st.Muted, " · "+widget.Clean(l.Waits))
	}
	return line.Mark(m.find, m.st.Accent.Reverse()).Render(w, chosen, m.st)
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	y = 1 + m.win.Sel - m.win.Top
	return 1, y, len(m.rows) > 0 && m.body.W >= 4 && y < m.body.H-1
}
