package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// menu is the question that is open. It takes all keys; none falls through.
type menu struct {
	pane.Menu
	sure *pane.Sure    // what is being confirmed, nil while choosing
	do   pane.Reply    // what happens then
	word *widget.Field // where the word of the third level is typed
	how  []Leave       // for each choice, what it leads to if it leaves
	back mode
	// unmark takes the marks off the rows once the question is answered with
	// yes: it was about all of them.
	unmark bool
}

// ask opens a menu. One without choices is a confirmation.
func (m *Model) ask(q pane.Menu) { m.askFull(menu{Menu: q}) }

func (m *Model) askFull(q menu) {
	if m.mode != modeMenu {
		q.back = m.mode
	} else {
		q.back = m.menu.back
	}
	if q.back == modeGoto || q.back == modePalette || q.back == modeHelp {
		q.back = modeBrowse
	}
	m.mode, m.menu = modeMenu, q
	if len(q.Choices) == 0 {
		m.confirm(q.Sure, q.Do)
	}
}

// confirm asks before something is done that cannot be taken back.
func (m *Model) confirm(s *pane.Sure, do pane.Reply) {
	if s == nil {
		s = &pane.Sure{}
	}
	m.menu.sure, m.menu.do, m.menu.word = s, do, nil
	if s.Word != "" {
		m.menu.word = widget.NewField(false)
	}
}

func (m *Model) closeMenu() { m.mode = m.menu.back }

func (m *Model) keyMenu(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.menu
	if l.sure != nil {
		return m.keySure(msg)
	}
	name := keymap.Name(msg.Key(), m.opts.Look.Keyboard)
	a := m.keys.Action(keymap.Choosing, name)
	switch {
	case name == "ctrl+c" && l.leaves():
		return m.choose(0)
	case a == keymap.Cancel, name == "q", name == "ctrl+c":
		m.closeMenu()
	case a == keymap.MenuUp:
		l.Sel = max(l.Sel-1, 0)
	case a == keymap.MenuDown:
		l.Sel = min(l.Sel+1, len(l.Choices)-1)
	case a == keymap.Choose:
		return m.choose(l.Sel)
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'1') < len(l.Choices):
		l.Sel = int(name[0] - '1')
		return m.choose(l.Sel)
	default:
		for i := range l.Choices {
			if l.Choices[i].Key != "" && l.Choices[i].Key == name {
				return m.choose(i)
			}
		}
	}
	return nil
}

// leaves says whether the first line of the menu leaves the room: a second
// ctrl+c is that line, and never another.
func (l *menu) leaves() bool { return len(l.how) > 0 && l.how[0] != "" }

// keySure is y, n or esc, or the word; enter does nothing else.
func (m *Model) keySure(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.menu
	name := msg.String()
	a := m.keys.Action(keymap.Choosing, keymap.Name(msg.Key(), m.opts.Look.Keyboard))
	switch {
	case name == "ctrl+c" && l.leaves():
		l.sure = nil
		return m.choose(0)
	case name == "ctrl+c", a == keymap.Cancel:
		m.unsure()
	case l.word != nil && name == "enter":
		if !strings.EqualFold(strings.TrimSpace(l.word.Value()), l.sure.Word) {
			m.mutter("type " + l.sure.Word + " to do it; esc does not")
			return nil
		}
		return m.doMenu(l.do)
	case l.word != nil:
		l.word.Update(msg)
	case a == keymap.Yes:
		return m.doMenu(l.do)
	case a == keymap.No:
		m.unsure()
	}
	return nil
}

// unsure goes back to the choices, or out.
func (m *Model) unsure() {
	m.menu.sure, m.menu.word = nil, nil
	if len(m.menu.Choices) <= 1 {
		m.closeMenu()
	}
}

// choose carries a line out, asking first where it cannot be taken back.
func (m *Model) choose(i int) tea.Cmd {
	l := &m.menu
	if i < 0 || i >= len(l.Choices) {
		m.mutter("nothing is chosen yet: a digit or ↑ ↓ chooses")
		return nil
	}
	c := &l.Choices[i]
	switch {
	case c.Why != "":
		m.mutter(widget.Clean(c.Why))
		return nil
	case c.Sure != nil:
		l.Sel = i
		m.confirm(c.Sure, c.Do)
		return nil
	}
	l.Sel = i
	return m.doMenu(c.Do)
}

