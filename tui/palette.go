package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// item is one line of the palette: an action, a row, or a theme.
type item struct {
	text   string
	also   string // other words that are searched for
	key    string
	why    string // why it cannot be done now
	action keymap.Action
	ref    board.Ref
	theme  string
}

// items are searched by their texts.
type items []item

func (l items) String(i int) string { return l[i].text }
func (l items) Len() int            { return len(l) }

// palette is the list of every action and every ref over the screen.
type palette struct {
	input *widget.Field
	all   items
	shown []int // of all, the best first
	win   widget.Window
	seq   int
	refs  bool // only issues: go to one by its ref
}

func (m *Model) openPalette(refs bool) tea.Cmd {
	if m.mode != modeAnswer {
		m.under = modeBrowse
	}
	m.mode = modePalette
	m.palette = palette{input: widget.NewField(false), refs: refs, seq: m.palette.seq}
	m.palette.all = m.paletteItems(refs)
	m.palette.showAll()
	return nil
}

// paletteItems are all lines: what can be done to the subject first.
func (m *Model) paletteItems(refs bool) items {
	var out items
	if !refs {
		out = append(out, m.actionItems()...)
		for _, name := range m.themeNames() {
			it := item{text: "theme " + widget.Clean(name), theme: name}
			if name == m.theme.Name {
				it.why = "it is this one"
			}
			out = append(out, it)
		}
	}
	if m.snap == nil {
		return out
	}
	for i := range m.snap.Rows {
		r := &m.snap.Rows[i].Issue
		out = append(out, item{text: widget.Clean(string(r.Ref) + " " + r.Title), key: r.Role.DefaultName(), ref: r.Ref})
	}
	return out
}

// actionItems lists the table: what is worth doing to the subject first, what
// only moves last.
func (m *Model) actionItems() items {
	var first, out, last items
	offered := m.offered()
	for _, e := range m.keys.Entries() {
		if e.Mode != keymap.Browsing {
			continue
		}
		it := item{text: e.Does, also: e.Also, key: m.keys.Key(e.Action), action: e.Action, why: m.reason(e.Action)}
		switch {
		case e.Group == keymap.GroupMoving || e.Action == keymap.Palette:
			last = append(last, it)
		case slices.Contains(offered, e.Action):
			first = append(first, it)
		default:
			out = append(out, it)
		}
	}
	return append(append(first, out...), last...)
}

func (p *palette) showAll() {
	p.shown = p.shown[:0]
	for i := range p.all {
		if p.all[i].ref != "" && !p.refs {
			break
		}
		p.shown = append(p.shown, i)
	}
	p.win = widget.Window{}
}

func (m *Model) keyPalette(msg tea.KeyPressMsg) tea.Cmd {
	p := &m.palette
	_, h := m.paletteSize()
	rows := max(h-4, 1)
	switch name := msg.String(); {
	case m.keys.Action(keymap.Typing, name) == keymap.Keep:
		m.mode = m.under
	case m.keys.Action(keymap.Typing, name) == keymap.Send:
		return m.choosePalette()
	case name == "up":
		p.win.Apply(widget.MoveUp, len(p.shown), rows)
	case name == "down", name == "tab":
		p.win.Apply(widget.MoveDown, len(p.shown), rows)
	case name == "pgup":
		p.win.Apply(widget.MovePageUp, len(p.shown), rows)
	case name == "pgdown":
		p.win.Apply(widget.MovePageDown, len(p.shown), rows)
	default:
		if p.input.Update(msg) {
			return m.searchPalette()
		}
	}
	return nil
}

// choosePalette does the chosen line. A key that comes before the search has
// answered is meant for what is typed, so it is looked for now.
func (m *Model) choosePalette() tea.Cmd {
	p := &m.palette
	if text := strings.TrimSpace(p.input.Value()); text != "" {
		p.seq++
		sel := p.win.Sel
		p.shown = search(text, p.all)
		p.win.Sel = min(sel, max(len(p.shown)-1, 0))
	}
	if len(p.shown) == 0 {
		m.mutter("nothing matches " + widget.Clean(p.input.Value()))
		return nil
	}
	it := p.all[p.shown[p.win.Sel]]
	if it.why != "" {
		m.mutter(it.why)
		return nil
	}
	m.mode = m.under
	switch {
	case it.theme != "":
		m.setTheme(it.theme)
	case it.ref != "":
		m.closeField()
		return m.lead(pane.Go{View: keymap.Issue, Subject: pane.Subject{Ref: it.ref}})
	default:
		m.closeField()
		return m.act(it.action)
	}
	return nil
}

func (m *Model) paletteSize() (w, h int) {
	w = min(max(m.w-4, 1), 78)
	if m.frame.Shape == layout.ShapeSingle {
		w = m.w
	}
	return w, min(m.stage().H, 24)
}

func (m *Model) viewPalette(lines []string) []string {
	w, h := m.paletteSize()
	iw, ih := widget.Inner(w, h)
	st, p := m.styles, &m.palette
	p.input.SetSize(max(iw-4, 1), 1)
	body := []string{widget.Pad(st.Key.Render(" : ")+p.input.View(st)[0], 0, iw), widget.Divider("", iw, st)}
	p.win.Clamp(len(p.shown), max(ih-2, 1))
	for i := p.win.Top; i < len(p.shown) && len(body) < ih; i++ {
		body = append(body, m.paletteLine(&p.all[p.shown[i]], iw, i == p.win.Sel))
	}
	if len(p.shown) == 0 {
		body = append(body, widget.Line{}.Add(st.Muted, " nothing matches; esc closes").Render(iw, false, st))
	}
	name := "Do, or go to"
	if p.refs {
		name = "Go to an issue"
	}
	box := widget.Box{Title: name, Foot: "↵ do · esc back", Focus: true}
	if n := len(p.shown); n > ih-2 {
		box.Note = widget.Thousands(p.win.Sel+1) + " of " + widget.Thousands(n)
	}
	return m.overlay(lines, box.Render(body, w, h, st))
}

func (m *Model) paletteLine(it *item, w int, chosen bool) string {
	st := m.styles
	bar, ink := widget.Span{Text: " "}, st.Text
	if chosen {
		bar, ink = widget.Span{Ink: st.Focus, Text: st.Signs.Bar}, st.Strong
	}
	left := widget.Line{bar}
	if it.why != "" {
		left = left.Add(st.Muted, it.text).Add(st.Muted, " · "+it.why)
	} else {
		left = left.Add(ink, it.text)
	}
	tone := st.Key
	if it.ref != "" {
		tone = st.Muted
	}
	return widget.Sides(left, widget.Line{}.Add(tone, it.key+" "), w, chosen, st)
}
