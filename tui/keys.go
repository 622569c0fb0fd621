package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// onKey gives a key to whoever has the keys.
func (m *Model) onKey(msg tea.KeyPressMsg) tea.Cmd {
	ack := m.dismiss()
	if m.toast.until.IsZero() {
		m.toast = toast{}
	}
	var cmd tea.Cmd
	switch m.mode {
	case modeAnswer:
		cmd = m.keyAnswer(msg)
	case modeFind:
		m.keyFind(msg)
	case modeGoto:
		m.keyGoto(msg)
	case modeMenu:
		cmd = m.keyMenu(msg)
	case modeHelp:
		m.keyHelp(msg)
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
	if n == nil || m.toast.text != "" || m.noticeID != n.ID || m.now().Sub(m.noticeSince) < ackAfter {
		return nil
	}
	m.acked[n.ID] = true
	m.noteNotices()
	return m.send(state.Command{Kind: state.CommandAck, ID: n.ID})
}

func (m *Model) keyBrowse(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	for v, b := range map[view]key.Binding{viewBoard: k.Board, viewWorkers: k.Workers, viewNeeds: k.Needs, viewPulls: k.Pulls, viewLog: k.Log} {
		if key.Matches(msg, b) {
			m.show(v)
			return nil
		}
	}
	switch {
	case key.Matches(msg, k.Leave):
		return m.askLeave()
	case key.Matches(msg, k.Help):
		m.mode, m.help = modeHelp, widget.Window{}
	case key.Matches(msg, k.Goto):
		m.mode = modeGoto
	case key.Matches(msg, k.Redraw):
		return tea.ClearScreen
	case key.Matches(msg, k.Pause):
		return m.pause()
	case key.Matches(msg, k.Fire):
		return m.send(state.Command{Kind: state.CommandFire})
	case key.Matches(msg, k.Open):
		m.open()
	case key.Matches(msg, k.Back):
		m.goBack()
	case key.Matches(msg, k.Next), key.Matches(msg, k.Prev):
		m.otherPane()
	default:
		return m.keySubject(msg)
	}
	return nil
}

// keySubject is the keys that act on what is selected, or read on in it.
func (m *Model) keySubject(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case key.Matches(msg, k.NextNeed):
		m.nextNeed()
	case key.Matches(msg, k.Answer):
		m.answer()
	case key.Matches(msg, k.Stop):
		m.askStop()
	case key.Matches(msg, k.Transcript):
		m.transcript()
	case key.Matches(msg, k.Find):
		m.startFind()
	case key.Matches(msg, k.NextMatch):
		m.match(widget.MoveDown)
	case key.Matches(msg, k.PrevMatch):
		m.match(widget.MoveUp)
	case key.Matches(msg, k.Layout):
		m.otherLayout()
	case key.Matches(msg, k.Follow):
		m.followText()
	case key.Matches(msg, k.NextError):
		m.piece(1, true)
	case key.Matches(msg, k.NextPiece):
		m.piece(1, false)
	case key.Matches(msg, k.PrevPiece):
		m.piece(-1, false)
	default:
		m.keyPane(msg)
	}
	return nil
}

// keyPane gives a key to the pane with the focus, or says that it means
// nothing here.
func (m *Model) keyPane(msg tea.KeyPressMsg) {
	bk := m.board.Keys()
	left, right := key.Matches(msg, bk.Left), key.Matches(msg, bk.Right)
	switch {
	case m.view == viewBoard && m.stripFocus() && (left || right):
		m.strip.Step(map[bool]int{true: -1, false: 1}[left], m.selectedRef(), m.leads())
	case m.view == viewBoard && m.stripFocus():
		m.unknown(msg)
	case m.view == viewBoard && (left || right || bk.Match(msg) != widget.MoveNone):
		m.board.Update(msg)
	case left || right:
		if inside, ok := m.inside(); ok && inside == left {
			m.otherPane()
		}
	case bk.Match(msg) != widget.MoveNone:
		m.movePane(bk.Match(msg))
	default:
		m.unknown(msg)
	}
}