// doMenu does what was chosen, unless the question no longer holds.
func (m *Model) doMenu(do pane.Reply) tea.Cmd {
	l := m.menu
	m.closeMenu()
	if l.Gone != nil && m.snap != nil {
		if why := l.Gone(m.snap); why != "" {
			m.insist(widget.Clean(why) + "; nothing was done")
			return nil
		}
	}
	if l.Sel >= 0 && l.Sel < len(l.how) && l.how[l.Sel] != "" {
		m.leaving = l.how[l.Sel]
	}
	if m.lost && len(do.Send) > 0 {
		m.insist("no contact with the loop: nothing was done")
		return nil
	}
	if l.unmark {
		m.home.unmark()
	}
	return m.carry(do)
}

// menuBox draws the menu and says on which of its lines which choice stands.
func (m *Model) menuBox() (box []string, rows []int) {
	st, l := m.styles, &m.menu
	w := min(max(m.w-4, 1), 78)
	if m.frame.Shape == layout.ShapeSingle {
		w = m.w
	}
	iw, _ := widget.Inner(w, 3)
	var body []string
	text := func(ink themes.Ink, s string) {
		for _, t := range widget.Wrap(s, max(iw-2, 1)) {
			body = append(body, widget.Line{}.Add(ink, " "+t).Render(iw, false, st))
		}
	}
	if l.Text != "" {
		text(st.Strong, widget.Clean(l.Text))
		body = append(body, widget.Blank(iw, 1)...)
	}
	foot := "y yes · n no"
	if n := len(l.Choices); n > 0 {
		for i := range l.Choices {
			lines := m.choiceLines(i, iw)
			for len(rows) < len(body) {
				rows = append(rows, -1)
			}
			for range lines {
				rows = append(rows, i)
			}
			body = append(body, lines...)
		}
		if l.sure == nil {
			foot = "↵ choose · 1-" + fmt.Sprint(min(n, 9)) + " at once · esc back"
		} else {
			body = append(body, widget.Blank(iw, 1)...)
		}
	}
	if l.sure != nil {
		text(st.Tone(themes.ToneDanger), widget.Clean(l.sure.Text))
	}
	if l.word != nil {
		foot = "type " + widget.Clean(l.sure.Word) + " and ↵ · esc back"
		l.word.SetSize(max(iw-4, 1), 1)
		body = append(body, widget.Pad(l.word.View(st)[0], 3, iw))
	}
	h := min(len(body)+2, m.stage().H)
	if over := len(body) + 2 - h; over > 0 && l.sure == nil && len(l.Choices) > 0 {
		first := max(slices.Index(rows, max(l.Sel, 0))-max(h-4, 0), 0)
		first = min(first, over)
		body, rows = body[first:], rows[min(first, len(rows)):]
	}
	x := widget.Box{Title: widget.Clean(l.Name), Foot: foot, Focus: true}
	return x.Render(body, w, h, st), rows
}

func (m *Model) viewMenu(lines []string) []string {
	box, _ := m.menuBox()
	return m.overlay(lines, box)
}

func (m *Model) choiceLines(i, iw int) []string {
	st := m.styles
	c := &m.menu.Choices[i]
	chosen := i == m.menu.Sel
	ink, bar := st.Text, " "
	if chosen {
		ink, bar = st.Strong, st.Signs.Bar
	}
	label := "  "
	switch {
	case c.Key != "":
		label = keymap.Shown(c.Key) + " "
	case i < 9:
		label = fmt.Sprint(i+1) + " "
	}
	text := widget.Clean(c.Text)
	if c.Why != "" {
		ink, text = st.Muted, text+" ("+widget.Clean(c.Why)+")"
	}
	var out []string
	for j, t := range widget.Wrap(text, max(iw-6, 1)) {
		line := widget.Line{{Text: "    "}}
		if j == 0 {
			line = widget.Line{}.Add(st.Focus, bar).Add(st.Key, label+" ")
		}
		out = append(out, line.Add(ink, t).Render(iw, chosen, st))
	}
	return out
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
