package issue

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// commentRows is how much of a comment stands there before it is unfolded.
const commentRows = 12

// lay lays out what has changed.
func (m *Model) lay(issue *board.Issue, now time.Time) {
	w, _ := m.room()
	s := m.reads.State(m.ref)
	k := pageKey{
		ref: m.ref, w: w, minute: now.Unix() / 60, theme: m.st.Name, body: issue.Body, comments: len(issue.Comments),
		read: s.At, find: m.find, folds: len(m.open), rules: m.rules,
	}
	if s.Err != nil {
		k.err = s.Err.Error()
	}
	if n := len(issue.Comments); n > 0 {
		k.last = issue.Comments[n-1].At
	}
	if !m.wide {
		k.version = m.snap.Version // the facts stand in the text
	}
	if k != m.text.key || m.text.rows == nil {
		m.text = page{key: k, boxes: map[int]int{}, firings: map[int]int{}}
		m.layText(issue, w, now)
	}
	if !m.wide {
		return
	}
	sw, _ := m.sideRoom()
	k.w, k.version = sw, m.snap.Version
	if k != m.facts.key || m.facts.rows == nil {
		m.facts = page{key: k, firings: map[int]int{}}
		m.laySide(&m.facts, issue, sw, now)
	}
}

func (m *Model) layText(issue *board.Issue, w int, now time.Time) {
	p := &m.text
	row := present.RowOf(m.snap, m.ref)
	asks := []string(nil)
	if row != nil {
		asks = askedUnder(m.snap, row, w, now, m.st)
	}
	if !m.wide && row != nil && len(asks) == 0 && !m.headingSays(row) {
		why := present.Describe(row, present.WorkerOf(m.snap, row), present.PullOf(m.snap, m.ref), now, &m.st.Signs)
		for i, l := range widget.Wrap(why.Text, max(w-2, 1)) {
			sign := "  "
			if i == 0 {
				sign = why.Sign + " "
			}
			p.rows = append(p.rows, widget.Line{}.Add(m.st.Tone(why.Tone), sign).Add(m.st.Text, l).Render(w, false, m.st))
		}
		p.rows = append(p.rows, widget.Blank(w, 1)...)
	}
	if len(asks) > 0 {
		p.rows = append(append(p.rows, asks...), widget.Blank(w, 1)...)
	}
	rows, starts := widget.MarkdownRows(issue.Body, w, m.st)
	for i, b := range board.Checkboxes(issue.Body) {
		if at := b.Line - 1; at < len(starts) {
			p.boxes[len(p.rows)+starts[at]] = i + 1
		}
	}
	if len(rows) == 0 {
		rows = append(rows, widget.Line{}.Add(m.st.Muted, "no description").Render(w, false, m.st))
	}
	p.rows = append(append(p.rows, rows...), widget.Blank(w, 1)...)
	head := "Comments " + fmt.Sprint(len(issue.Comments))
	if len(issue.Comments) == 0 {
		head = "no comments"
	}
	p.rows = append(p.rows, widget.Divider(head, w, m.st))
	for i := range issue.Comments {
		p.comments = append(p.comments, len(p.rows))
		lines := comment(&issue.Comments[i], w, now, m.st)
		if len(asks) > 1 && repeats(m.snap, issue, issue.Comments[i].Body) && !m.open[i] {
			above := widget.Line{}.Add(m.st.Muted, "  what stands above; ↵ unfolds").Render(w, false, m.st)
			lines = append(lines[:1:1], above, widget.Blank(w, 1)[0])
		}
		if len(lines) > commentRows+2 && !m.open[i] {
			more := widget.Line{}.Add(m.st.Muted, fmt.Sprintf("  %s %d more lines; ↵ unfolds", m.st.Signs.Ellipsis, len(lines)-1-commentRows)).Render(w, false, m.st)
			lines = append(append(lines[:commentRows:commentRows], more), widget.Blank(w, 1)...)
		}
		p.rows = append(p.rows, lines...)
	}
	if !m.wide {
		p.rows = append(p.rows, widget.Divider("Why", w, m.st))
		m.laySide(p, issue, w, now)
	}
}

// headingSays says whether the page's heading has the row's reason: what its
// worker does.
func (m *Model) headingSays(row *state.Row) bool {
	return m.headRows() > 0 && present.WorkerOf(m.snap, row) != nil
}

// laySide is what is known of the row, the rules that were asked about it and
// its history.
func (m *Model) laySide(p *page, issue *board.Issue, w int, now time.Time) {
	row := present.RowOf(m.snap, m.ref)
	if row == nil {
		row = &state.Row{Issue: *issue}
	}
	p.rows = append(p.rows, m.factRows(row, w, now)...)
	m.layRules(p, w)
	p.rows = append(p.rows, widget.Divider("History", w, m.st))
	m.layHistory(p, w, now)
}

