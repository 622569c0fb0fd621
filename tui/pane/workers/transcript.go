package workers

import (
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// transcript is one worker's stream with a place in it. The place is a line of
// the whole stream and a screen line within it, so that it survives new lines
// at the end, lines dropped from the start of the window, and another width.
type transcript struct {
	follow bool
	line   int // number of the first line on the screen, from 0 in the stream
	sub    int // screen line within it
}

// offset is the number in the stream of the first line of the window.
func offset(w *state.Worker) int { return max(w.Lines-len(w.Tail), 0) }

// layout is all lines of the window laid out, and where each begins.
func (t *transcript) layout(r *renderer, w *state.Worker, width int, zone *time.Location) (rows []string, starts []int) {
	starts = make([]int, len(w.Tail))
	for i := range w.Tail {
		starts[i] = len(rows)
		rows = append(rows, r.rows(shown(w, w.Tail[i]), width, true, zone)...)
	}
	return rows, starts
}

// top is the first row on the screen.
func (t *transcript) top(w *state.Worker, rows, h int, starts []int) int {
	last := max(rows-h, 0)
	if t.follow || len(starts) == 0 {
		return last
	}
	i := t.line - offset(w)
	switch {
	case i < 0:
		return 0
	case i >= len(starts):
		return last
	}
	return max(0, min(starts[i]+t.sub, last))
}

// place makes row the first one on the screen; at the end it follows again.
func (t *transcript) place(w *state.Worker, row, rows, h int, starts []int) {
	if row >= rows-h {
		t.follow = true
		return
	}
	row = max(row, 0)
	t.follow = false
	for i := len(starts) - 1; i >= 0; i-- {
		if starts[i] <= row {
			t.line, t.sub = offset(w)+i, row-starts[i]
			return
		}
	}
}

// move scrolls.
func (t *transcript) move(mv widget.Move, r *renderer, w *state.Worker, width, h int, zone *time.Location) {
	rows, starts := t.layout(r, w, width, zone)
	t.place(w, t.top(w, len(rows), h, starts)+mv.Step(len(rows), h), len(rows), h, starts)
}

// seek goes to the next line that is wanted, from the first one on the screen;
// it reports whether there is one.
func (t *transcript) seek(by int, want func(*state.Line) bool, r *renderer, w *state.Worker, width, h int, zone *time.Location) bool {
	rows, starts := t.layout(r, w, width, zone)
	top := t.top(w, len(rows), h, starts)
	at := 0
	for i, s := range starts {
		if s <= top {
			at = i
		}
	}
	if t.follow && by < 0 {
		at = len(starts)
	}
	for i := at + by; i >= 0 && i < len(starts); i += by {
		if want(&w.Tail[i]) {
			t.place(w, starts[i], len(rows), h, starts)
			return true
		}
	}
	return false
}

func isError(l *state.Line) bool {
	return l.Failed || l.Kind == state.LineError || l.Kind == state.LineDenied
}

func isTool(l *state.Line) bool { return l.Kind == state.LineTool || l.Kind == state.LineDenied }

func (t *transcript) view(r *renderer, w *state.Worker, width, h int, zone *time.Location) []string {
	if t.follow {
		return r.tail(w, width, h, true, zone)
	}
	rows, starts := t.layout(r, w, width, zone)
	top := t.top(w, len(rows), h, starts)
	return widget.Fill(append([]string(nil), rows[top:min(top+h, len(rows))]...), width, h)
}
