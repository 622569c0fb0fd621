package log

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// draw is one line of the view.
func (m *Model) draw(l *line, w int, chosen bool, now time.Time) string {
	bar := widget.Span{Text: " "}
	if chosen {
		bar = widget.Span{Ink: m.st.Focus, Text: m.st.Signs.Bar}
	}
	switch l.at {
	case -2:
		for _, a := range m.away {
			if a.From.Equal(l.away) {
				return m.st.Focus.Render(" ") + widget.Divider(widget.Clean(a.Text), w-1, m.st)
			}
		}
		return widget.Blank(w, 1)[0]
	case -1:
		return m.heading(l, bar, w, chosen, now)
	}
	e := &m.snap.Log[l.at]
	sign, ink := "  ", m.st.Text
	if e.Bad {
		sign, ink = m.st.Signs.Failed+" ", m.st.Danger
		if !m.read[*e] {
			ink = ink.Bold()
		}
	}
	ref := widget.Fit(widget.Clean(string(e.Ref)), 8)
	row := (widget.Line{bar}).Add(m.st.Muted, "  ").Add(m.st.Accent, ref+" ").Add(m.st.Danger, sign).Add(ink, widget.Clean(e.Text))
	return row.Mark(m.find, m.st.Accent.Reverse()).Render(w, chosen, m.st)
}

// heading is a firing on one line: when, what woke it, how long it took, what
// came of it, and how many errors nobody has seen.
func (m *Model) heading(l *line, bar widget.Span, w int, chosen bool, now time.Time) string {
	f := m.info(l.firing)
	at := time.Time{}
	for i := range m.snap.Log {
		if m.snap.Log[i].Firing == l.firing {
			at = m.snap.Log[i].At
			break
		}
	}
	if at.IsZero() && f != nil {
		at = f.At
	}
	name := "  firing " + widget.Thousands(l.firing)
	if l.run.folded {
		name = "  " + l.run.says()
	}
	if l.firing == 0 {
		name = "  before the first firing"
	}
	row := (widget.Line{bar}).Add(m.st.Muted, at.In(now.Location()).Format("15:04:05")).Add(m.st.Title, name)
	var right widget.Line
	if l.bad > 0 {
		right = right.Add(m.st.Attention, m.st.Signs.Attention+" "+widget.Count(l.bad, "error", "errors")+"  ")
	}
	switch {
	case l.run.folded:
		row = row.Add(m.st.Muted, "  nothing to do, "+widget.Count(l.run.of, "time", "times"))
		if w < 60 {
			break
		}
		right = right.Add(m.st.Muted, "last at "+l.run.until.In(now.Location()).Format("15:04:05")+" ")
	case f != nil:
		ink := m.st.Muted
		if f.Bad {
			ink = m.st.Danger
		}
		row = row.Add(ink, "  woke: "+widget.Clean(f.Why))
		if f.Status != "" {
			row = row.Add(ink, " · "+widget.Clean(f.Status))
		}
		right = right.Add(m.st.Muted, widget.Took(f.Took)+" ")
	case m.snap.Firing == l.firing && m.snap.Step != "":
		right = right.Add(m.st.Alive, m.st.Signs.Starting+" "+widget.Clean(m.snap.Step)+" ")
	case !l.open: // too long ago: what it decided is all that is known
		row = row.Add(m.st.Muted, "  "+m.decided(l.firing))
	}
	return widget.Sides(row, right, w, chosen, m.st)
}

// decided is the first thing that a firing decided, and how many more there are.
func (m *Model) decided(firing int) string {
	text, more := "", -1
	for i := range m.snap.Log {
		e := &m.snap.Log[i]
		if e.Firing != firing {
			continue
		}
		if more++; more == 0 {
			ref := widget.Clean(string(e.Ref))
			text = strings.TrimSpace(ref + " " + strings.TrimPrefix(widget.Clean(e.Text), ref+" "))
		}
	}
	if more > 0 {
		text += " · and " + widget.Thousands(more) + " more"
	}
	return text
}
