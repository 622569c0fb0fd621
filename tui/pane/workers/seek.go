package workers

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// scanMax bounds how many windows one step reads: more than any run has, and
// an end where lines cannot be read.
const scanMax = 500

// aim is what a step looks for.
type aim struct {
	what string // in words: error, tool call; empty if nobody waits for it
	want func(*state.Line) bool
	find string // a text: the reader looks for it
	wrap bool   // goes on from the other end
}

// soughtMsg says where a step led.
type soughtMsg struct {
	of   *Model
	seq  uint64
	run  string
	line int // -1: there is none
	err  error
}

// seek goes to the next line that is wanted. What is here is looked through at
// once; what is on disk in a command.
func (m *Model) seek(by int, a aim) pane.Reply {
	w := m.Selected()
	if w == nil {
		return pane.Not("no worker is selected")
	}
	s := m.sight(w)
	at, dir := s.from(by)
	m.seq++
	m.seeking = ""
	if a.find != "" {
		return m.scan(s, at, dir, a)
	}
	for n := at; n >= s.least && n < s.total(); n += dir {
		line, ok := s.stream.line(n)
		if !ok {
			return m.scan(s, n, dir, a)
		}
		if a.want(&line) {
			s.choose(n)
			return pane.Done()
		}
	}
	if a.wrap && dir > 0 && at > s.least {
		r := m.seekFrom(s, s.least, a)
		if r.Say == "" && r.Cmd == nil {
			r.Say = "from the first one again"
		}
		return r
	}
	return pane.Not("no further " + a.what)
}

// seekFrom looks on from a line, forward, and does not wrap.
func (m *Model) seekFrom(s *sight, at int, a aim) pane.Reply {
	for n := at; n < s.total(); n++ {
		line, ok := s.stream.line(n)
		if !ok {
			return m.scan(s, n, 1, a)
		}
		if a.want(&line) {
			s.choose(n)
			return pane.Done()
		}
	}
	return pane.Not("no further " + a.what)
}

// scan looks on in a command, window by window or by the reader's own search.
func (m *Model) scan(s *sight, at, dir int, a aim) pane.Reply {
	m.seeking = a.what
	seq, load, run, total := m.seq, m.load, s.stream.w.Run.ID, s.total()
	r := pane.Done()
	r.Cmd = func() tea.Msg {
		out := soughtMsg{of: m, seq: seq, run: run, line: -1}
		switch {
		case load == nil:
			out.err = fetch.ErrNone
		case a.find != "":
			out.line, out.err = find(load, Query{Run: run, From: at, N: dir, Find: a.find, Total: total}, a.wrap)
		default:
			out.line, out.err = scanFor(load, run, at, dir, total, a.want)
		}
		return out
	}
	return r
}

func find(load Load, q Query, wrap bool) (int, error) {
	if q.From >= 0 && q.From < q.Total {
		t, err := load(q)
		if err != nil || t.Next >= 0 {
			return t.Next, err
		}
	}
	if !wrap {
		return -1, nil
	}
	q.From = 0
	if q.N < 0 {
		q.From = max(q.Total-1, 0)
	}
	t, err := load(q)
	return t.Next, err
}

func scanFor(load Load, run string, at, dir, total int, want func(*state.Line) bool) (int, error) {
	for range scanMax {
		if at < 0 || at >= total {
			return -1, nil
		}
		from := at / chunkLines * chunkLines
		t, err := load(Query{Run: run, From: from, N: chunkLines, Total: total})
		if err != nil {
			return -1, err
		}
		if len(t.Lines) == 0 {
			return -1, nil
		}
		at = min(at, from+len(t.Lines)-1)
		for ; at >= from && at < from+len(t.Lines); at += dir {
			if want(&t.Lines[at-from]) {
				return at, nil
			}
		}
	}
	return -1, errors.New("the transcript is too long to be looked through from here")
}

// sought takes the end of a step.
func (m *Model) sought(msg soughtMsg) pane.Reply {
	if msg.seq != m.seq {
		return pane.Done()
	}
	what := m.seeking
	m.seeking = ""
	w := m.Selected()
	switch {
	case w == nil || w.Run.ID != msg.run || what == "" && msg.line < 0:
	case msg.err != nil:
		return pane.Not("cannot look for " + what + ": " + widget.Clean(msg.err.Error()))
	case msg.line < 0:
		return pane.Not("no further " + what)
	default:
		m.sight(w).choose(msg.line)
	}
	return pane.Done()
}

// piece goes to the next tool call (by 1) or the one before.
func (m *Model) piece(by int) pane.Reply {
	m.SetInside(true)
	return m.seek(by, aim{what: "tool call", want: isTool})
}

// nextError goes to the next error, and from the last one to the first.
func (m *Model) nextError() pane.Reply {
	m.SetInside(true)
	return m.seek(1, aim{what: "error", want: isError, wrap: true})
}

// Find looks for a text over the whole transcript and marks where it stands; an
// empty one ends that.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	if text == "" {
		return nil
	}
	m.SetInside(true)
	return m.match(1).Cmd
}

// Found says that matches are not counted: the transcript is never read whole.
func (m *Model) Found() (shown, total int) { return -1, -1 }

// match goes to the next match (by 1) or the one before.
func (m *Model) match(by int) pane.Reply {
	if m.find == "" {
		return pane.Not("nothing is searched for; / finds in the transcript")
	}
	return m.seek(by, aim{what: "`" + widget.Clean(m.find) + "`", find: m.find, wrap: true})
}
