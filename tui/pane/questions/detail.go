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

// textRoom is the room of the text inside the detail box.
func (m *Model) textRoom() (w, h int) {
	iw, ih := widget.Inner(m.detail.W, m.detail.H)
	return max(iw-2, 0), max(ih-len(m.fieldLines(iw, ih)), 0)
}

// fieldLines is the open field with its heading and what sending does.
func (m *Model) fieldLines(iw, ih int) []string {
	if m.open == nil {
		return nil
	}
	var hints []string
	if m.open.Hints != nil {
		hints = m.open.Hints(m.open.Input.Value())
	}
	fh := max(1, min(8, ih/3))
	if ih < 6 {
		hints = nil
		fh = max(1, ih-1)
	}
	m.open.Input.SetSize(max(iw-2, 1), fh)
	out := []string{widget.Divider(widget.Clean(m.open.Name), iw, m.st)}
	for _, l := range m.open.Input.View(m.st) {
		out = append(out, widget.Pad(l, 1, iw))
	}
	return append(out, widget.Notes(hints, iw, ih, m.st.Muted, m.st)...)
}

// text is the chosen need's text, laid out.
func (m *Model) text() []string {
	n := m.Selected()
	if n == nil {
		return nil
	}
	w, _ := m.textRoom()
	text := n.Text
	if r := m.request(n); r != nil {
		text = askedText(r)
	}
	lines := widget.Markdown(text, w, m.st)
	if len(lines) == 0 {
		lines = widget.Markdown("(no text)", w, m.st)
	}
	lines = append(lines, widget.Blank(w, 1)...)
	lines = append(lines, m.facts(n, w)...)
	return append(lines, m.lastWords(n, w)...)
}

// lastWords is what the worker said at the end, where the need itself has only
// the reason: what was given up, or is to be reviewed.
func (m *Model) lastWords(n *state.Need, w int) []string {
	worker := present.LastWorker(m.snap, n.Ref)
	if worker == nil || n.Kind != state.NeedAttention && n.Kind != state.NeedReview {
		return nil
	}
	for i := len(worker.Tail) - 1; i >= 0; i-- {
		if l := &worker.Tail[i]; l.Kind == state.LineText && strings.TrimSpace(l.Text) != "" {
			head := fmt.Sprintf("what its %s said last", worker.Run.Kind)
			out := append(widget.Blank(w, 1), widget.Divider(head, w, m.st))
			return append(out, widget.Markdown(l.Text, w, m.st)...)
		}
	}
	return nil
}

// askedText is what a running worker asks, in full, as Markdown.
func askedText(r *state.Request) string {
	var b strings.Builder
	for _, q := range r.Questions {
		if q.Header != "" {
			b.WriteString("**" + q.Header + "** ")
		}
		b.WriteString(q.Text + "\n\n")
		for i, o := range q.Options {
			fmt.Fprintf(&b, "%d. %s", i+1, o.Label)
			if o.Description != "" {
				b.WriteString(": " + o.Description)
			}
			b.WriteString("\n")
		}
		if q.Many {
			b.WriteString("\nSeveral may be chosen: 1, 3\n")
		}
		b.WriteString("\n")
	}
	if len(r.Questions) > 0 {
		return b.String()
	}
	b.WriteString("May it use **" + r.Tool + "**?\n\n```\n" + strings.ReplaceAll(firstOf(r.Summary, r.Input), "```", "ˋˋˋ") + "\n```\n")
	if r.Why != "" {
		b.WriteString("\n" + r.Why + "\n")
	}
	if in := strings.TrimSpace(r.Input); in != "" && in != strings.TrimSpace(r.Summary) {
		b.WriteString("\nAll of it:\n\n```\n" + strings.ReplaceAll(in, "```", "ˋˋˋ") + "\n```\n")
	}
	return b.String()
}