func (m *Model) movePane(mv widget.Move) {
	switch m.view {
	case viewBoard:
		m.board.Move(mv)
	case viewWorkers:
		m.wview.Move(mv)
	case viewNeeds:
		m.needs.Move(mv)
	case viewPulls:
		m.pulls.Move(mv)
	case viewLog:
		m.log.Move(mv)
	case viewIssue:
		m.issue.Move(mv)
	}
}

// unknown says what a key of the table would do and how to do it today.
func (m *Model) unknown(msg tea.KeyPressMsg) {
	name := msg.String()
	for _, e := range keymap.NotHere() {
		if slices.Contains(e.Keys, name) {
			m.say(themes.ToneMuted, name+" ("+e.Does+") is a command for now: "+m.fill(e.Way))
			return
		}
	}
	if utf8.RuneCountInString(name) == 1 || name == "space" {
		m.say(themes.ToneMuted, widget.Clean(name)+" does nothing here; ? lists the keys")
	}
}

// fill puts the subject's ref and pull request into a command.
func (m *Model) fill(way string) string {
	ref, pr := m.subject(), "<number>"
	if p := present.PullOf(m.snap, ref); p != nil {
		pr = strings.TrimPrefix(widget.Clean(p.PR.Name), "#")
	}
	word := widget.Clean(string(ref))
	if word == "" {
		word = "<ref>"
	}
	return strings.NewReplacer("{ref}", word, "{pr}", pr).Replace(way)
}

// show goes to a view and remembers where it came from.
func (m *Model) show(v view) {
	if v == m.view {
		return
	}
	if v == viewBoard {
		m.back = nil
	} else {
		m.back = append(m.back, m.view)
		if len(m.back) > 16 {
			m.back = m.back[1:]
		}
	}
	m.view = v
}

// inside says whether the right pane of a view with two has the focus.
func (m *Model) inside() (inside, two bool) {
	switch m.view {
	case viewWorkers:
		return m.wview.Inside(), true
	case viewNeeds:
		return m.needs.Inside(), true
	case viewBoard, viewPulls, viewLog, viewIssue:
	}
	return false, false
}

func (m *Model) setInside(v bool) {
	switch m.view {
	case viewWorkers:
		m.wview.SetInside(v)
	case viewNeeds:
		m.needs.SetInside(v)
	case viewBoard, viewPulls, viewLog, viewIssue:
	}
}

func (m *Model) otherPane() {
	if m.view == viewBoard {
		m.onStrip = !m.stripFocus() && !m.place.Strip.Empty()
		return
	}
	if inside, two := m.inside(); two {
		m.setInside(!inside)
	}
}

// open goes deeper: a row to its issue, a list to its text.
func (m *Model) open() {
	if _, two := m.inside(); two {
		m.setInside(true)
		return
	}
	ref := m.subject()
	switch {
	case m.view == viewIssue:
	case ref == "":
		m.say(themes.ToneMuted, "nothing is selected to open")
	case m.view == viewBoard && m.stripFocus() && m.strip.Selected(m.selectedRef(), m.leads()) != nil:
		m.transcript()
	case present.RowOf(m.snap, ref) == nil:
		m.say(themes.ToneMuted, widget.Clean(string(ref))+" is not on this board")
	default:
		m.issue.OpenRef(ref)
		m.show(viewIssue)
	}
}

// goBack is one step: pane, filter, view. It never leaves the room.
func (m *Model) goBack() {
	if inside, _ := m.inside(); inside {
		m.setInside(false)
		return
	}
	switch {
	case m.view == viewBoard && m.stripFocus():
		m.onStrip = false
	case m.view == viewBoard && m.filter != "":
		m.setFilter("")
	case len(m.back) > 0:
		m.view = m.back[len(m.back)-1]
		m.back = m.back[:len(m.back)-1]
	default:
		m.view = viewBoard
	}
}

func (m *Model) keyGoto(msg tea.KeyPressMsg) {
	m.mode = modeBrowse
	switch msg.String() {
	case "b":
		m.show(viewBoard)
	case "w":
		m.show(viewWorkers)
	case "n":
		m.show(viewNeeds)
	case "p":
		m.show(viewPulls)
	case "l":
		m.show(viewLog)
	case "g":
		m.movePane(widget.MoveFirst)
	}
}
