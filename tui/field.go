package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// openField is the field that takes the keys. A pane that hosts it draws it in
// its own place, else it stands above the subject.
type openField struct {
	pane.Open
	hosted bool
	editor bool   // the editor is on the screen
	gone   string // why it cannot be sent any more; empty while it can
}

// hints say below the field what sending does, or why nothing is sent.
func (f *openField) hints() []string {
	switch {
	case f.gone != "":
		return []string{f.gone}
	case f.Hints != nil:
		return f.Hints(strings.TrimSpace(f.Input.Value()))
	}
	return nil
}

// fieldRows is how many lines a field of several shows at most.
const fieldRows = 6

func (m *Model) openField(f pane.Field) tea.Cmd {
	m.closeField()
	o := &openField{Open: pane.Open{Field: f, Input: widget.NewField(!f.One)}}
	text := m.drafts.Text(f.ID)
	switch {
	case text == "":
		text = f.Start
	case f.Adds && f.Start != "" && !strings.Contains(text, f.Start):
		text = strings.TrimRight(text, "\n") + "\n" + f.Start
	}
	o.Input.SetValue(text)
	m.field, m.mode = o, modeAnswer
	if h, ok := m.pane().(host); ok {
		o.hosted = h.Host(&o.Open)
	}
	m.sizeField()
	return nil
}

// closeField keeps the text and gives the keys back.
func (m *Model) closeField() {
	if m.field == nil {
		return
	}
	m.noteDraft()
	m.dropField()
}

func (m *Model) dropField() {
	if h, ok := m.pane().(host); ok && m.field != nil && m.field.hosted {
		h.Host(nil)
	}
	m.field = nil
	if m.mode == modeAnswer {
		m.mode = modeBrowse
	}
	m.markRows()
}

// noteDraft keeps what is typed; a text that was not changed is no draft.
func (m *Model) noteDraft() {
	m.sizeField()
	text := m.field.Input.Value()
	if strings.TrimSpace(text) == strings.TrimSpace(m.field.Start) {
		text = ""
	}
	m.drafts.Put(m.field.ID, text)
	if m.field.Over {
		m.drafts.Began(m.field.ID, m.field.Start)
	}
}

func (m *Model) sizeField() {
	if m.field == nil || m.field.hosted {
		return
	}
	w, h := max(m.w-4, 1), 1
	m.field.Input.SetSize(w, h)
	if !m.field.One {
		h = max(min(m.field.Input.Lines()+1, fieldRows, m.h/4), 1)
	}
	m.field.Input.SetSize(w, h)
}

// typist is the pane whose own field is open, nil without one.
func (m *Model) typist() typist {
	if t, ok := m.pane().(typist); ok && t.Typing() {
		return t
	}
	return nil
}

// checkField says in a field that its item is gone. The field stays until its
// owner leaves it: to who is typing, the next letters must not become keys. It
// goes to the room's own place, for the pane's place can be another item's now.
func (m *Model) checkField() {
	f := m.field
	if f == nil || f.Gone == nil || f.editor {
		return
	}
	why := widget.Clean(f.Gone(m.snap))
	if why == f.gone {
		return
	}
	f.gone = why
	if h, ok := m.pane().(host); ok && f.hosted && why != "" {
		h.Host(nil)
		f.hosted = false
	}
	m.sizeField()
	if why != "" {
		m.insist(why)
	}
}

func (m *Model) keyField(msg tea.KeyPressMsg) tea.Cmd {
	a := m.keys.Action(keymap.Typing, msg.String())
	switch a { //nolint:exhaustive // the rest is text
	case keymap.Palette:
		m.under = m.mode
		return m.openPalette(false)
	case keymap.Help:
		m.openHelp()
		return nil
	}
	if m.field == nil {
		if t := m.typist(); t != nil {
			return m.typePane(t, msg)
		}
		m.mode = modeBrowse
		return nil
	}
	switch a { //nolint:exhaustive // the rest is text
	case keymap.Keep:
		m.closeField()
	case keymap.Send:
		if m.field.Input.Break() {
			m.noteDraft()
			return nil
		}
		return m.sendField()
	case keymap.Editor:
		return m.openEditor()
	default:
		m.field.Input.Update(msg)
		m.noteDraft()
	}
	return nil
}

func (m *Model) typePane(t typist, msg tea.KeyPressMsg) tea.Cmd {
	cmd := m.carry(t.Type(msg))
	if m.typist() == nil && m.field == nil && m.mode == modeAnswer {
		m.mode = modeBrowse
	}
	return cmd
}

// sendField sends what is typed. The text stays a draft until the loop has it.
func (m *Model) sendField() tea.Cmd {
	f := m.field
	text := strings.TrimSpace(f.Input.Value())
	if text == "" && f.Empty != "" {
		m.mutter(f.Empty)
		return nil
	}
	if f.Gone != nil && m.snap != nil {
		if why := f.Gone(m.snap); why != "" {
			m.closeField()
			m.insist(widget.Clean(why))
			return nil
		}
	}
	if m.lost {
		m.closeField()
		m.insist("no contact with the loop: nothing was sent, your text is kept")
		return nil
	}
	m.noteDraft()
	r := f.Send(text)
	id := f.ID
	m.dropField()
	cmds := make([]tea.Cmd, 0, len(r.Send)+1)
	for _, c := range r.Send {
		cmds = append(cmds, m.sendDraft(c, id))
	}
	if len(r.Send) == 0 && r.Refuse == "" {
		m.drafts.Put(id, "")
	}
	r.Send = nil
	return tea.Batch(append(cmds, m.carry(r))...)
}

// viewField draws the field above the subject, or over the whole of a narrow
// screen.
func (m *Model) viewField(lines []string) []string {
	st, f := m.styles, m.field
	iw, _ := widget.Inner(m.w, 3)
	body := make([]string, 0, fieldRows+2)
	for _, l := range f.Input.View(st) {
		body = append(body, widget.Pad(l, 1, iw))
	}
	ink := st.Muted
	if f.gone != "" {
		ink = st.Danger
	}
	body = append(body, widget.Notes(f.hints(), iw, m.h, ink, st)...)
	h := min(len(body)+2, m.h)
	if m.frame.Shape == layout.ShapeSingle {
		h = m.h - m.frame.Keys.H
	}
	box := widget.Box{Title: widget.Clean(f.Name), Focus: true}.Render(body, m.w, h, st)
	top := m.fieldTop(h)
	for i, l := range box {
		if y := top + i; y < len(lines) {
			lines[y] = l
		}
	}
	return lines
}

func (m *Model) fieldTop(h int) int { return max(m.h-m.frame.Keys.H-m.frame.Subject.H-h, 0) }

// fieldCursor is where typing goes on, on the screen.
func (m *Model) fieldCursor() (x, y int) {
	f := m.field
	iw, _ := widget.Inner(m.w, 3)
	h := min(len(f.Input.View(m.styles))+2+len(widget.Notes(f.hints(), iw, m.h, m.styles.Muted, m.styles)), m.h)
	if m.frame.Shape == layout.ShapeSingle {
		h = m.h - m.frame.Keys.H
	}
	fx, fy := f.Input.Cursor()
	return fx + 2, m.fieldTop(h) + 1 + fy
}