// facts is what stands below the text: how the pull request stands, what
// happens without an answer, and what the owner can do.
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
	if r := m.request(n); r != nil {
		add(m.st.Text, "in", widget.Clean(r.Worktree))
		if !r.Until.IsZero() {
			add(m.st.Warn, "else", firstOf(map[string]string{"deny": "denied", "allow": "allowed"}[r.Default], widget.Clean(r.Default))+
				" at "+r.Until.In(m.zone).Format("15:04:05")+" if you say nothing")
		}
	}
	if p := present.PullOf(m.snap, n.Ref); p != nil {
		checks, tone := present.ChecksInFull(&p.PR, &m.st.Signs)
		add(m.st.Text, "pull", widget.Clean(p.PR.Name+" "+p.PR.Title))
		add(m.st.Tone(tone), "checks", checks)
		merge, mtone := present.Merge(&p.PR)
		add(m.st.Tone(mtone), "merge", merge)
		if len(p.PR.Reviews) > 0 {
			verdict, vtone := present.Review(m.snap, p, &m.st.Signs)
			add(m.st.Tone(vtone), "review", verdict)
		}
	}
	if row := present.RowOf(m.snap, n.Ref); row != nil && row.Issue.Milestone != "" {
		add(m.st.Text, "milestone", widget.Clean(row.Issue.Milestone))
	}
	if why := m.failed[idOf(n)]; why != "" {
		add(m.st.Danger, "not sent", why)
	}
	switch text := m.draft(n); {
	case m.sent[askingOf(n)] != "":
		add(m.st.Warn, "sent", "the loop takes it")
		return out
	case m.open != nil:
		return out
	case text != "":
		add(m.st.Warn, "draft", widget.Clean(text))
		add(m.st.Accent, "", "a goes on with it")
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

// ways lists what settles a need.
func ways(n *state.Need) []string {
	switch n.Kind {
	case state.NeedRequest:
		return []string{"answer: a", "see what it does: t", "stop it: x"}
	case state.NeedInterrupted:
		return []string{"give it its next word: s", "stop it and hold the row: x", "go on in its session yourself: T"}
	case state.NeedQuestion:
		return []string{"answer: a"}
	case state.NeedAttention:
		return []string{"try again, with a note or without, or hold it: a", "read what happened: t", "see every rule: w"}
	case state.NeedReview:
		if n.PR == "" {
			return []string{"look at it: ↵ on the board", "move it: m"}
		}
		return []string{"read the change: d", "merge it: M", "request changes: R"}
	case state.NeedConfirm:
		return []string{"let it go: a", "edit it first: E"}
	case state.NeedStale:
		return []string{"free it: r", "see every rule: w"}
	}
	return nil
}

func (m *Model) viewDetail(n *state.Need, now time.Time) []string {
	iw, ih := widget.Inner(m.detail.W, m.detail.H)
	box := widget.Box{Title: widget.Clean(string(n.Ref)) + " " + widget.Clean(n.Title), Note: m.since(n, now), Focus: m.inside}
	text := m.text()
	_, h := m.textRoom()
	top := max(0, min(m.scroll, len(text)-h))
	out := make([]string, 0, ih)
	for i := top; i < len(text) && len(out) < h; i++ {
		out = append(out, widget.Pad(text[i], 1, iw))
	}
	out = widget.Fill(out, iw, h)
	if len(text) > h {
		box.Foot = fmt.Sprintf("%d of %d lines", min(top+h, len(text)), len(text))
	}
	if m.open != nil {
		box.Foot = "↵ send · ctrl+j new line · esc keep"
		out = append(out, m.fieldLines(iw, ih)...)
	}
	return box.Render(out, m.detail.W, m.detail.H, m.st)
}

// since says for how long it has waited.
func (m *Model) since(n *state.Need, now time.Time) string {
	if r := m.request(n); r != nil {
		return "waits for you, " + widget.Clock(now.Sub(r.Since))
	}
	ago := widget.Ago(n.Since, now)
	if n.Kind == state.NeedQuestion {
		return strings.TrimSpace("asked " + ago)
	}
	return ago
}
