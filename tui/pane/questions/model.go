package questions

import (
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// id names one need; an issue can have several.
type id struct {
	kind    state.NeedKind
	ref     board.Ref
	request string
}

func idOf(n *state.Need) id { return id{n.Kind, n.Ref, n.Request} }

// Model is the view.
type Model struct {
	st   *themes.Styles
	snap *state.Snapshot

	list, detail layout.Rect
	single       bool
	inside       bool // the text has the focus
	sel          id
	at, top      int // selection in the list as shown, first line of the list
	scroll       int // first line of the text
	find         string
	zone         *time.Location // of the last View

	needs  []*state.Need // as shown: what could not be sent first
	book   *drafts.Book
	open   *pane.Open
	sent   map[asking]string // taken by the loop, until the need is gone
	failed map[id]string     // why the answer was refused
}

// New answers an empty view.
func New(st *themes.Styles) *Model {
	return &Model{st: st, zone: time.UTC, book: drafts.New(nil), sent: map[asking]string{}, failed: map[id]string{}}
}

// SetDrafts says where the answers are kept that were not sent.
func (m *Model) SetDrafts(b *drafts.Book) { m.book = b }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.single = shape == layout.ShapeSingle
	m.list, m.detail = layout.SideBySide(body, shape, 36, 44)
	if m.single {
		m.detail = body
	}
	m.clamp()
}

// SetSnapshot takes a new picture. The selection stays with its need; if that
// is gone, its neighbour is selected.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	m.lay()
	at := m.index(m.sel)
	if at < 0 {
		m.scroll = 0
		at = max(0, min(m.at, len(m.needs)-1))
	}
	m.pick(at)
}

// lay lists the needs that find leaves, and forgets what is settled.
func (m *Model) lay() {
	m.needs = m.needs[:0]
	here, asked := map[id]bool{}, map[asking]bool{}
	for i := range m.snap.Needs {
		n := &m.snap.Needs[i]
		here[idOf(n)], asked[askingOf(n)] = true, true
		if m.find == "" || widget.Holds(string(n.Ref)+" "+n.Title+" "+n.Text, m.find) {
			m.needs = append(m.needs, n)
		}
	}
	for k := range m.sent {
		if !asked[k] {
			delete(m.sent, k)
		}
	}
	for k := range m.failed {
		if !here[k] {
			delete(m.failed, k)
		}
	}
	sort.SliceStable(m.needs, func(i, j int) bool {
		return m.failed[idOf(m.needs[i])] != "" && m.failed[idOf(m.needs[j])] == ""
	})
}

func (m *Model) index(want id) int {
	for i, n := range m.needs {
		if idOf(n) == want {
			return i
		}
	}
	return -1
}

func (m *Model) pick(at int) {
	was := m.sel
	m.at, m.sel = at, id{}
	if n := m.Selected(); n != nil {
		m.sel = idOf(n)
	}
	if m.sel != was {
		m.scroll = 0
	}
	m.clamp()
}

func (m *Model) clamp() {
	if m.snap == nil {
		return
	}
	lines, sel := m.lines()
	_, h := widget.Inner(m.list.W, m.list.H)
	win := widget.Window{Sel: sel, Top: m.top}
	win.Clamp(len(lines), h)
	m.top = win.Top
	if m.at == 0 {
		m.top = 0 // its heading too
	}
}

// Selected is the chosen need, nil when nothing waits.
func (m *Model) Selected() *state.Need {
	if m.snap == nil || m.at < 0 || m.at >= len(m.needs) {
		return nil
	}
	return m.needs[m.at]
}

// Open selects what a subject needs a person for; it answers why not.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	if m.find != "" {
		m.Find("")
	}
	at := -1
	for i, n := range m.needs {
		if n.Ref != s.Ref && (s.Request == "" || n.Request != s.Request) {
			continue
		}
		if exact := (s.Need == "" || n.Kind == s.Need) && (s.Request == "" || n.Request == s.Request); exact {
			at = i
			break
		}
		if at < 0 {
			at = i
		}
	}
	if at < 0 {
		return nil, widget.Clean(string(s.Ref)) + " asks nothing; ! goes to what needs you"
	}
	m.pick(at)
	return nil, ""
}

// Inside says whether the text has the focus.
func (m *Model) Inside() bool { return m.inside }

// SetInside moves the focus between list and text.
func (m *Model) SetInside(v bool) { m.inside = v && m.Selected() != nil }

// Find keeps the needs that hold a text.
func (m *Model) Find(text string) tea.Cmd {
	m.find = text
	if m.snap != nil {
		m.SetSnapshot(m.snap)
	}
	return nil
}

// Found counts the needs that are left.
func (m *Model) Found() (shown, total int) {
	if m.snap == nil {
		return 0, 0
	}
	return len(m.needs), len(m.snap.Needs)
}

// kept are the names under which the drafts for a need stand.
func kept(n *state.Need) []string {
	var out []string
	add := func(k drafts.Kind, item string) {
		if item != "" {
			out = append(out, drafts.ID(k, item))
		}
	}
	switch n.Kind {
	case state.NeedRequest:
		add(drafts.Deny, n.Request)
		add(drafts.Reply, n.Request)
	case state.NeedInterrupted:
		add(drafts.Steer, n.Run)
	case state.NeedQuestion:
		add(drafts.Answer, string(n.Ref))
	case state.NeedAttention:
		add(drafts.Retry, string(n.Ref))
	case state.NeedReview:
		add(drafts.Request, n.PR)
	case state.NeedConfirm, state.NeedStale:
	}
	return out
}

// draft is the text that is kept for a need, empty without one.
func (m *Model) draft(n *state.Need) string {
	for _, name := range kept(n) {
		if text := m.book.Text(name); text != "" {
			return text
		}
	}
	return ""
}

// Host draws the open field below the text it answers.
func (m *Model) Host(f *pane.Open) bool {
	m.open = nil
	n := m.Selected()
	if f == nil || n == nil {
		return false
	}
	if !slices.Contains(kept(n), f.ID) {
		return false
	}
	m.open, m.inside = f, true
	return true
}

// request is what a running worker asks, nil for any other need.
func (m *Model) request(n *state.Need) *state.Request { return present.Request(m.snap, n.Request) }
