package tui

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane/issue"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// subjectLine names what the keys act on, or says what just happened.
func (m *Model) subjectLine(now time.Time) string {
	st := m.styles
	switch {
	case m.mode == modeFind:
		left := widget.Line{}.Add(st.Key, " / ").Add(st.Text, m.findText())
		return widget.Sides(left, widget.Line{}.Add(st.Muted, strings.TrimPrefix(m.foundText(), " · ")+" "), m.w, false, st)
	case m.mode == modeGoto:
		return widget.Line{}.Add(st.Key, " g ").Add(st.Text, m.gotoText()).Render(m.w, false, st)
	case m.toast.text != "":
		return widget.Line{{Text: " "}}.Add(st.Tone(m.toast.tone), m.toast.text).Render(m.w, false, st)
	}
	if n := m.notice(); n != nil {
		text := st.Signs.Attention + " "
		if n.Ref != "" && !strings.HasPrefix(n.Text, string(n.Ref)) {
			text += widget.Clean(string(n.Ref)) + ": "
		}
		text += widget.Clean(n.Text)
		return widget.Line{{Text: " "}}.Add(st.Danger, text).Render(m.w, false, st)
	}
	if text := m.calls.away.Meanwhile(now); text != "" {
		return widget.Line{{Text: " "}}.Add(st.Attention, text).Render(m.w, false, st)
	}
	left := widget.Line{{Text: " "}}.Add(st.Strong, m.subjectText(now))
	var right widget.Line
	if m.view == viewBoard && !m.home.stripFocus() {
		right = m.foldedLine()
	}
	marked := ""
	if n := m.home.marked(); m.view == viewBoard && n > 0 {
		marked = widget.Count(n, "row", "rows") + " marked: m move · c take · r release · esc none "
		right = widget.Line{}.Add(st.Attention, marked)
	}
	if left.Width()+right.Width()+2 > m.w && m.w < 100 {
		right = nil
		if marked != "" { // these are what the keys act on
			left = widget.Line{{Text: " "}}.Add(st.Attention, marked)
		}
	}
	return widget.Sides(left, right, m.w, false, st)
}

// toastMost is how many lines a toast may take.
const toastMost = 3

// viewToast gives a toast that is too long for its line those above it: what
// was refused, and the way out, are read to the end.
func (m *Model) viewToast(lines []string) []string {
	f := &m.frame
	if m.toast.text == "" || f.Subject.H == 0 || m.opts.Look.Plain || m.mode == modeFind || m.mode == modeGoto {
		return lines
	}
	text := widget.Wrap(m.toast.text, max(m.w-2, 1))
	if len(text) > toastMost {
		text = append(text[:toastMost-1:toastMost-1], strings.Join(text[toastMost-1:], " "))
	}
	top := f.Subject.Y - len(text) + 1
	if len(text) == 1 || top <= f.Body.Y {
		return lines
	}
	for i, l := range text {
		lines[top+i] = widget.Line{{Text: " "}}.Add(m.styles.Tone(m.toast.tone), l).Render(m.w, false, m.styles)
	}
	return lines
}

func (m *Model) findText() string {
	lines := m.find.View(m.styles)
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimRight(lines[0], " ")
}

func (m *Model) foldedLine() widget.Line {
	left, right := m.home.board.Folded()
	st := m.styles
	var out widget.Line
	if left != "" {
		out = out.Add(st.Muted, st.Signs.Left+" "+left)
	}
	if right != "" {
		if left != "" {
			out = out.Add(st.Muted, " · ")
		}
		out = out.Add(st.Muted, right+" "+st.Signs.Right)
	}
	return out.Add(st.Muted, " ")
}

func (m *Model) subjectText(now time.Time) string {
	if m.snap == nil {
		return ""
	}
	subject := m.subject()
	ref := subject.Ref
	switch {
	case subject.Text != "":
		return widget.Clean(subject.Text)
	case ref == "" && m.view == viewBoard:
		return "no issue is selected"
	case ref == "":
		return m.view.name()
	}
	row := present.RowOf(m.snap, ref)
	if row == nil {
		return widget.Clean(string(ref))
	}
	s := present.Describe(row, present.WorkerOf(m.snap, row), present.PullOf(m.snap, ref), now, &m.styles.Signs)
	name := widget.Clean(string(ref))
	if st, ok := m.busy[ref]; ok {
		s = present.Status{Sign: m.styles.Signs.Ellipsis, Text: st.word}
	}
	parts := []string{name + " " + widget.Clean(row.Issue.Title)}
	if m.w >= 100 {
		parts = append(parts, row.Issue.Role.DefaultName())
		if row.Issue.Milestone != "" {
			parts = append(parts, widget.Clean(row.Issue.Milestone))
		}
		if b := issue.Boxes(row.Issue.Body); b != "" {
			parts = append(parts, b)
		}
	} else {
		parts = []string{name}
	}
	if s.Sign == m.styles.Signs.Dot {
		s.Sign = "" // it stands between the parts already
	}
	return strings.Join(append(parts, strings.TrimSpace(s.Sign+" "+s.Text)), " · ")
}

// gotoText lists where g leads.
func (m *Model) gotoText() string {
	var long, short, brief, least []string
	for _, e := range m.keys.Entries() {
		if v, ok := leadsTo[e.Action]; ok && m.panes[v] == nil {
			continue
		}
		word, _, _ := strings.Cut(string(e.Action), "-")
		for _, k := range e.After {
			long, short, least = append(long, k+" "+e.Short), append(short, k+" "+word), append(least, k)
			if e.Action != keymap.First { // which has a key of its own, too
				brief = append(brief, k+" "+word)
			}
		}
	}
	for _, text := range []string{strings.Join(long, " · "), strings.Join(short, " · "), strings.Join(short, "  "), strings.Join(brief, "  ")} {
		if widget.Width(text)+4 <= m.w {
			return text
		}
	}
	return strings.Join(least, " ")
}
