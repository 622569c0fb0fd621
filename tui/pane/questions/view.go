package questions

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// listLine is one line of the list: a heading, a need, or a note below it.
type listLine struct {
	heading string
	need    int
	note    string
	bad     bool
}

// lines is the whole list, and the line of the selection.
func (m *Model) lines() (out []listLine, sel int) {
	count := map[string]int{}
	for _, n := range m.needs {
		count[m.heading(n)]++
	}
	last := ""
	for i, n := range m.needs {
		if head := m.heading(n); head != last {
			last = head
			out = append(out, listLine{heading: head + " " + fmt.Sprint(count[head])})
		}
		if i == m.at {
			sel = len(out)
		}
		out = append(out, listLine{need: i})
		if why := m.failed[idOf(n)]; why != "" {
			out = append(out, listLine{need: i, note: why, bad: true})
		}
		switch {
		case m.sent[askingOf(n)] != "":
			out = append(out, listLine{need: i, note: m.st.Signs.Ellipsis + " " + m.sent[askingOf(n)]})
		case m.draft(n) != "" && (i != m.at || m.open == nil):
			out = append(out, listLine{need: i, note: "your draft, not sent"})
		}
	}
	return out, sel
}

// heading is the group of the list that a need stands in.
func (m *Model) heading(n *state.Need) string {
	if m.failed[idOf(n)] != "" {
		return "Could not be sent"
	}
	return present.NeedHeading(n.Kind)
}

// View draws the whole body.
func (m *Model) View(now time.Time) []string {
	if m.list.W <= 0 || m.list.H <= 0 {
		return nil
	}
	m.zone = now.Location()
	n := m.Selected()
	if n == nil {
		return m.empty()
	}
	if m.single {
		if m.inside || m.open != nil {
			return m.viewDetail(n, now)
		}
		return m.viewList(now)
	}
	return widget.Beside(m.viewList(now), m.viewDetail(n, now))
}

func (m *Model) empty() []string {
	w := m.list.W + m.detail.W
	if m.single {
		w = m.list.W
	}
	iw, ih := widget.Inner(w, m.list.H)
	text := "nothing needs you"
	if m.snap != nil {
		switch next := present.NextInLine(m.snap); {
		case m.find != "" && len(m.snap.Needs) > 0:
			text = "nothing matches `" + widget.Clean(m.find) + "`; esc shows all " + widget.Thousands(len(m.snap.Needs))
		case next != "":
			text += "; next: " + next
		}
	}
	line := widget.Line{}.Add(m.st.Muted, " "+text).Render(iw, false, m.st)
	return widget.Box{Title: "Needs you 0", Focus: true}.Render(widget.Fill([]string{line}, iw, ih), w, m.list.H, m.st)
}

func (m *Model) viewList(now time.Time) []string {
	iw, ih := widget.Inner(m.list.W, m.list.H)
	all, _ := m.lines()
	var out []string
	for i := m.top; i < len(all) && len(out) < ih; i++ {
		out = append(out, m.listLine(all[i], iw, now))
	}
	box := widget.Box{Title: "Needs you " + fmt.Sprint(len(m.needs)), Focus: !m.inside}
	if len(all) > ih {
		box.Note = fmt.Sprintf("%d of %d", m.at+1, len(m.needs))
	}
	return box.Render(out, m.list.W, m.list.H, m.st)
}

func (m *Model) listLine(l listLine, w int, now time.Time) string {
	switch {
	case l.heading != "":
		return widget.Line{}.Add(m.st.Title, l.heading).Render(w, false, m.st)
	case l.note != "" && l.bad:
		return widget.Line{}.Add(m.st.Danger, "  "+m.st.Signs.Failed+" "+l.note).Render(w, false, m.st)
	case l.note != "":
		return widget.Line{}.Add(m.st.Warn, "  "+l.note).Render(w, false, m.st)
	}
	n := m.needs[l.need]
	chosen := l.need == m.at
	focus := chosen && !m.inside
	bar, title := widget.Span{Text: " "}, m.st.Text
	if chosen {
		bar, title = widget.Span{Ink: m.st.Muted, Text: m.st.Signs.Bar}, m.st.Strong
	}
	if focus {
		bar.Ink = m.st.Focus
	}
	sign, tone := present.NeedSign(n.Kind, &m.st.Signs)
	what, age := widget.Clean(n.Title), widget.Since(n.Since, now)
	if r := m.request(n); r != nil {
		what, age = present.Asks(r), widget.Clock(now.Sub(r.Since))
	}
	left := widget.Line{bar}.Add(m.st.Tone(tone), sign+" ").Add(m.st.Muted, widget.Clean(string(n.Ref))+" ").Add(title, what)
	return widget.Sides(left, widget.Line{}.Add(m.st.Muted, age), w, focus, m.st)
}

// Cursor is where the terminal's cursor belongs, from the body's corner.
func (m *Model) Cursor() (x, y int, ok bool) {
	n := m.Selected()
	if n == nil {
		return 0, 0, false
	}
	if m.open != nil {
		iw, ih := widget.Inner(m.detail.W, m.detail.H)
		lines := m.fieldLines(iw, ih)
		fx, fy := m.open.Input.Cursor()
		x = 2 + fx
		if !m.single {
			x += m.detail.X - m.list.X
		}
		y = m.detail.H - 1 - len(lines) + 1 + fy
		return x, y, m.detail.W >= 6 && y > 0 && y < m.detail.H-1
	}
	if m.inside {
		return 0, 0, false
	}
	_, sel := m.lines()
	y = 1 + sel - m.top
	return 1, y, m.list.W >= 4 && y < m.list.H-1
}
