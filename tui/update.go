package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Update routes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd, known := m.route(msg)
	if !known {
		return m, nil
	}
	m.dirty = true
	if a, ok := m.pane().(asker); ok && m.snap != nil {
		cmd = tea.Batch(cmd, a.Ask(m.now()))
	}
	return m, tea.Batch(cmd, m.keepDrafts())
}

func (m *Model) route(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		m.ground(msg.IsDark())
	case tea.ColorProfileMsg:
		m.profile(msg.Profile)
	case snapshotMsg:
		cmd = m.onSnapshot(msg)
	case tea.FocusMsg, tea.BlurMsg:
		_, m.calls.blurred = msg.(tea.BlurMsg)
		return nil, false
	case endMsg:
		cmd = m.quit(LeaveLost)
	case tickMsg:
		cmd = m.onTick()
	case suspendMsg, resumedMsg:
		cmd = m.onSuspend(msg)
	case sentMsg:
		cmd = m.onSent(msg)
	case tea.KeyPressMsg:
		cmd = m.onKey(msg)
	case tea.PasteMsg:
		cmd = m.onPaste(msg)
	case tea.MouseClickMsg:
		cmd = m.onClick(msg.Mouse())
	case tea.MouseWheelMsg:
		cmd = m.onWheel(msg.Mouse())
	case paletteMsg:
		m.palette.take(msg)
	case editedMsg:
		cmd = m.onEdited(msg)
	case sessionMsg:
		cmd = m.onSession(msg)
	case sessionEndMsg:
		m.onSessionEnd(msg)
	case runEditorMsg:
		cmd = m.onEditor(msg)
	case contactMsg:
		cmd = m.onContact(msg)
	case keptMsg:
		m.onKept(msg)
	case copyMsg:
		cmd = m.onCopy(msg)
	case pageMsg:
		cmd = m.onPage(msg)
	case tea.KeyReleaseMsg, tea.MouseMotionMsg, tea.MouseReleaseMsg:
		return nil, false
	default:
		return m.tellPanes(msg)
	}
	return cmd, true
}

// tellPanes hands a message that is not the room's own to whichever pane asked
// for it.
func (m *Model) tellPanes(msg tea.Msg) (tea.Cmd, bool) {
	var cmds []tea.Cmd
	known := false
	m.eachPane(func(p roomPane) {
		if t, ok := p.(taker); ok {
			r := t.Take(msg)
			known = known || r.Handled
			cmds = append(cmds, m.carry(r))
		}
	})
	return tea.Batch(cmds...), known
}

func (m *Model) resize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.relayout()
}

func (m *Model) onSnapshot(msg snapshotMsg) tea.Cmd {
	if !msg.open {
		m.lost, m.lostAt = true, m.now()
		if m.leaving != "" {
			return m.quit(m.leaving)
		}
		return nil
	}
	before := m.actsOn()
	m.snap = unread(msg.snap, m.snap)
	m.eachPane(func(p roomPane) { p.SetSnapshot(m.snap) })
	m.restAfter(before)
	m.busy.settle(m.snap, m.now())
	m.markRows()
	m.checkField()
	m.checkTyping()
	m.noteNotices()
	if m.snap.Mode == state.ModeStopped && m.leaving != "" {
		return m.quit(m.leaving)
	}
	return tea.Batch(m.wait(msg.at), m.attend())
}

// unread is the picture of a loop that has begun anew and has not read its board
// yet, with what an earlier loop had read: the last picture stands until then.
func unread(now, last *state.Snapshot) *state.Snapshot {
	if last == nil || !now.PolledAt.IsZero() || last.PolledAt.IsZero() || len(now.Rows) > 0 {
		return now
	}
	s := *now
	s.Rows, s.Pulls, s.Needs, s.PolledAt = last.Rows, last.Pulls, last.Needs, last.PolledAt
	return &s
}

// restAfter lets the acting keys rest when another thing stands where the one
// was that they acted on: a key that is on its way was meant for that. What came
// to a row on which nothing waited, and what is over, has taken nothing's place.
func (m *Model) restAfter(before pane.Subject) {
	now := m.actsOn()
	other := func(was, is string) bool { return was != "" && is != "" && was != is }
	if before != (pane.Subject{}) && (now.Ref != before.Ref || other(before.PR, now.PR) || other(before.Run, now.Run) ||
		other(before.Request, now.Request) || other(string(before.Need), string(now.Need))) {
		m.rest = m.now().Add(restFor)
	}
}

