package next

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

func (m *Model) name(l *state.PreviewLine) string {
	name := widget.Clean(string(l.Ref))
	if r := present.RowOf(m.snap, l.Ref); r != nil {
		name += " " + widget.Clean(r.Issue.Title)
	}
	return name
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
