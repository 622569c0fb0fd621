package questions

import (
	"strings"

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

// id names one need; an issue can have several.
type id struct {
	kind state.NeedKind
	ref  board.Ref
}

// Model is the view.
type Model struct {
	st   *themes.Styles
	keys KeyMap
	snap *state.Snapshot

	list, detail layout.Rect
	single       bool
	inside       bool // the text has the focus
	sel          id
	at, top      int // selection, first line of the list
	scroll       int // first line of the text

	field     *widget.Field
	answering bool
	drafts    map[board.Ref]string
	sent      map[board.Ref]string // on its way to the loop, until the need is gone
	lost      string               // a question under the pen went away
}

// New answers an empty view.
func New(st *themes.Styles) *Model {
	return &Model{
		st: st, keys: KeyMap{widget.NewListKeys()}, field: widget.NewField(true),
		drafts: map[board.Ref]string{}, sent: map[board.Ref]string{},
	}
}

// Keys is the view's key map.
func (m *Model) Keys() KeyMap { return m.keys }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) { m.st = st }

// SetBody says where the view stands.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	m.single = shape == layout.ShapeSingle
	m.list, m.detail = layout.SideBySide(body, shape, 36, 44)
	if m.single {
		m.detail = body
	}
	m.sizeField()
	m.clamp()
}

// fieldRoom is the size of the answer's field inside the detail box.
func (m *Model) fieldRoom() (w, h int) {
	iw, ih := widget.Inner(m.detail.W, m.detail.H)
	return max(iw-2, 1), max(min(ih/3, 8), 1)
}

func (m *Model) sizeField() { m.field.SetSize(m.fieldRoom()) }

// Break turns a backslash before the cursor into a line break; it reports
// whether there was one.
func (m *Model) Break() bool { return m.answering && m.field.Break() }

// SetSnapshot takes a new picture. The selection stays with its need; if that
// is gone, its neighbour is selected, and an open field closes with its text
// kept.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	for ref := range m.sent {
		if !m.asks(ref) {
			delete(m.sent, ref)
			delete(m.drafts, ref)
		}
	}
	at := m.find(m.sel)
	if at < 0 {
		if m.answering {
			m.keep()
			m.lost = widget.Clean(string(m.sel.ref)) + " was answered elsewhere; your text is kept"
		}
		m.scroll = 0
		at = max(0, min(m.at, len(s.Needs)-1))
	}
	m.pick(at)
}

func (m *Model) asks(ref board.Ref) bool {
	for i := range m.snap.Needs {
		if m.snap.Needs[i].Kind == state.NeedQuestion && m.snap.Needs[i].Ref == ref {
			return true
		}
	}
	return false
}

func (m *Model) find(want id) int {
	for i := range m.snap.Needs {
		if (id{m.snap.Needs[i].Kind, m.snap.Needs[i].Ref}) == want {
			return i
		}
	}
	return -1
}