// actsOn is what tells one thing to act on from another: of the same row
// another request can stand where the last one was answered.
func (m *Model) actsOn() pane.Subject {
	t := m.target()
	s := pane.Subject{Ref: t.Ref, Run: t.Run, PR: t.PR, Request: t.Request, Need: t.Need}
	if t.need != nil && s.Need == "" { // as answering from here would take it
		s.Run, s.Request, s.Need = t.need.Run, t.need.Request, t.need.Kind
	}
	return s
}

// checkTyping ends the mode of a pane's own field that has closed by itself.
func (m *Model) checkTyping() {
	if m.mode == modeAnswer && m.field == nil && m.typist() == nil {
		m.mode = modeBrowse
	}
}

// noticeID tells one notice from another, also from one of a loop that came
// after: each counts its own from 1.
type noticeID struct {
	id uint64
	at int64
}

func noticeOf(n *state.Notice) noticeID { return noticeID{n.ID, n.At.UnixNano()} }

// noteNotices remembers since when the notice on the screen has stood there.
func (m *Model) noteNotices() {
	n := m.notice()
	if n == nil {
		m.noticeID = noticeID{}
		return
	}
	if id := noticeOf(n); id != m.noticeID {
		m.noticeID, m.noticeSince = id, m.now()
	}
}

// notice is the oldest notice that was not dismissed, nil without one.
func (m *Model) notice() *state.Notice {
	if m.snap == nil {
		return nil
	}
	for i := range m.snap.Notices {
		if !m.acked[noticeOf(&m.snap.Notices[i])] {
			return &m.snap.Notices[i]
		}
	}
	return nil
}

func (m *Model) onTick() tea.Cmd {
	if !m.toast.until.IsZero() && !m.now().Before(m.toast.until) {
		m.toast = toast{}
	}
	if m.busy.expire(m.now()) {
		m.markRows()
	}
	return tea.Batch(m.tick(), m.call(m.now()))
}

// onPaste types a paste into the open field; it never sends, and nowhere else
// does it do anything.
func (m *Model) onPaste(msg tea.PasteMsg) tea.Cmd {
	switch m.mode {
	case modeAnswer:
		if m.field != nil {
			m.field.Input.Update(msg)
			m.noteDraft()
			return nil
		}
		if t := m.typist(); t != nil {
			return m.carry(t.Type(msg))
		}
	case modeFind:
		m.find.Update(msg)
		return m.setFind(m.find.Value())
	case modePalette:
		m.palette.input.Update(msg)
		return m.searchPalette()
	case modeMenu:
		if m.menu.word != nil {
			m.menu.word.Update(msg)
			return nil
		}
		m.insist("a paste is refused here: a menu is open")
	case modeHelp:
		if m.help.typing {
			m.help.find.Update(msg)
		}
	case modeBrowse, modeGoto:
		m.insist("a paste is refused here: no field is open (a answers a question)")
	}
	return nil
}

// carry carries out what a pane answered.
func (m *Model) carry(r pane.Reply) tea.Cmd {
	var cmds []tea.Cmd
	if r.Say != "" {
		m.say(r.Tone, widget.Clean(r.Say))
	}
	if r.Refuse != "" {
		m.insist(widget.Clean(r.Refuse))
	}
	cmds = append(cmds, m.sendAll(r.Send)...)
	if r.Go != nil {
		cmds = append(cmds, m.lead(*r.Go))
	}
	if r.Menu != nil {
		m.ask(*r.Menu)
	}
	if r.Field != nil {
		cmds = append(cmds, m.openField(*r.Field))
	}
	if r.Act != "" {
		cmds = append(cmds, m.actSubject(r.Act))
	}
	if m.typist() != nil && m.mode == modeBrowse {
		m.mode = modeAnswer
	}
	return tea.Batch(append(cmds, r.Cmd)...)
}

func (m *Model) quit(how Leave) tea.Cmd {
	m.left = how
	return tea.Quit
}

// mutter says why something was not done, in passing.
func (m *Model) mutter(text string) { m.say(themes.ToneMuted, text) }
