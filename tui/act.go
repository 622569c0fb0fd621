package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

func (m *Model) pause() tea.Cmd {
	if m.snap != nil && m.snap.Mode == state.ModePaused {
		return m.send(state.Command{Kind: state.CommandResume})
	}
	return m.send(state.Command{Kind: state.CommandPause})
}

// nextNeed selects the next thing that needs a person, the most urgent first;
// on the board its row, elsewhere in the list of needs.
func (m *Model) nextNeed() {
	if m.snap == nil || len(m.snap.Needs) == 0 {
		m.say(themes.ToneMuted, "nothing needs you")
		return
	}
	at := 0
	here := m.subject()
	for i := range m.snap.Needs {
		if m.snap.Needs[i].Ref == here {
			at = (i + 1) % len(m.snap.Needs)
			break
		}
	}
	n := &m.snap.Needs[at]
	m.needs.SelectNeed(n)
	m.onStrip = false
	if m.view == viewBoard && m.board.Select(n.Ref) {
		return
	}
	m.show(viewNeeds)
	m.needs.SetInside(false)
}

// answer opens the field for the subject's question.
func (m *Model) answer() {
	ref := m.subject()
	if m.view != viewNeeds {
		n := present.NeedOf(m.snap, ref)
		switch {
		case ref == "":
			m.say(themes.ToneMuted, "nothing is selected to answer; ! goes to what needs you")
			return
		case n == nil:
			m.say(themes.ToneMuted, widget.Clean(string(ref))+" asks nothing; ! goes to what needs you")
			return
		}
		if n.Kind != state.NeedQuestion {
			if why := m.askNeed(n); why != "" {
				m.say(themes.ToneMuted, why)
			}
			return
		}
		m.needs.SelectNeed(n)
		m.show(viewNeeds)
	}
	if n := m.needs.Selected(); n != nil && n.Kind != state.NeedQuestion {
		if why := m.askNeed(n); why != "" {
			m.say(themes.ToneMuted, why)
		}
		return
	}
	if why := m.needs.Answer(); why != "" {
		m.say(themes.ToneMuted, why)
		return
	}
	m.mode = modeAnswer
}

func (m *Model) keyAnswer(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, m.typing.Keep):
		m.needs.Keep()
		m.mode = modeBrowse
	case msg.String() == "f1":
		m.needs.Keep()
		m.mode = modeHelp
	case key.Matches(msg, m.typing.Send):
		if m.needs.Break() {
			return nil
		}
		ref, text, ok := m.needs.Send()
		if !ok {
			m.say(themes.ToneMuted, "an empty answer is not sent; esc leaves the field")
			return nil
		}
		m.mode = modeBrowse
		return m.send(state.Command{Kind: state.CommandAnswer, Ref: ref, Text: text})
	default:
		m.needs.Update(msg)
	}
	return nil
}

func (m *Model) transcript() {
	ref := m.subject()
	if ref == "" {
		m.say(themes.ToneMuted, "nothing is selected whose transcript could be read")
		return
	}
	if !m.wview.OpenRef(ref) {
		m.say(themes.ToneMuted, "no worker of this loop has run on "+widget.Clean(string(ref)))
		return
	}
	m.show(viewWorkers)
}

func (m *Model) startFind() {
	if m.view != viewBoard {
		m.say(themes.ToneMuted, "find looks through the board; 1 goes there")
		return
	}
	m.mode, m.onStrip = modeFind, false
	m.find.SetValue(m.filter)
}

func (m *Model) keyFind(msg tea.KeyPressMsg) {
	switch {
	case key.Matches(msg, m.typing.Send):
		m.mode = modeBrowse
	case msg.String() == "ctrl+c":
		m.mode = modeBrowse
	case key.Matches(msg, m.typing.Keep):
		m.mode = modeBrowse
		m.setFilter("")
	case msg.String() == "up" || msg.String() == "down":
		m.board.Update(msg)
	default:
		m.find.Update(msg)
		m.setFilter(m.find.Value())
	}
}

func (m *Model) setFilter(text string) {
	m.filter = strings.TrimSpace(text)
	m.board.SetFilter(m.filter)
}

func (m *Model) match(mv widget.Move) {
	if m.view != viewBoard || m.filter == "" {
		m.say(themes.ToneMuted, "nothing is searched for; / finds on the board")
		return
	}
	m.board.Move(mv)
}

func (m *Model) otherLayout() {
	switch {
	case m.view != viewBoard:
		m.say(themes.ToneMuted, m.view.name()+" has one layout")
	case m.frame.Shape != layout.ShapeColumns:
		m.say(themes.ToneMuted, "columns need a window at least 100 wide")
	default:
		m.asList = !m.asList
		m.relayout()
	}
}

func (m *Model) followText() {
	switch m.view {
	case viewWorkers:
		m.wview.Follow()
	case viewLog:
		m.log.Follow()
	case viewBoard, viewNeeds, viewPulls, viewIssue:
		m.say(themes.ToneMuted, "nothing here grows to be followed; t opens a transcript")
	}
}

// piece goes to the next or previous tool call, comment or firing, or to the
// next error.
func (m *Model) piece(by int, errors bool) {
	found := false
	switch m.view {
	case viewWorkers:
		m.wview.SetInside(true)
		if errors {
			found = m.wview.SeekError(by)
		} else {
			found = m.wview.SeekTool(by)
		}
	case viewLog:
		if errors {
			found = m.log.SeekError(by)
		} else {
			found = m.log.Piece(by)
		}
	case viewIssue:
		found = !errors && m.issue.Piece(by)
	case viewBoard, viewNeeds, viewPulls:
		m.say(themes.ToneMuted, "there is nothing to step through here")
		return
	}
	if !found {
		m.say(themes.ToneMuted, map[bool]string{true: "no further error", false: "no further piece"}[errors])
	}
}
