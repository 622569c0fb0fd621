package workers

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Load answers lines of a run, or where a text stands in it.
type Load = fetch.Load[Query, state.Transcript]

// Model is the workers view.
type Model struct {
	st     *themes.Styles
	r      *renderer
	snap   *state.Snapshot
	body   layout.Rect
	list   layout.Rect
	detail layout.Rect
	single bool
	inside bool // the transcript has the focus
	grid   bool // all workers at once
	large  bool // one of the grid was opened: a step back leads there
	run    string
	lost   string // the selected run that a picture did not have; see SetSnapshot
	at     int
	top    int
	places map[string]*transcript
	zone   *time.Location

	load    Load
	reads   *fetch.Value[Query, state.Transcript]
	now     time.Time // of the last Ask
	seq     uint64    // of the last step
	seeking string    // what a step under way looks for
	find    string    // the text that is marked
	open    *pane.Open
}

// New answers an empty view. Times of day are shown in zone.
func New(st *themes.Styles, zone *time.Location) *Model {
	return &Model{
		st: st, r: newRenderer(st), places: map[string]*transcript{}, zone: zone,
		reads: fetch.New[Query, state.Transcript](nil),
	}
}

// SetLoad says where lines are read that no picture carries.
func (m *Model) SetLoad(load Load) { m.load, m.reads = load, fetch.New(load) }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st, m.r = st, newRenderer(st) }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.body = body
	m.single = shape == layout.ShapeSingle
	m.list, m.detail = layout.SideBySide(body, shape, 32, 38)
	if m.single {
		m.detail = body
	}
	m.scroll()
}

// SetSnapshot takes a new picture; the selection stays with its run. Between its
// end and the note of how it was settled a run may be in no picture: the
// selection goes back to it with the next one, unless you have chosen another.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	at := -1
	if m.lost != "" && present.WorkerByRun(s, m.lost) != nil {
		m.run, m.lost = m.lost, ""
	}
	for i := range s.Workers {
		if s.Workers[i].Run.ID == m.run {
			at = i
		}
	}
	if at < 0 {
		if m.lost == "" {
			m.lost = m.run
		}
		at = max(0, min(m.at, len(s.Workers)-1))
		m.run = ""
		if len(s.Workers) > 0 {
			m.run = s.Workers[at].Run.ID
		}
	}
	m.at = at
	for run := range m.places {
		if present.WorkerByRun(s, run) == nil {
			delete(m.places, run)
		}
	}
	m.scroll()
}

