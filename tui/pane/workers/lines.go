package workers

import (
	"slices"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Query asks for lines of a run (tui.Reader says what the fields mean).
type Query struct {
	Run     string
	From, N int
	Find    string
	// Total is how many lines there were when it was asked: the same window of
	// a longer stream is another question.
	Total int
}

// chunkLines is how many lines are read at once, chunksKept how many such
// pieces of one run are remembered.
const (
	chunkLines = 200
	chunksKept = 16
)

// lines are the pieces of one run's stream that were read.
type lines struct {
	total  int
	chunks map[int][]state.Line // by the first line's number / chunkLines
	used   []int                // the one used last at the end
}

func newLines() *lines { return &lines{chunks: map[int][]state.Line{}} }

// take keeps a window that was read.
func (l *lines) take(t *state.Transcript) {
	l.total = max(t.Total, t.From+len(t.Lines))
	for i := 0; i < len(t.Lines); {
		n := t.From + i
		c, at := n/chunkLines, n%chunkLines
		upto := min(i+chunkLines-at, len(t.Lines))
		piece := t.Lines[i:upto]
		i = upto
		if at > 0 {
			have := l.chunks[c]
			if len(have) < at {
				continue // its start is missing: it is read when it is shown
			}
			piece = append(slices.Clone(have[:at]), piece...)
		}
		l.keep(c, piece)
	}
}

func (l *lines) keep(c int, piece []state.Line) {
	l.chunks[c] = piece
	l.touch(c)
	for len(l.used) > chunksKept {
		delete(l.chunks, l.used[0])
		l.used = l.used[1:]
	}
}

func (l *lines) touch(c int) {
	if i := slices.Index(l.used, c); i >= 0 {
		l.used = slices.Delete(l.used, i, i+1)
	}
	l.used = append(l.used, c)
}

// line is the line of that number, if it was read.
func (l *lines) line(n int) (state.Line, bool) {
	c := l.chunks[n/chunkLines]
	if at := n % chunkLines; n >= 0 && at < len(c) {
		return c[at], true
	}
	return state.Line{}, false
}

// stream is one run's lines: those read, and the newest of the snapshot.
type stream struct {
	w    *state.Worker
	read *lines
}

// total is how many lines there are in all.
func (s stream) total() int { return max(s.w.Lines, len(s.w.Tail), s.read.total) }

// offset is the number of the first line of the snapshot's window.
func (s stream) offset() int { return max(s.w.Lines-len(s.w.Tail), 0) }

// line is the line of that number; false where it is not here.
func (s stream) line(n int) (state.Line, bool) {
	if at := n - s.offset(); at >= 0 && at < len(s.w.Tail) {
		// A call's whole text is only in what was read; its end is newer here.
		line := s.w.Tail[at]
		if old, ok := s.read.line(n); ok && old.Tool == line.Tool && old.Text == line.Text {
			line.Detail = old.Detail
		}
		return line, true
	}
	return s.read.line(n)
}

// window is the question that brings line n.
func (s stream) window(n int) Query {
	return Query{Run: s.w.Run.ID, From: n / chunkLines * chunkLines, N: chunkLines, Total: min(s.total(), (n/chunkLines+1)*chunkLines)}
}
