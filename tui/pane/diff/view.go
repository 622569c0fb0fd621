package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	head := m.heading().Render(m.body.W, false, m.st)
	if m.body.H < 4 {
		return widget.Fill([]string{head}, m.body.W, m.body.H)
	}
	d, ok := m.diff()
	var rest []string
	switch {
	case !ok:
		rest = m.nothing(m.waiting(now))
	case len(d.Files) == 0 && !m.about:
		rest = m.nothing(m.st.Muted, "no change against "+base(&d))
	case m.single && m.inside:
		rest = m.viewText(now)
	case m.single:
		rest = m.viewFiles(&d)
	default:
		rest = widget.Beside(m.viewFiles(&d), m.viewText(now))
	}
	return append([]string{head}, widget.Fill(rest, m.body.W, m.body.H-1)...)
}

func base(d *state.Diff) string {
	if d.Base == "" {
		return "main"
	}
	return widget.Clean(widget.Cut(d.Base, 24))
}

// nothing is the page without a change: why there is none.
func (m *Model) nothing(ink themes.Ink, text string) []string {
	w, h := m.body.W, m.body.H-1
	iw, _ := widget.Inner(w, h)
	var lines []string
	for _, l := range widget.Wrap(text, max(iw-2, 1)) {
		lines = append(lines, widget.Line{}.Add(ink, " "+l).Render(iw, false, m.st))
	}
	return widget.Box{Title: "Diff", Focus: true}.Render(lines, w, h, m.st)
}

func (m *Model) waiting(now time.Time) (themes.Ink, string) {
	s := m.reads.State(m.query)
	switch {
	case s.Err != nil:
		return m.st.Danger, m.st.Signs.Failed + " the change cannot be read: " + widget.Clean(s.Err.Error()) + "; d tries again"
	case s.Pending && now.Sub(s.Since) > 2*time.Second:
		return m.st.Muted, "reading the change, " + widget.Clock(now.Sub(s.Since))
	}
	return m.st.Muted, "reading the change"
}

// heading is what the change is: the issue, its pull request, how far it is. A
// long title gives way to the rest.
func (m *Model) heading() widget.Line {
	name := widget.Clean(string(m.ref))
	if row := present.RowOf(m.snap, m.ref); row != nil {
		name += " " + widget.Clean(row.Issue.Title)
	}
	rest := m.standing()
	name = widget.Cut(name, max(m.body.W-rest.Width()-2, 16))
	return append(widget.Line{{Text: " "}}.Add(m.st.Title, name), rest...)
}

// standing is how the change stands.
func (m *Model) standing() widget.Line {
	line := widget.Line{}
	d, ok := m.diff()
	switch p := m.pull(); {
	case p != nil:
		line = line.Add(m.st.Text, " · PR "+widget.Clean(p.PR.Name))
		if m.moved() {
			line = line.Add(m.st.Attention, " · "+m.st.Signs.Attention+" the branch has moved since you read it; d reads it again")
			break
		}
		verdict, tone := present.Review(m.snap, p, &m.st.Signs)
		checks, ctone := present.Checks(&p.PR, &m.st.Signs)
		if len(p.PR.Reviews) > 0 {
			line = line.Add(m.st.Text, " · ").Add(m.st.Tone(tone), verdict)
		}
		line = line.Add(m.st.Text, " · ").Add(m.st.Tone(ctone), checks)
	case m.query.PR != "":
		line = line.Add(m.st.Text, " · PR "+widget.Clean(m.query.PR)).Add(m.st.Muted, " · not open any more")
	default:
		line = line.Add(m.st.Text, " · worktree")
		if d.Dirty {
			line = line.Add(m.st.Warn, " · with changes that are not committed")
		}
	}
	if ok {
		added, removed := totals(&d)
		line = line.Add(m.st.Text, " · ").Add(m.st.Good, fmt.Sprintf("+%d ", added)).Add(m.st.Danger, fmt.Sprintf("−%d", removed))
		if d.Cut {
			line = line.Add(m.st.Warn, " · too large: some files are cut")
		}
		if err := m.reads.State(m.query).Err; err != nil {
			line = line.Add(m.st.Danger, " · "+m.st.Signs.Failed+" not read again: "+widget.Clean(err.Error()))
		}
	}
	if text := m.book.Get(drafts.Request, m.query.PR); text != "" && m.open == nil {
		_, notes := present.Notes(text)
		line = line.Add(m.st.Warn, " · your draft: "+widget.Count(max(len(notes), 1), "note", "notes"))
	}
	return line
}

func (m *Model) viewText(time.Time) []string {
	full, ih := widget.Inner(m.detail.W, m.detail.H)
	w, h := m.room()
	f := m.file()
	box := widget.Box{Focus: m.inside}
	var lines []string
	switch {
	case f == nil:
		box.Title = "Text and reviews"
		all := m.aboutLines(full)
		top := max(0, min(m.text.top, len(all)-h))
		lines = all[top:min(top+h, len(all))]
		if len(all) > h {
			box.Foot = fmt.Sprintf("%d of %d lines", min(top+h, len(all)), len(all))
		}
	default:
		box.Title = clean(f.Path)
		box.Note = strings.TrimSpace(counts(f, m.st).Plain())
		if f.From != "" {
			box.Note = "renamed from " + clean(f.From) + " · " + box.Note
		}
		lines = m.textLines(f, w, h)
		if n := len(m.rows(f)); n > h {
			box.Foot = fmt.Sprintf("%d of %d", m.text.at+1, n)
		}
		if len(lines) == 0 {
			lines = append(lines, widget.Line{}.Add(m.st.Muted, " "+emptyFile(f)).Render(w, false, m.st))
		} else if f.Cut {
			box.Foot += " · the file is too large and cut"
		}
	}
	if field := m.fieldLines(full, ih); len(field) > 0 {
		lines = append(widget.Fill(lines, full, h), field...)
	}
	return box.Render(lines, m.detail.W, m.detail.H, m.st)
}

