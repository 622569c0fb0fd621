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

// Shown lists the workers in the boxes, with ref's first.
func (s *Strip) Shown(ref board.Ref) []*state.Worker {
	if s.snap == nil || s.w <= 0 {
		return nil
	}
	n := len(layout.Strip(s.w, len(s.snap.Workers)))
	out := make([]*state.Worker, 0, n)
	if w := present.LastWorker(s.snap, ref); w != nil {
		out = append(out, w)
	}
	for i := range s.snap.Workers {
		w := &s.snap.Workers[i]
		if len(out) == n {
			break
		}
		if len(out) == 0 || w != out[0] {
			out = append(out, w)
		}
	}
	return out
}

// Step moves the focus to another box; it reports whether there was one.
func (s *Strip) Step(by int, ref board.Ref) bool {
	n := len(s.Shown(ref))
	if at := s.sel + by; at >= 0 && at < n {
		s.sel = at
		return true
	}
	return false
}

// Selected is the worker of the box with the focus, nil without workers.
func (s *Strip) Selected(ref board.Ref) *state.Worker {
	shown := s.Shown(ref)
	if len(shown) == 0 {
		return nil
	}
	return shown[max(0, min(s.sel, len(shown)-1))]
}

// View draws the strip with ref's worker first.
func (s *Strip) View(ref board.Ref, now time.Time, focus bool) []string {
	if s.w <= 0 || s.h <= 0 {
		return nil
	}
	shown := s.Shown(ref)
	if len(shown) == 0 {
		return widget.Blank(s.w, s.h)
	}
	widths := layout.Strip(s.w, len(shown))
	blocks := make([][]string, 0, len(widths))
	for i, w := range shown[:min(len(widths), len(shown))] {
		iw, ih := widget.Inner(widths[i], s.h)
		box := widget.Box{
			Title: present.WorkerTitle(w, now), Note: present.WorkerPlace(w),
			Focus: focus && i == max(0, min(s.sel, len(shown)-1)),
		}
		blocks = append(blocks, box.Render(s.body(w, iw, ih, now), widths[i], s.h, s.st))
	}
	return widget.Beside(blocks...)
}

// body is the stream, and below it how the run ended if it has.
func (s *Strip) body(w *state.Worker, iw, ih int, now time.Time) []string {
	out := body(s.r, w, max(iw-2, 0), ih, now, s.st)
	for i, l := range out {
		out[i] = widget.Pad(l, 1, iw)
	}
	return out
}

// Stream draws the newest lines of a worker in any room, for panes that show
// one beside something else.
func (s *Strip) Stream(w *state.Worker, width, h int, now time.Time) []string {
	if w == nil {
		return widget.Blank(width, h)
	}
	return body(s.r, w, width, h, now, s.st)
}

// body lays out a stream's end with the run's outcome as its last line.
func body(r *renderer, w *state.Worker, width, h int, now time.Time, st *themes.Styles) []string {
	if width <= 0 || h <= 0 {
		return nil
	}
	foot := ended(w, width, now, st)
	if foot != "" && h > 1 {
		return append(r.tail(w.Tail, width, h-1, false, now.Location()), foot)
	}
	if len(w.Tail) == 0 {
		first := widget.Line{}.Add(st.Muted, "  "+present.WorkerState(w, now, &st.Signs).Text)
		return widget.Fill([]string{first.Render(width, false, st)}, width, h)
	}
	lines := r.tail(w.Tail, width, h, false, now.Location())
	return lines
}

func ended(w *state.Worker, width int, now time.Time, st *themes.Styles) string {
	if w.Outcome == "" && w.Run.Phase != state.PhaseRetrying && w.Run.Phase != state.PhaseVerifying {
		return ""
	}
	s := present.WorkerState(w, now, &st.Signs)
	return widget.Line{}.Add(st.Tone(s.Tone), s.Sign+" "+s.Text).Render(width, false, st)
}