func (m *Model) scroll() {
	if m.snap == nil {
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	win := widget.Window{Sel: m.at, Top: m.top}
	win.Clamp(len(m.snap.Workers), max(h/2, 1))
	m.top = win.Top
}

// Selected is the chosen worker, nil without one.
func (m *Model) Selected() *state.Worker {
	if m.snap == nil || m.at >= len(m.snap.Workers) {
		return nil
	}
	return &m.snap.Workers[m.at]
}

// pick chooses the worker at a place of the list.
func (m *Model) pick(at int) {
	if m.snap == nil || len(m.snap.Workers) == 0 {
		return
	}
	m.at = max(0, min(at, len(m.snap.Workers)-1))
	m.run, m.lost = m.snap.Workers[m.at].Run.ID, ""
	m.scroll()
}

// openRun selects a worker and gives its transcript the focus.
func (m *Model) openRun(w *state.Worker) tea.Cmd {
	m.run, m.lost = w.Run.ID, ""
	m.SetSnapshot(m.snap)
	m.inside, m.large, m.grid = true, m.grid, false
	if w.Run.Failure != "" && (w.Outcome != "" || w.Run.Phase == state.PhaseRetrying) {
		return m.lastError(w) // a failed run opens at its error
	}
	return nil
}

// lastError goes to the newest error among the lines that are here, else it
// looks for one on disk.
func (m *Model) lastError(w *state.Worker) tea.Cmd {
	want := func(l *state.Line) bool { return isError(l) && l.Kind != state.LineResult }
	s := m.sight(w)
	for n := s.total() - 1; n >= s.offset(); n-- {
		if line, ok := s.stream.line(n); ok && want(&line) {
			s.choose(n)
			return nil
		}
	}
	if m.load == nil || s.offset() == 0 {
		return nil
	}
	m.seq++
	return m.scan(s, s.offset()-1, -1, aim{want: want}).Cmd
}

// Inside says whether the transcript has the focus.
func (m *Model) Inside() bool { return m.inside && !m.grid }

// SetInside moves the focus between list and transcript.
func (m *Model) SetInside(v bool) {
	m.inside = v && m.Selected() != nil
	if m.inside && m.grid {
		m.grid, m.large = false, true
	}
}

func (m *Model) place(run string) *transcript {
	t := m.places[run]
	if t == nil {
		t = newTranscript()
		m.places[run] = t
	}
	return t
}

// room is the size of the transcript's text.
func (m *Model) room() (w, h int) {
	w, h = widget.Inner(m.detail.W, m.detail.H)
	return max(w-2, 0), h
}

// sight is the chosen worker's transcript in the room that its text has.
func (m *Model) sight(w *state.Worker) *sight {
	t := m.place(w.Run.ID)
	width, h := m.room()
	least := 0
	if m.load == nil {
		least = stream{w, t.read}.offset()
	}
	return &sight{
		least: least, transcript: t, stream: stream{w, t.read}, r: m.r, w: width, h: max(h-len(m.pinned(w, width, m.now)), 1), zone: m.zone,
		find: m.find, note: func(l state.Line) string { return receiptOf(w, l, m.zone) },
	}
}

// Move carries a move out where the focus is.
func (m *Model) Move(mv widget.Move) {
	w := m.Selected()
	if mv == widget.MoveNone || w == nil {
		return
	}
	if m.Inside() {
		m.sight(w).move(mv)
		return
	}
	if m.grid {
		m.moveGrid(mv)
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	m.pick(m.at + mv.Step(len(m.snap.Workers), max(h/2, 1)))
}

// Follow goes to the newest line and stays there.
func (m *Model) Follow() {
	if m.Selected() != nil {
		t := m.place(m.run)
		t.follow, t.chosen = true, -1
	}
}

// unfold opens or closes what is chosen, else the first tool call in sight.
func (m *Model) unfold(w *state.Worker) pane.Reply {
	s := m.sight(w)
	line, sub := s.top()
	at := s.chosen
	if at < 0 || !s.inSight(at, line, sub) {
		at = -1
		for n := line; n < s.total() && s.inSight(n, line, 0); n++ {
			if l, ok := s.stream.line(n); ok && isTool(&l) {
				at = n
				break
			}
		}
	}
	if at < 0 {
		return pane.Not("no tool call is in sight to unfold; , and . go to one")
	}
	s.transcript.line, s.sub, s.follow = line, sub, s.follow && !s.transcript.open[at]
	s.chosen = at
	s.transcript.open[at] = !s.transcript.open[at]
	if !s.transcript.open[at] {
		delete(s.transcript.open, at)
	} else {
		s.follow = false
	}
	return pane.Done()
}

// Ask reads what is in sight and not here.
func (m *Model) Ask(now time.Time) tea.Cmd {
	m.now = now
	w := m.Selected()
	if w == nil || m.load == nil {
		return nil
	}
	s := m.sight(w)
	if s.total() == 0 {
		if w.Outcome == "" && w.Run.EndedAt.IsZero() {
			return nil // it has yet to say something
		}
		return m.reads.Want(Query{Run: w.Run.ID, From: -1, N: chunkLines}, now)
	}
	if m.grid {
		return nil
	}
	n := s.missing()
	if n < 0 {
		n = s.detail()
	}
	if n < 0 {
		return nil
	}
	return m.reads.Want(s.window(n), now)
}

// Take takes lines that were read, and where a step led.
func (m *Model) Take(msg tea.Msg) pane.Reply {
	if found, ok := msg.(soughtMsg); ok && found.of == m {
		return m.sought(found)
	}
	mine, cmd := m.reads.Take(msg, m.now)
	if !mine {
		return pane.Reply{}
	}
	if q, ok := m.reads.Key(); ok {
		m.r.trouble = ""
		if err := m.reads.State(q).Err; err != nil {
			m.r.trouble = widget.Clean(err.Error())
		}
		if t, ok := m.reads.Get(q); ok {
			m.place(q.Run).read.take(&t)
		}
	}
	r := pane.Done()
	r.Cmd = cmd
	return r
}
