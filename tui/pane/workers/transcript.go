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

	chosen int          // the line that , . e and find went to; -1 for none
	open   map[int]bool // tool calls that are unfolded
	read   *lines
}

func newTranscript() *transcript {
	return &transcript{follow: true, chosen: -1, open: map[int]bool{}, read: newLines()}
}

// sight is a transcript in a room: everything that laying it out depends on.
type sight struct {
	*transcript
	stream
	r    *renderer
	w, h int
	zone *time.Location
	find string
	// least is the first line that there is: without a reader the older ones
	// cannot be shown.
	least int
	note  func(state.Line) string // what became of a message
}

// rows lays line n out; a line that is still to be read takes one row.
func (s *sight) rows(n int) []string {
	line, ok := s.stream.line(n)
	if !ok {
		return []string{s.r.missing(n, s.w)}
	}
	l := laid{line: shown(s.stream.w, line), w: s.w, clock: true, open: s.open[n], find: s.find, chosen: n == s.chosen}
	if s.note != nil && line.Kind == state.LineUser {
		l.note = s.note(line)
	}
	return s.r.rows(l, s.zone)
}

// end is the place from which the last rows fill the room.
func (s *sight) end() (line, sub int) {
	have := 0
	for n := s.total() - 1; n >= s.least; n-- {
		have += len(s.rows(n))
		if have >= s.h {
			return n, have - s.h
		}
	}
	return s.least, 0
}

// top is the first row on the screen: never so far down that the room is not
// filled.
func (s *sight) top() (line, sub int) {
	if s.follow || s.total() == 0 {
		return s.end()
	}
	line = max(s.least, min(s.transcript.line, s.total()-1))
	sub = max(0, min(s.sub, len(s.rows(line))-1))
	have := -sub
	for n := line; n < s.total(); n++ {
		if have += len(s.rows(n)); have >= s.h {
			return line, sub
		}
	}
	return s.end()
}

// view is the rows on the screen.
func (s *sight) view() []string {
	line, sub := s.top()
	out := make([]string, 0, s.h)
	for n := line; n < s.total() && len(out) < s.h; n++ {
		rows := s.rows(n)
		out = append(out, rows[min(sub, len(rows)):]...)
		sub = 0
	}
	return widget.Fill(out, s.w, s.h)
}

// missing is the first line on the screen that is still to be read; -1 when all
// are here. The part of the transcript that is seen when calls unfold, too.
func (s *sight) missing() int {
	line, sub := s.top()
	have := -sub
	for n := line; n < s.total() && have < s.h; n++ {
		if _, ok := s.stream.line(n); !ok {
			return n
		}
		have += len(s.rows(n))
	}
	return -1
}

// at goes to a place; at the end it follows.
func (s *sight) at(line, sub int) {
	s.follow = false
	s.transcript.line, s.sub = line, sub
	l, x := s.end()
	s.follow = line > l || (line == l && sub >= x)
}

// move scrolls.
func (s *sight) move(mv widget.Move) {
	switch mv {
	case widget.MoveFirst:
		s.at(s.least, 0)
		return
	case widget.MoveLast:
		s.follow = true
		return
	case widget.MoveNone, widget.MoveUp, widget.MoveDown, widget.MovePageUp, widget.MovePageDown, widget.MoveHalfUp, widget.MoveHalfDown:
	}
	line, sub := s.top()
	by := mv.Step(0, s.h)
	for ; by > 0 && line < s.total(); by-- {
		if sub++; sub >= len(s.rows(line)) {
			line, sub = line+1, 0
		}
	}
	for ; by < 0 && (line > s.least || sub > 0); by++ {
		if sub--; sub < 0 {
			line--
			sub = len(s.rows(line)) - 1
		}
	}
	s.at(line, sub)
}

// choose marks a line and brings it into sight, a few rows below the top.
func (s *sight) choose(n int) {
	s.chosen = n
	line, sub := s.top()
	if !s.inSight(n, line, sub) {
		s.transcript.line, s.sub, s.follow = n, 0, false
		for range min(3, s.h/3) {
			s.move(widget.MoveUp)
		}
	}
}

func (s *sight) inSight(n, line, sub int) bool {
	if n < line || (n == line && sub > 0) {
		return false
	}
	have := -sub
	for i := line; i < n; i++ {
		if have += len(s.rows(i)); have >= s.h {
			return false
		}
	}
	return have < s.h
}

// from is where a step begins, and in which direction it goes: on from the
// chosen line if it is in sight, else from the edge of the screen. From the end
// there is nothing after: a step goes to the newest one.
func (s *sight) from(by int) (at, dir int) {
	line, sub := s.top()
	switch {
	case s.chosen >= 0 && s.inSight(s.chosen, line, sub):
		return s.chosen + by, by
	case s.follow:
		return s.total() - 1, -1
	case by < 0:
		return line - 1, by
	}
	return line, by
}

func isError(l *state.Line) bool {
	return l.Failed || l.Kind == state.LineError || l.Kind == state.LineDenied
}

func isTool(l *state.Line) bool { return l.Kind == state.LineTool || l.Kind == state.LineDenied }

// endedSince says that a call ran on when it was read, and has ended.
func (s *sight) endedSince(n int, read *state.Line) bool {
	now, ok := s.stream.line(n)
	return ok && isTool(&now) && now.Done && !read.Done
}

// detail is the first unfolded call in sight whose whole text was not read yet;
// -1 without one.
func (s *sight) detail() int {
	line, sub := s.top()
	have := -sub
	for n := line; n < s.total() && have < s.h; n++ {
		if read, ok := s.stream.read.line(n); s.transcript.open[n] && (!ok || s.endedSince(n, &read)) {
			return n
		}
		have += len(s.rows(n))
	}
	return -1
}
