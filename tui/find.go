package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// startFind opens the field of find for the view on the screen.
func (m *Model) startFind() {
	if _, ok := m.pane().(finder); !ok {
		m.mutter("there is nothing to find in " + m.view.name())
		return
	}
	m.mode, m.findOld = modeFind, m.finds[m.view] != ""
	m.find.SetValue(m.finds[m.view])
}

func (m *Model) keyFind(msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); {
	case m.keys.Action(keymap.Typing, name) == keymap.Send:
		m.mode = modeBrowse
		return m.chooseOnly()
	case name == "ctrl+c":
		m.mode = modeBrowse
	case m.keys.Action(keymap.Typing, name) == keymap.Keep:
		m.mode = modeBrowse
		return m.setFind("")
	case name == "up":
		return m.carry(m.pane().Act(keymap.PrevMatch))
	case name == "down", name == "tab":
		return m.carry(m.pane().Act(keymap.NextMatch))
	case m.keys.Action(keymap.Typing, name) == keymap.Palette:
		m.mode = modeBrowse
		return m.openPalette(false)
	case m.keys.Action(keymap.Typing, name) == keymap.Help:
		m.mode = modeBrowse
		m.openHelp()
	default:
		if m.findOld && msg.Text != "" {
			m.find.SetValue("") // the first letter begins anew, any other key edits
		}
		m.findOld = false
		m.find.Update(msg)
		return m.setFind(m.find.Value())
	}
	return nil
}

// chooseOnly leaves the cursor where find has put it.
func (m *Model) chooseOnly() tea.Cmd {
	if shown, total := m.found(); shown == 0 && total > 0 && m.finds[m.view] != "" {
		m.mutter("nothing matches; esc shows all")
	}
	return nil
}

func (m *Model) setFind(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	m.finds[m.view] = text
	f, ok := m.pane().(finder)
	if !ok {
		return nil
	}
	return f.Find(text)
}

// found is how much of the view find has left, and what it had.
func (m *Model) found() (shown, total int) {
	if f, ok := m.pane().(finder); ok {
		return f.Found()
	}
	return 0, 0
}

// foundText is how much is left of how much, where the view counts it.
func (m *Model) foundText() string {
	shown, total := m.found()
	if shown < 0 {
		return ""
	}
	return " · " + widget.Thousands(shown) + " of " + widget.Thousands(total)
}
