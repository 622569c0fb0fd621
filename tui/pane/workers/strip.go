package workers

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Strip shows workers side by side: the selected row's first, then the others
// in the loop's order, so that a box stays where it is while its worker lives.
type Strip struct {
	st   *themes.Styles
	r    *renderer
	snap *state.Snapshot
	w, h int
	sel  int // box with the focus
}

// NewStrip answers an empty strip.
func NewStrip(st *themes.Styles) *Strip { return &Strip{st: st, r: newRenderer(st)} }

// SetStyles changes the theme.
func (s *Strip) SetStyles(st *themes.Styles) { s.st, s.r = st, newRenderer(st) }

// SetSize says how much room there is.
func (s *Strip) SetSize(w, h int) { s.w, s.h = w, h }

// SetSnapshot takes a new picture.
func (s *Strip) SetSnapshot(snap *state.Snapshot) { s.snap = snap }

// Lead is a box before the workers' boxes: the selected issue itself, where no
// worker is at it.
type Lead struct {
	Title string
	Lines func(w, h int) []string
}

// Shown lists the workers in the boxes. Without a lead, ref's comes first.
func (s *Strip) Shown(ref board.Ref, lead bool) []*state.Worker {
	if s.snap == nil || s.w <= 0 {
		return nil
	}
	n := len(layout.Strip(s.w, len(s.snap.Workers)))
	if lead {
		n = len(layout.Strip(s.w, len(s.snap.Workers)+1)) - 1
	}
	out := make([]*state.Worker, 0, n)
	first := present.LastWorker(s.snap, ref)
	if lead {
		first = nil
	}
	if first != nil && n > 0 {
		out = append(out, first)
	}
	for i := range s.snap.Workers {
		w := &s.snap.Workers[i]
		if len(out) >= n {
			break
		}
		if w != first {
			out = append(out, w)
		}
	}
	return out
}

// Step moves the focus to another box; it reports whether there was one.
func (s *Strip) Step(by int, ref board.Ref, lead bool) bool {
	n := len(s.Shown(ref, lead))
	if lead {
		n++
	}
	if at := s.sel + by; at >= 0 && at < n {
		s.sel = at
		return true
	}
	return false
}

// At is the number of the box with the focus.
func (s *Strip) At() int { return s.sel }

// Selected is the worker of the box with the focus; nil for the lead, and
// without workers.
func (s *Strip) Selected(ref board.Ref, lead bool) *state.Worker {
	shown := s.Shown(ref, lead)
	at := s.sel
	if lead {
		at--
	}
	if at < 0 || len(shown) == 0 {
		return nil
	}
	return shown[min(at, len(shown)-1)]
}

// View draws the strip: the lead if there is one, else ref's worker first.
func (s *Strip) View(ref board.Ref, lead *Lead, now time.Time, focus bool) []string {
	if s.w <= 0 || s.h <= 0 {
		return nil
	}
	shown := s.Shown(ref, lead != nil)
	n := len(shown)
	if lead != nil {
		n++
	}
	if n == 0 {
		return widget.Blank(s.w, s.h)
	}
	widths := layout.Strip(s.w, n)
	sel := max(0, min(s.sel, n-1))
	blocks := make([][]string, 0, n)
	if lead != nil {
		iw, ih := widget.Inner(widths[0], s.h)
		box := widget.Box{Title: lead.Title, Focus: focus && sel == 0}
		blocks = append(blocks, box.Render(padded(lead.Lines(max(iw-2, 0), ih), iw), widths[0], s.h, s.st))
	}
	for _, w := range shown {
		i := len(blocks)
		if i >= len(widths) {
			break
		}
		iw, ih := widget.Inner(widths[i], s.h)
		box := widget.Box{Title: present.WorkerTitle(w, now), Note: present.WorkerPlace(w), Focus: focus && i == sel}
		lines := body(s.r, s.snap, w, max(iw-2, 0), ih, now, s.st)
		blocks = append(blocks, box.Render(padded(lines, iw), widths[i], s.h, s.st))
	}
	return widget.Beside(blocks...)
}

func padded(lines []string, iw int) []string {
	for i, l := range lines {
		lines[i] = widget.Pad(l, 1, iw)
	}
	return lines
}

// Stream draws the newest lines of a worker in any room, for panes that show
// one beside something else.
func (s *Strip) Stream(w *state.Worker, width, h int, now time.Time) []string {
	if w == nil {
		return widget.Blank(width, h)
	}
	return body(s.r, s.snap, w, width, h, now, s.st)
}

// body lays out a stream's end with what the worker asks or the run's outcome as
// its last line, or the outcome alone where the lines are not kept any more.
func body(r *renderer, snap *state.Snapshot, w *state.Worker, width, h int, now time.Time, st *themes.Styles) []string {
	if width <= 0 || h <= 0 {
		return nil
	}
	foot := asks(snap, w, width, now, st)
	if foot == "" {
		foot = ended(w, width, now, st)
	}
	if len(w.Tail) == 0 {
		return widget.Fill(epitaph(w, width, now, st), width, h)
	}
	if foot != "" && h > 1 {
		return append(r.tail(w, width, h-1, now.Location()), foot)
	}
	return r.tail(w, width, h, now.Location())
}

// asks is what a worker waits for, on one line.
func asks(snap *state.Snapshot, w *state.Worker, width int, now time.Time, st *themes.Styles) string {
	r := present.RequestOf(snap, w.Run.ID)
	if r == nil {
		return ""
	}
	left := widget.Line{}.Add(st.Attention, st.Signs.Attention+" ").Add(st.Strong, widget.Clean(r.Tool)+" ").Add(st.Attention, present.Asks(r))
	return widget.Sides(left, widget.Line{}.Add(st.Attention, "waits for you, "+widget.Clock(now.Sub(r.Since))), width, false, st)
}

// epitaph says of a run without lines what is known of it.
func epitaph(w *state.Worker, width int, now time.Time, st *themes.Styles) []string {
	s := present.WorkerState(w, now, &st.Signs)
	var out []string
	add := func(ink themes.Ink, sign, text string) {
		for _, l := range widget.Wrap(text, max(width-2, 1)) {
			out = append(out, widget.Line{}.Add(st.Tone(s.Tone), widget.Fit(sign, 2)).Add(ink, l).Render(width, false, st))
			sign = ""
		}
	}
	add(st.Text, s.Sign, s.Text)
	if w.Outcome == "" {
		return out
	}
	if w.Run.Failure != "" {
		add(st.Danger, "", widget.Clean(w.Run.Failure))
	}
	add(st.Muted, "", "the run is over; its lines are on disk: t reads them")
	return out
}

func ended(w *state.Worker, width int, now time.Time, st *themes.Styles) string {
	if w.Outcome == "" && w.Run.Phase != state.PhaseRetrying && w.Run.Phase != state.PhaseVerifying {
		return ""
	}
	s := present.WorkerState(w, now, &st.Signs)
	return widget.Line{}.Add(st.Tone(s.Tone), s.Sign+" "+s.Text).Render(width, false, st)
}