// layRules lists the rules that hold the row, or with w every rule.
func (m *Model) layRules(p *page, w int) {
	d, known := m.reads.Get(m.ref)
	s := m.reads.State(m.ref)
	add := func(ink themes.Ink, text string) {
		for _, l := range widget.Wrap(text, max(w, 1)) {
			p.rows = append(p.rows, widget.Line{}.Add(ink, l).Render(w, false, m.st))
		}
	}
	switch {
	case known && len(d.Rules) == 0:
	case known:
		p.why = len(p.rows)
		p.rows = append(p.rows, widget.Divider("Rules", w, m.st))
	case s.Err != nil:
		p.rows = append(p.rows, widget.Divider("Rules", w, m.st))
		add(m.st.Danger, m.st.Signs.Failed+" they cannot be read: "+widget.Clean(s.Err.Error()))
		return
	case s.Pending && m.now.Sub(s.Since) > 2*time.Second:
		add(m.st.Muted, "asking every rule, "+widget.Clock(m.now.Sub(s.Since)))
	}
	passed := 0
	for _, r := range d.Rules {
		if !r.Held && !m.rules {
			passed++
			continue
		}
		sign, ink := m.st.Signs.Done, m.st.Good
		if r.Held {
			sign, ink = m.st.Signs.Blocked, m.st.Warn
		}
		for i, l := range widget.Wrap(widget.Clean(r.Ask)+" "+widget.Clean(r.Says), max(w-2, 1)) {
			mark := "  "
			if i == 0 {
				mark = sign + " "
			}
			p.rows = append(p.rows, widget.Line{}.Add(ink, mark).Add(m.st.Text, l).Render(w, false, m.st))
		}
		if m.rules && r.Source != "" {
			for _, l := range widget.Wrap(widget.Clean(r.Source), max(w-2, 1)) {
				add(m.st.Muted, "  "+l)
			}
		}
	}
	if passed > 0 {
		add(m.st.Muted, widget.Count(passed, "rule lets", "rules let")+" it pass; w shows all")
	}
}

// layHistory is what the loop and the board have written down of it, the newest
// last.
func (m *Model) layHistory(p *page, w int, now time.Time) {
	d, known := m.reads.Get(m.ref)
	history := d.History
	if !known {
		for i := range m.snap.Log {
			if m.snap.Log[i].Ref == m.ref {
				history = append(history, m.snap.Log[i])
			}
		}
	}
	if len(history) == 0 {
		p.rows = append(p.rows, widget.Line{}.Add(m.st.Muted, "nothing yet").Render(w, false, m.st))
	}
	day := ""
	for i := range history {
		e := &history[i]
		at := e.At.In(now.Location())
		if d := at.Format("2 January"); d != day && (day != "" || d != now.Format("2 January")) {
			p.rows = append(p.rows, widget.Line{}.Add(m.st.Muted, d).Render(w, false, m.st))
		}
		day = at.Format("2 January")
		ink := m.st.Text
		if e.Bad {
			ink = m.st.Danger
		}
		text := strings.TrimSpace(strings.TrimPrefix(widget.Clean(e.Text), widget.Clean(string(m.ref))+":"))
		for j, l := range widget.Wrap(text, max(w-6, 1)) {
			stamp := "      "
			if j == 0 {
				stamp = at.Format("15:04 ")
				if e.Firing > 0 {
					p.firings[len(p.rows)] = e.Firing
				}
			}
			p.rows = append(p.rows, widget.Line{}.Add(m.st.Muted, stamp).Add(ink, l).Render(w, false, m.st))
		}
	}
}

func description(issue *board.Issue, w int, st *themes.Styles) []string {
	lines := widget.Markdown(issue.Body, w, st)
	if len(lines) == 0 {
		lines = append(lines, widget.Line{}.Add(st.Muted, "no description").Render(w, false, st))
	}
	return lines
}

func comment(c *board.Comment, w int, now time.Time, st *themes.Styles) []string {
	who := string(c.Role)
	if c.Author != "" && c.Role == board.ActorOwner {
		who = c.Author
	}
	head := widget.Line{}.Add(st.Accent, widget.Clean(who)).Add(st.Muted, "  "+widget.Ago(c.At, now))
	body, mark := c.Body, ""
	if found, ok := board.ParseMark(body); ok && c.Role != board.ActorOwner {
		body, mark = board.WithoutMark(body), widget.Cut(widget.Clean(found.Run), 9)
	}
	if mark != "" {
		head = head.Add(st.Muted, "  run "+mark)
	}
	out := []string{head.Render(w, false, st)}
	for _, l := range widget.Markdown(body, max(w-2, 0), st) {
		out = append(out, widget.Pad(l, 2, w))
	}
	return append(out, widget.Blank(w, 1)...)
}
