package tui

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// onKey gives a key to whoever has the keys.
func (m *Model) onKey(msg tea.KeyPressMsg) tea.Cmd {
	ack := m.dismiss()
	if m.toast.until.IsZero() || m.toast.tone == themes.ToneMuted {
		m.toast = toast{} // a refusal stays until the next key, a reason no longer
	}
	var cmd tea.Cmd
	switch m.mode {
	case modeAnswer:
		cmd = m.keyField(msg)
	case modeFind:
		cmd = m.keyFind(msg)
	case modeGoto:
		cmd = m.keyGoto(msg)
	case modeMenu:
		cmd = m.keyMenu(msg)
	case modeHelp:
		m.keyHelp(msg)
	case modePalette:
		cmd = m.keyPalette(msg)
	case modeBrowse:
		cmd = m.keyBrowse(msg)
	}
	m.touched(m.toast.text != "")
	return tea.Batch(ack, cmd)
}

// dismiss acknowledges the notice on the screen, once it has stood there long
// enough to be read.
func (m *Model) dismiss() tea.Cmd {
	n := m.notice()
	if n == nil || m.toast.text != "" || m.noticeID != noticeOf(n) || m.now().Sub(m.noticeSince) < ackAfter {
		return nil
	}
	m.acked[noticeOf(n)] = true
	m.noteNotices()
	return m.send(state.Command{Kind: state.CommandAck, ID: n.ID})
}

func (m *Model) keyBrowse(msg tea.KeyPressMsg) tea.Cmd {
	name := keymap.Name(msg.Key(), m.opts.Look.Keyboard)
	a := m.keys.Action(keymap.Browsing, name)
	if a == "" {
		if utf8.RuneCountInString(name) == 1 || name == "space" {
			m.mutter(widget.Clean(name) + " does nothing here; " + m.keys.Key(keymap.Help) + " lists the keys")
		}
		return nil
	}
	return m.act(a)
}

// keyGoto takes the letter after g; any other key ends it and is swallowed.
func (m *Model) keyGoto(msg tea.KeyPressMsg) tea.Cmd {
	m.mode = modeBrowse
	if a := m.keys.After(keymap.Name(msg.Key(), m.opts.Look.Keyboard)); a != "" {
		return m.act(a)
	}
	return nil
}

// act carries an action out, whether it comes from a key, from the palette or
// from a click.
func (m *Model) act(a keymap.Action) tea.Cmd {
	e := m.keys.Entry(a)
	if e.Acts && m.now().Before(m.rest) {
		m.insist("this row has just changed, press again")
		return nil
	}
	if cmd, mine := m.actRoom(a); mine {
		return cmd
	}
	if m.snap == nil {
		m.mutter("the loop has not been heard of yet")
		return nil
	}
	if e.Acts && m.lost {
		m.insist("no contact with the loop: nothing can be done now; reading works, drafts are kept")
		return nil
	}
	if m.hasMarks(a) {
		return m.actMarked(a)
	}
	if r := m.pane().Act(a); r.Handled {
		return m.carry(r)
	}
	return m.actSubject(a)
}

// actRoom carries out what is the room's own and means the same everywhere.
func (m *Model) actRoom(a keymap.Action) (cmd tea.Cmd, mine bool) {
	//nolint:exhaustive // the others are the subject's
	switch a {
	case keymap.Board, keymap.Workers, keymap.Needs, keymap.Pulls, keymap.Log, keymap.Money, keymap.Next:
		m.showByKey(a)
	case keymap.Goto:
		m.mode = modeGoto
	case keymap.Issue:
		return m.openPalette(true), true
	case keymap.Palette:
		return m.openPalette(false), true
	case keymap.Help:
		m.openHelp()
	case keymap.Back:
		return m.goBack(), true
	case keymap.NextPane, keymap.PrevPane:
		if m.snap != nil {
			return m.otherPane(a), true
		}
	case keymap.Find:
		m.startFind()
	case keymap.NextNeed:
		return m.nextNeed(), true
	case keymap.Pause:
		return m.pause(), true
	case keymap.Fire:
		m.rest = m.now()
		return m.send(state.Command{Kind: state.CommandFire}), true
	case keymap.Undo:
		return m.undo(), true
	case keymap.StopLoop:
		m.askStopLoop()
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Suspend:
		return m.suspend(), true
	case keymap.Leave:
		return m.askLeave(), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) showByKey(a keymap.Action) {
	v := leadsTo[a]
	if m.panes[v] == nil {
		m.mutter("this room has no view of " + v.name())
		return
	}
	m.show(v)
}
