package workers

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// KeyMap are the keys of the view besides the global ones.
type KeyMap struct {
	widget.ListKeys
}

// FullHelp lists every key.
func (k KeyMap) FullHelp() []key.Binding { return k.All() }

// Model is the workers view.
type Model struct {
	st     *themes.Styles
	keys   KeyMap
	r      *renderer
	snap   *state.Snapshot
	list   layout.Rect
	detail layout.Rect
	single bool
	inside bool // the transcript has the focus
	run    string
	at     int
	top    int
	places map[string]*transcript
	zone   *time.Location
}

// New answers an empty view. Times of day are shown in zone.
func New(st *themes.Styles, zone *time.Location) *Model {
	return &Model{
		st: st, keys: KeyMap{widget.NewListKeys()}, r: newRenderer(st),
		places: map[string]*transcript{}, zone: zone,
	}
}

// Keys is the view's key map.
func (m *Model) Keys() KeyMap { return m.keys }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st, m.r = st, newRenderer(st) }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.single = shape == layout.ShapeSingle
	m.list, m.detail = layout.SideBySide(body, shape, 32, 38)
	if m.single {
		m.detail = body
	}
	m.scroll()
}

// SetSnapshot takes a new picture; the selection stays with its run.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	at := -1
	for i := range s.Workers {
		if s.Workers[i].Run.ID == m.run {
			at = i
		}
	}
	if at < 0 {
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

// OpenRef selects the worker of an issue and gives its transcript the focus; it
// reports whether there is one.
func (m *Model) OpenRef(ref board.Ref) bool {
	w := present.LastWorker(m.snap, ref)
	if w == nil {
		return false
	}
	m.run = w.Run.ID
	m.SetSnapshot(m.snap)
	m.inside = true
	if w.Outcome != "" && w.Run.Failure != "" {
		m.SeekError(1) // a failed run opens at its error
	}
	return true
}

// Inside says whether the transcript has the focus.
func (m *Model) Inside() bool { return m.inside }

// SetInside moves the focus between list and transcript.
func (m *Model) SetInside(v bool) { m.inside = v && m.Selected() != nil }

func (m *Model) place() *transcript {
	t := m.places[m.run]
	if t == nil {
		t = &transcript{follow: true}
		m.places[m.run] = t
	}
	return t
}

func (m *Model) room() (w, h int) {
	w, h = widget.Inner(m.detail.W, m.detail.H)
	return max(w-2, 0), h
}

// Update moves the selection, or scrolls the transcript if it has the focus.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		m.Move(m.keys.Match(press))
	}
	return nil
}

// Move carries a move out where the focus is.
func (m *Model) Move(mv widget.Move) {
	w := m.Selected()
	if mv == widget.MoveNone || w == nil {
		return
	}
	if m.inside {
		width, h := m.room()
		m.place().move(mv, m.r, w, width, h, m.zone)
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	win := widget.Window{Sel: m.at, Top: m.top}
	win.Apply(mv, len(m.snap.Workers), max(h/2, 1))
	m.at, m.top = win.Sel, win.Top
	m.run = m.snap.Workers[m.at].Run.ID
}

// Follow goes to the newest line and stays there.
func (m *Model) Follow() {
	if m.Selected() != nil {
		m.place().follow = true
	}
}

// SeekError goes to the next error after what is on the screen (by 1), or the
// one before it (by -1); it reports whether there is one.
func (m *Model) SeekError(by int) bool { return m.seek(by, isError) }

// SeekTool goes to the next or previous tool call.
func (m *Model) SeekTool(by int) bool { return m.seek(by, isTool) }

func (m *Model) seek(by int, want func(*state.Line) bool) bool {
	w := m.Selected()
	if w == nil {
		return false
	}
	t := m.place()
	width, h := m.room()
	if t.follow && by > 0 {
		// From the end there is nothing after: begin at the start.
		t.follow, t.line, t.sub = false, offset(w), 0
		if len(w.Tail) > 0 && want(&w.Tail[0]) {
			return true
		}
	}
	return t.seek(by, want, m.r, w, width, h, m.zone)
}