func (m *Model) pick(at int) {
	m.at, m.sel = at, id{}
	if n := m.Selected(); n != nil {
		now := id{n.Kind, n.Ref}
		m.sel = now
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
	if m.snap == nil || m.at < 0 || m.at >= len(m.snap.Needs) {
		return nil
	}
	return &m.snap.Needs[m.at]
}

// Select chooses the first need of an issue; it reports whether there is one.
func (m *Model) Select(ref board.Ref) bool {
	n := present.NeedOf(m.snap, ref)
	if n == nil {
		return false
	}
	m.SelectNeed(n)
	return true
}

// SelectNeed chooses a need of the snapshot.
func (m *Model) SelectNeed(n *state.Need) {
	if at := m.find(id{n.Kind, n.Ref}); at >= 0 {
		if at != m.at {
			m.keep()
			m.scroll = 0
		}
		m.pick(at)
	}
}

// Inside says whether the text has the focus.
func (m *Model) Inside() bool { return m.inside }

// SetInside moves the focus between list and text.
func (m *Model) SetInside(v bool) { m.inside = v && m.Selected() != nil }

// Answering says whether the field takes the keys.
func (m *Model) Answering() bool { return m.answering }

// Answer opens the field for the selected question with the draft kept for it.
// It answers why not, if it cannot.
func (m *Model) Answer() string {
	n := m.Selected()
	switch {
	case n == nil:
		return "nothing asks you anything"
	case n.Kind != state.NeedQuestion:
		return NoField(n)
	case m.sent[n.Ref] != "":
		return "your answer to " + widget.Clean(string(n.Ref)) + " is on its way"
	}
	m.answering, m.inside = true, true
	m.field.SetValue(m.drafts[n.Ref])
	m.sizeField()
	return ""
}

// NoField says how to answer a need that is no question.
func NoField(n *state.Need) string {
	ref, pr := widget.Clean(string(n.Ref)), strings.TrimPrefix(widget.Clean(n.PR), "#")
	switch n.Kind {
	case state.NeedReview:
		return "merge it: dispatcher pulls merge " + pr
	case state.NeedAttention:
		return "say what to do: dispatcher board comment " + ref
	case state.NeedConfirm:
		return "let it go: dispatcher board label " + ref + " remove \"Confirm with user\""
	case state.NeedStale:
		return "free it: dispatcher board release " + ref
	case state.NeedQuestion:
	}
	return "this cannot be answered here"
}

// Keep closes the field and keeps its text.
func (m *Model) Keep() { m.keep() }

func (m *Model) keep() {
	if !m.answering {
		return
	}
	m.answering = false
	if text := m.field.Value(); strings.TrimSpace(text) == "" {
		delete(m.drafts, m.sel.ref)
	} else {
		m.drafts[m.sel.ref] = text
	}
}

// Send closes the field and answers what is to be sent, in full; false when
// there is no text.
func (m *Model) Send() (board.Ref, string, bool) {
	n := m.Selected()
	text := strings.TrimSpace(m.field.Value())
	if n == nil || !m.answering || text == "" {
		return "", "", false
	}
	m.keep()
	ref := n.Ref
	text = InFull(n.Text, text)
	m.sent[ref] = text
	for i := range m.snap.Needs {
		j := (m.at + 1 + i) % len(m.snap.Needs)
		if m.sent[m.snap.Needs[j].Ref] == "" {
			m.scroll, m.inside = 0, false
			m.pick(j)
			break
		}
	}
	return ref, text, true
}

// Failed takes a sent answer back into its draft.
func (m *Model) Failed(ref board.Ref) { delete(m.sent, ref) }

// Lost answers once what happened to a question under the pen.
func (m *Model) Lost() string {
	s := m.lost
	m.lost = ""
	return s
}

// Drafts counts the texts that are kept and not sent.
func (m *Model) Drafts() int {
	n := 0
	for ref := range m.drafts {
		if m.sent[ref] == "" {
			n++
		}
	}
	return n
}

// Draft says whether a text is kept for an issue.
func (m *Model) Draft(ref board.Ref) bool { return m.drafts[ref] != "" && m.sent[ref] == "" }

// Update types into the open field, scrolls the text, or moves the selection.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.answering {
		m.field.Update(msg)
		return nil
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		m.Move(m.keys.Match(press))
	}
	return nil
}

// Move carries a move out where the focus is.
func (m *Model) Move(mv widget.Move) {
	if mv == widget.MoveNone || m.snap == nil {
		return
	}
	if m.inside {
		n := len(m.text())
		_, h := m.textRoom()
		m.scroll = max(0, min(m.scroll+mv.Step(n, h), n-h))
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	at := max(0, min(m.at+mv.Step(len(m.snap.Needs), h), len(m.snap.Needs)-1))
	if at != m.at {
		m.scroll = 0
	}
	m.pick(at)
}
