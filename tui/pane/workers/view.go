package workers

import (
	"slices"
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
	if m.grid && !m.single {
		return m.viewGrid(now)
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
	name := w.Run.Title
	if row := present.RowOf(m.snap, w.Run.Ref); name == "" && row != nil {
		name = row.Issue.Title // an earlier loop's run
	}
	left := widget.Line{bar}.Add(title, widget.Clean(string(w.Run.Ref))+" ").Add(m.st.Muted, widget.Clean(name))
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
	full, _ := widget.Inner(m.detail.W, m.detail.H)
	iw, ih := m.room()
	m.now = now
	s := m.sight(w)
	box := widget.Box{Title: strings.Trim(present.WorkerTitle(w, now), " "), Focus: m.inside}
	box.Note = m.header(w, full-widget.Width(box.Title)-9)
	var lines []string
	if s.total() == 0 {
		lines = m.silent(w, iw, now)
		pinned := m.pinned(w, iw, now)
		lines = append(widget.Fill(lines, iw, max(ih-len(pinned), 0)), pinned...)
	} else {
		box.Foot = m.foot(s)
		lines = append(s.view(), m.pinned(w, iw, now)...)
	}
	return box.Render(padded(lines, full), m.detail.W, m.detail.H, m.st)
}

// header is what stands beside the title as far as room cells hold it: the
// model, memory and processes, the worktree.
func (m *Model) header(w *state.Worker, room int) string {
	place := present.WorkerPlace(w)
	rest := []string{widget.Clean(w.Model), present.WorkerLoad(w), place}
	for _, try := range [][]string{rest, {rest[0], place}, {place}, {rest[0]}} {
		text := strings.Join(slices.DeleteFunc(slices.Clone(try), func(s string) bool { return s == "" }), " · ")
		if text != "" && widget.Width(text) <= room {
			return text
		}
	}
	return ""
}

// foot says where in the transcript one is.
func (m *Model) foot(s *sight) string {
	n := widget.Thousands(s.total()) + " lines"
	line, _ := s.top()
	at := "line " + widget.Thousands(line+1) + " of " + n
	switch {
	case m.seeking != "":
		return "looking for " + m.seeking + " · " + at
	case m.find != "":
		at = "`" + widget.Clean(m.find) + "` · n N · " + at
		if s.chosen >= 0 {
			at = strings.Replace(at, "line "+widget.Thousands(line+1), "line "+widget.Thousands(s.chosen+1), 1)
		}
		return at
	case s.follow:
		return "following · " + n
	}
	return at
}

// silent says of a run without lines why there are none.
func (m *Model) silent(w *state.Worker, iw int, now time.Time) []string {
	if q, ok := m.reads.Key(); ok && q.Run == w.Run.ID {
		if s := m.reads.State(q); s.Pending {
			return []string{widget.Line{}.Add(m.st.Muted, m.st.Signs.Ellipsis+" reading its transcript").Render(iw, false, m.st)}
		} else if s.Err != nil {
			return []string{widget.Line{}.Add(m.st.Danger, m.st.Signs.Failed+" its transcript cannot be read: "+widget.Clean(s.Err.Error())).Render(iw, false, m.st)}
		}
	}
	if w.Outcome == "" && w.Run.EndedAt.IsZero() && w.Run.Phase != state.PhaseRetrying {
		step := map[state.Phase]string{
			state.PhaseClaiming: "claiming the row", state.PhaseClaimed: "worktree and hook",
			state.PhaseStarting: "the agent starts", state.PhaseRunning: "waits for its first word",
		}[w.Run.Phase]
		text := "starting " + widget.Clock(now.Sub(w.Run.ClaimedAt))
		if w.Run.ClaimedAt.IsZero() {
			text = "starting"
		}
		if step != "" {
			text += " · " + step
		}
		return []string{widget.Line{}.Add(m.st.Alive, m.st.Signs.Starting+" ").Add(m.st.Muted, text).Render(iw, false, m.st)}
	}
	return epitaph(w, iw, now, m.st)
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
	switch {
	case m.Selected() == nil:
		return 0, 0, false
	case m.open != nil:
		return m.fieldCursor()
	case m.grid && !m.single:
		_, _, first := m.cells()
		if r := m.grids(); m.at-first < len(r) {
			return r[m.at-first].X + 1, r[m.at-first].Y, r[m.at-first].W >= 4
		}
		return 0, 0, false
	case m.inside:
		return 0, 0, false
	}
	y = 1 + 2*(m.at-m.top)
	return 1, y, m.list.W >= 4 && y < m.list.H-1
}

// fieldCursor is where typing goes on: the field and its hints stand at the end
// of the box.
func (m *Model) fieldCursor() (x, y int, ok bool) {
	width, h := m.room()
	lines := m.fieldLines(width, h)
	if len(lines) == 0 {
		return 0, 0, false
	}
	x, y = m.open.Input.Cursor()
	x += 2
	if !m.single {
		x += m.detail.X - m.list.X
	}
	return x, m.detail.H - 1 - len(lines) + 1 + y, true
}
