package questions

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// listLine is one line of the list: a heading, a need, or a note below it.
type listLine struct {
	heading string
	need    int
	note    string
}

// lines is the whole list, and the line of the selection.
func (m *Model) lines() (out []listLine, sel int) {
	var kind state.NeedKind
	for i := range m.snap.Needs {
		n := &m.snap.Needs[i]
		if n.Kind != kind || i == 0 {
			kind = n.Kind
			count := 0
			for j := range m.snap.Needs {
				if m.snap.Needs[j].Kind == kind {
					count++
				}
			}
			out = append(out, listLine{heading: present.NeedHeading(kind) + " " + fmt.Sprint(count)})
		}
		if i == m.at {
			sel = len(out)
		}
		out = append(out, listLine{need: i})
		switch {
		case n.Kind == state.NeedQuestion && m.sent[n.Ref] != "":
			out = append(out, listLine{need: i, note: "… answer sent, the loop takes it"})
		case n.Kind == state.NeedQuestion && m.drafts[n.Ref] != "" && (i != m.at || !m.answering):
			out = append(out, listLine{need: i, note: "your draft, not sent"})
		}
	}
	return out, sel
}

// View draws the whole body.
func (m *Model) View(now time.Time) []string {
	if m.list.W <= 0 || m.list.H <= 0 {
		return nil
	}
	n := m.Selected()
	if n == nil {
		return m.empty()
	}
	if m.single {
		if m.inside || m.answering {
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
		if next := present.NextInLine(m.snap); next != "" {
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
	box := widget.Box{Title: "Needs you " + fmt.Sprint(len(m.snap.Needs)), Focus: !m.inside}
	if len(all) > ih {
		box.Note = fmt.Sprintf("%d of %d", m.at+1, len(m.snap.Needs))
	}
	return box.Render(out, m.list.W, m.list.H, m.st)
}

func (m *Model) listLine(l listLine, w int, now time.Time) string {
	switch {
	case l.heading != "":
		return widget.Line{}.Add(m.st.Title, l.heading).Render(w, false, m.st)
	case l.note != "":
		return widget.Line{}.Add(m.st.Warn, "  "+l.note).Render(w, false, m.st)
	}
	n := &m.snap.Needs[l.need]
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
	left := widget.Line{bar}.Add(m.st.Tone(tone), sign+" ").
		Add(m.st.Muted, widget.Clean(string(n.Ref))+" ").Add(title, widget.Clean(n.Title))
	right := widget.Line{}.Add(m.st.Muted, widget.Since(n.Since, now))
	return widget.Sides(left, right, w, focus, m.st)
}

// textRoom is the room of the text inside the detail box.
func (m *Model) textRoom() (w, h int) {
	iw, ih := widget.Inner(m.detail.W, m.detail.H)
	if n := m.Selected(); m.answering && n != nil {
		_, fh := m.fieldRoom()
		ih -= fh + 1 + len(m.hints(n))
	}
	return max(iw-2, 0), max(ih, 0)
}

// text is the chosen need's text, laid out.
func (m *Model) text() []string {
	n := m.Selected()
	if n == nil {
		return nil
	}
	w, _ := m.textRoom()
	lines := widget.Markdown(n.Text, w, m.st)
	if len(lines) == 0 {
		lines = widget.Markdown("(no text)", w, m.st)
	}
	lines = append(lines, widget.Blank(w, 1)...)
	return append(lines, m.facts(n, w)...)
}

// facts is what stands below the text: how the pull request stands, and what
// the owner can do.
func (m *Model) facts(n *state.Need, w int) []string {
	var out []string
	add := func(ink themes.Ink, label, text string) {
		if text == "" {
			return
		}
		for i, l := range widget.Wrap(text, max(w-10, 1)) {
			if i > 0 {
				label = ""
			}
			out = append(out, widget.Line{}.Add(m.st.Muted, widget.Fit(label, 10)).Add(ink, l).Render(w, false, m.st))
		}
	}
	if p := present.PullOf(m.snap, n.Ref); p != nil {
		checks, tone := present.Checks(&p.PR, &m.st.Signs)
		add(m.st.Text, "pull", widget.Clean(p.PR.Name+" "+p.PR.Title))
		add(m.st.Tone(tone), "checks", checks)
		merge, mtone := present.Merge(&p.PR)
		add(m.st.Tone(mtone), "merge", merge)
	}
	if row := present.RowOf(m.snap, n.Ref); row != nil && row.Issue.Milestone != "" {
		add(m.st.Text, "milestone", widget.Clean(row.Issue.Milestone))
	}
	if n.Kind == state.NeedQuestion {
		switch {
		case m.sent[n.Ref] != "":
			add(m.st.Warn, "sent", widget.Clean(m.sent[n.Ref]))
		case m.answering:
		case m.drafts[n.Ref] != "":
			add(m.st.Warn, "draft", widget.Clean(m.drafts[n.Ref]))
			add(m.st.Accent, "", "a goes on with it")
		default:
			add(m.st.Accent, "answer", "a")
		}
		return out
	}
	for i, way := range ways(n) {
		label := ""
		if i == 0 {
			label = "you can"
		}
		add(m.st.Accent, label, way)
	}
	return out
}

// ways lists the commands that settle a need which is no question.
func ways(n *state.Need) []string {
	ref, pr := widget.Clean(string(n.Ref)), strings.TrimPrefix(widget.Clean(n.PR), "#")
	switch n.Kind {
	case state.NeedReview:
		if pr == "" {
			return []string{"look at it: dispatcher board issue " + ref}
		}
		return []string{
			"read: dispatcher pulls diff " + pr,
			"merge: dispatcher pulls merge " + pr,
			"send back: dispatcher pulls request-changes " + pr,
		}
	case state.NeedAttention:
		return []string{
			"try again, or hold it: a",
			"read what happened: t",
			"say what to do, and it is tried again: dispatcher board comment " + ref,
		}
	case state.NeedConfirm, state.NeedStale, state.NeedQuestion:
	}
	return []string{NoField(n)}
}

func (m *Model) viewDetail(n *state.Need, now time.Time) []string {
	iw, _ := widget.Inner(m.detail.W, m.detail.H)
	title := widget.Clean(string(n.Ref)) + " " + widget.Clean(n.Title)
	box := widget.Box{Title: title, Note: m.since(n, now), Focus: m.inside}
	text := m.text()
	_, h := m.textRoom()
	top := max(0, min(m.scroll, len(text)-h))
	var out []string
	for i := top; i < len(text) && len(out) < h; i++ {
		out = append(out, widget.Pad(text[i], 1, iw))
	}
	out = widget.Fill(out, iw, h)
	if len(text) > h && !m.answering {
		box.Foot = fmt.Sprintf("%d of %d lines", min(top+h, len(text)), len(text))
	}
	if m.answering {
		box.Foot = "↵ send · ctrl+j new line · esc keep"
		out = append(out, widget.Divider("Your answer", iw, m.st))
		for _, l := range m.field.View(m.st) {
			out = append(out, widget.Pad(l, 1, iw))
		}
		for _, hint := range m.hints(n) {
			out = append(out, widget.Line{}.Add(m.st.Muted, " "+hint).Render(iw, false, m.st))
		}
	}

	return box.Render(out, m.detail.W, m.detail.H, m.st)
}

// hints says what sending does.
func (m *Model) hints(n *state.Need) []string {
	to := "a developer takes it"
	if p := present.PullOf(m.snap, n.Ref); p != nil {
		to = "then Changes Requested (" + widget.Clean(p.PR.Name) + " exists); " + to
	} else {
		to = "then Ready; " + to
	}
	out := []string{"posts as you, " + to}
	answer := strings.TrimSpace(m.field.Value())
	if full := InFull(n.Text, answer); full != answer {
		first, _, _ := strings.Cut(full, "\n")
		out = append([]string{"sent in full: " + widget.Clean(first)}, out...)
	}
	return out
}

func (m *Model) since(n *state.Need, now time.Time) string {
	ago := widget.Ago(n.Since, now)
	if n.Kind == state.NeedQuestion {
		return strings.TrimSpace("asked " + ago)
	}
	return ago
}

// Cursor is where the terminal's cursor belongs, from the body's corner.
func (m *Model) Cursor() (x, y int, ok bool) {
	n := m.Selected()
	if n == nil {
		return 0, 0, false
	}
	if m.answering {
		_, fh := m.fieldRoom()
		fx, fy := m.field.Cursor()
		x = m.detail.X - m.list.X + 2 + fx
		if m.single {
			x = 2 + fx
		}
		y = m.detail.H - 1 - len(m.hints(n)) - fh + fy
		return x, y, m.detail.W >= 6 && y > 0 && y < m.detail.H-1
	}
	if m.inside {
		return 0, 0, false
	}
	_, sel := m.lines()
	y = 1 + sel - m.top
	return 1, y, m.list.W >= 4 && y < m.list.H-1
}