func emptyFile(f *state.DiffFile) string {
	switch {
	case f.Cut:
		return "too large to be shown here"
	case f.Kind == "binary":
		return "a binary file"
	case f.Kind == "renamed":
		return "renamed, its lines are the same"
	}
	return "no line was changed"
}

// aboutLines is what the pull request says, and what was said of it.
func (m *Model) aboutLines(w int) []string {
	if m.text.about != nil {
		return m.text.about
	}
	p := m.pull()
	if p == nil {
		return []string{widget.Line{}.Add(m.st.Muted, " "+widget.Clean(m.query.PR)+" is not open any more").Render(w, false, m.st)}
	}
	tw := max(w-2, 1)
	var out []string
	add := func(lines ...string) {
		for _, l := range lines {
			out = append(out, widget.Pad(l, 1, w))
		}
	}
	add(widget.Line{}.Add(m.st.Title, widget.Clean(p.PR.Title)).Render(tw, false, m.st))
	add(widget.Line{}.Add(m.st.Muted, widget.Clean(p.PR.Head)+" → "+widget.Clean(p.PR.Base)).Render(tw, false, m.st), "")
	if body := strings.TrimSpace(p.PR.Body); body != "" {
		add(widget.Markdown(body, tw, m.st)...)
	} else {
		add(widget.Line{}.Add(m.st.Muted, "no description").Render(tw, false, m.st))
	}
	add(present.CheckLines(&p.PR, tw, m.st)...)
	add(m.reviews(p, tw)...)
	m.text.about = out
	return out
}

func (m *Model) reviews(p *state.Pull, w int) []string {
	out := []string{"", widget.Divider(widget.Count(len(p.PR.Reviews), "review", "reviews"), w, m.st)}
	for i := range p.PR.Reviews {
		r := &p.PR.Reviews[i]
		head := widget.Line{}.Add(m.st.Accent, widget.Clean(r.Author)).Add(m.st.Muted, "  "+r.At.In(m.zone()).Format("2 Jan 15:04"))
		if r.Commit != "" {
			head = head.Add(m.st.Muted, "  at "+widget.Cut(widget.Clean(r.Commit), 8))
		}
		out = append(out, head.Render(w, false, m.st))
		for _, l := range widget.Markdown(r.Body, max(w-2, 1), m.st) {
			out = append(out, widget.Pad(l, 2, w))
		}
		for _, f := range r.Findings {
			tone := themes.ToneMuted
			if f.Severity == board.SeverityBlocking {
				tone = themes.ToneWarn
			}
			at := clean(f.Path)
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
			}
			for j, l := range widget.Wrap(at+" "+widget.Clean(f.Body), max(w-13, 8)) {
				word := ""
				if j == 0 {
					word = widget.Clean(f.Severity)
				}
				out = append(out, widget.Line{}.Add(m.st.Tone(tone), "  "+widget.Fit(word, 9)+" ").Add(m.st.Text, l).Render(w, false, m.st))
			}
		}
		out = append(out, "")
	}
	return out
}

func (m *Model) zone() *time.Location { return m.now.Location() }

// fieldLines is the open field with its heading and what sending does.
func (m *Model) fieldLines(w, h int) []string {
	if m.open == nil || h < 6 {
		return nil
	}
	fh := max(1, min(6, h/3))
	m.open.Input.SetSize(max(w-2, 1), fh)
	out := []string{widget.Divider(widget.Clean(m.open.Name), w, m.st)}
	for _, l := range m.open.Input.View(m.st) {
		out = append(out, widget.Pad(l, 1, w))
	}
	var hints []string
	if m.open.Hints != nil {
		hints = m.open.Hints(m.open.Input.Value())
	}
	hints = append(slices.Clone(hints), "↵ send all · ctrl+j new line · esc keep: the next R adds to it")
	return append(out, widget.Notes(hints, w, h, m.st.Muted, m.st)...)
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	left := 0
	if !m.single {
		left = m.list.W
	}
	switch {
	case m.open != nil:
		w, h := widget.Inner(m.detail.W, m.detail.H)
		lines := m.fieldLines(w, h)
		if len(lines) == 0 {
			return 0, 0, false
		}
		x, y = m.open.Input.Cursor()
		return left + 2 + x, 1 + m.detail.H - 1 - len(lines) + 1 + y, true
	case m.inside:
		y = 2 + m.text.at - m.text.top
		return left + 1, y, m.file() != nil && y < m.body.H-1
	}
	y = 2 + m.at - m.top
	return 1, y, m.entries() > 0 && m.list.W >= 4 && y < m.body.H-1
}
