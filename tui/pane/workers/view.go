package workers

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// View draws the whole body.
func (m *Model) View(now time.Time) []string {
	if m.list.W <= 0 || m.list.H <= 0 {
		return nil
	}
	w := m.Selected()
	if w == nil {
		return m.empty()
	}
	if m.single {
		if m.inside {
			return m.viewTranscript(w, now)
		}
		return m.viewList(now)
	}
	return widget.Beside(m.viewList(now), m.viewTranscript(w, now))
}

func (m *Model) viewList(now time.Time) []string {
	iw, ih := widget.Inner(m.list.W, m.list.H)
	live := present.Live(m.snap)
	box := widget.Box{Title: "Workers " + widget.Thousands(live), Focus: !m.inside}
	if n := len(m.snap.Workers); n > max(ih/2, 1) {
		box.Note = widget.Thousands(m.at+1) + " of " + widget.Thousands(n)
	}
	var lines []string
	for i := m.top; i < len(m.snap.Workers) && len(lines) < ih; i++ {
		lines = append(lines, m.row(&m.snap.Workers[i], iw, i == m.at, now)...)
	}
	return box.Render(lines, m.list.W, m.list.H, m.st)
}

func (m *Model) row(w *state.Worker, iw int, chosen bool, now time.Time) []string {
	s := present.WorkerState(w, now, &m.st.Signs)
	focus := chosen && !m.inside
	bar := widget.Span{Text: " "}
	if chosen {
		bar = widget.Span{Ink: m.st.Muted, Text: m.st.Signs.Bar}
	}
	if focus {
		bar.Ink = m.st.Focus
	}
	title := m.st.Text
	if chosen {
		title = m.st.Strong
	}
	left := widget.Line{bar}.Add(title, widget.Clean(string(w.Run.Ref))+" ").Add(m.st.Muted, widget.Clean(w.Run.Title))
	right := widget.Line{}
	if w.CostUSD > 0 {
		right = right.Add(m.st.Muted, widget.Money(w.CostUSD)+" ")
	}
	second := widget.Line{{Text: " "}}.Add(m.st.Tone(s.Tone), s.Sign+" ").Add(m.st.Muted, s.Text)
	return []string{
		widget.Sides(left, right, iw, focus, m.st),
		second.Render(iw, focus, m.st),
	}
}

func (m *Model) viewTranscript(w *state.Worker, now time.Time) []string {
	iw, ih := m.room()
	t := m.place()
	box := widget.Box{
		Title: strings.Trim(present.WorkerTitle(w, now), " "),
		Note:  present.WorkerPlace(w),
		Focus: m.inside,
		Foot:  "reading " + m.st.Signs.Dot + " " + widget.Thousands(w.Lines) + " lines",
	}
	switch {
	case len(w.Tail) == 0:
		box.Foot = ""
	case t.follow:
		box.Foot = "following " + m.st.Signs.Dot + " " + widget.Thousands(w.Lines) + " lines"
	}
	foot := ended(w, iw, now, m.st)
	rows := ih
	if foot != "" && ih > 1 {
		rows--
	}
	var lines []string
	if len(w.Tail) == 0 {
		lines = widget.Fill(epitaph(w, iw, now, m.st), iw, ih)
	} else {
		lines = t.view(m.r, w, iw, rows, m.zone)
		if rows < ih {
			lines = append(lines, foot)
		}
	}
	full, _ := widget.Inner(m.detail.W, m.detail.H)
	return box.Render(padded(lines, full), m.detail.W, m.detail.H, m.st)
}

// empty says why no worker runs, and which key brings one.
func (m *Model) empty() []string {
	w, h := m.list.W+m.detail.W, m.list.H
	if m.single {
		w = m.list.W
	}
	iw, ih := widget.Inner(w, h)
	text := "no worker runs"
	if m.snap != nil {
		switch {
		case m.snap.Mode == state.ModePaused:
			text = "no worker runs: the loop is paused; p resumes it"
		case len(m.snap.Needs) > 0 && present.NextInLine(m.snap) == "":
			text = "no worker runs: what is left waits for you; 3 lists it"
		case present.NextInLine(m.snap) == "":
			text = "no worker runs: no issue is ready for an agent"
		default:
			text = "no worker runs yet: " + present.NextInLine(m.snap) + " is next; ctrl+r fires now"
		}
	}
	var lines []string
	for _, l := range widget.Wrap(text, max(iw-2, 1)) {
		lines = append(lines, widget.Line{}.Add(m.st.Muted, " "+l).Render(iw, false, m.st))
	}
	return widget.Box{Title: "Workers 0", Focus: true}.Render(widget.Fill(lines, iw, ih), w, h, m.st)
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	if m.inside || m.Selected() == nil {
		return 0, 0, false
	}
	y = 1 + 2*(m.at-m.top)
	return 1, y, m.list.W >= 4 && y < m.list.H-1
}
