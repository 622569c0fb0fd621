package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Update routes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		m.ground(msg.IsDark())
	case tea.ColorProfileMsg:
		m.profile(msg.Profile)
	case snapshotMsg:
		cmd = m.onSnapshot(msg)
	case tea.FocusMsg:
		m.calls.blurred = false
		return m, nil
	case tea.BlurMsg:
		m.calls.blurred = true
		return m, nil
	case endMsg:
		cmd = m.quit(LeaveLost)
	case tickMsg:
		cmd = m.onTick()
	case sentMsg:
		cmd = m.onSent(msg)
	case tea.KeyPressMsg:
		cmd = m.onKey(msg)
	case tea.PasteMsg:
		m.onPaste(msg)
	default:
		return m, nil
	}
	m.dirty = true
	return m, cmd
}

func (m *Model) resize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.relayout()
}

// relayout gives every pane its place.
func (m *Model) relayout() {
	m.frame = layout.FrameOf(m.w, m.h)
	if m.opts.Look.Plain {
		m.frame.Shape = layout.ShapeSingle
	}
	body, shape := m.frame.Body, m.frame.Shape
	asList := m.asList || shape != layout.ShapeColumns
	m.place = layout.BoardOf(body, shape, m.asList, m.snap != nil && len(m.snap.Rows)+len(m.snap.Workers) > 0)
	m.board.SetSize(m.place.List.W, m.place.List.H, asList)
	m.strip.SetSize(m.place.Strip.W, m.place.Strip.H)
	m.wview.SetBody(body, shape)
	m.needs.SetBody(body, shape)
	m.pulls.SetBody(body, shape)
	m.log.SetBody(body, shape)
	m.issue.SetBody(body, shape)
	m.find.SetSize(max(m.w-20, 8), 1)
}

func (m *Model) onSnapshot(msg snapshotMsg) tea.Cmd {
	if !msg.open {
		m.lost = true
		if m.leaving != "" {
			return m.quit(m.leaving)
		}
		return nil
	}
	had := m.snap != nil && len(m.snap.Rows)+len(m.snap.Workers) > 0
	m.snap = msg.snap
	m.board.SetSnapshot(m.snap)
	m.strip.SetSnapshot(m.snap)
	m.wview.SetSnapshot(m.snap)
	m.needs.SetSnapshot(m.snap)
	m.pulls.SetSnapshot(m.snap)
	m.log.SetSnapshot(m.snap)
	m.issue.SetSnapshot(m.snap)
	if has := len(m.snap.Rows)+len(m.snap.Workers) > 0; has != had {
		m.relayout()
	}
	if m.mode == modeAnswer && !m.needs.Answering() {
		m.mode = modeBrowse
	}
	if lost := m.needs.Lost(); lost != "" {
		m.insist(lost)
	}
	m.noteNotices()
	if m.snap.Mode == state.ModeStopped && m.leaving != "" {
		return m.quit(m.leaving)
	}
	return tea.Batch(m.wait(msg.at), m.attend())
}

// noteNotices remembers since when the notice on the screen has stood there.
func (m *Model) noteNotices() {
	n := m.notice()
	if n == nil {
		m.noticeID = 0
		return
	}
	if n.ID != m.noticeID {
		m.noticeID, m.noticeSince = n.ID, m.now()
	}
}

// notice is the oldest notice that was not dismissed, nil without one.
func (m *Model) notice() *state.Notice {
	if m.snap == nil {
		return nil
	}
	for i := range m.snap.Notices {
		if !m.acked[m.snap.Notices[i].ID] {
			return &m.snap.Notices[i]
		}
	}
	return nil
}

func (m *Model) onTick() tea.Cmd {
	if !m.toast.until.IsZero() && !m.now().Before(m.toast.until) {
		m.toast = toast{}
	}
	return tea.Batch(m.tick(), m.call(m.now()))
}

func (m *Model) onSent(msg sentMsg) tea.Cmd {
	c := msg.command
	if msg.err != nil {
		return m.onRefused(c, msg.err)
	}
	switch c.Kind {
	case state.CommandPause:
		m.say(themes.ToneWarn, "paused: nothing new starts, what runs goes on; p resumes")
	case state.CommandResume:
		m.say(themes.ToneAlive, "resumed")
	case state.CommandFire:
		m.say(themes.ToneAlive, "firing now")
	case state.CommandAnswer:
		m.say(themes.ToneGood, widget.Clean(string(c.Ref))+" answered; the row moves on by itself")
	case state.CommandLeave, state.CommandDrain, state.CommandAbort:
		if m.lost || (m.snap != nil && m.snap.Mode == state.ModeStopped) {
			return m.quit(m.leaving)
		}
	case state.CommandStop:
		m.say(themes.ToneWarn, "stopping the worker on "+widget.Clean(string(c.Ref))+"; the row is held")
	case state.CommandRetry:
		m.say(themes.ToneAlive, widget.Clean(string(c.Ref))+" is tried again")
	case state.CommandHold:
		m.say(themes.ToneWarn, widget.Clean(string(c.Ref))+" is held for you")
	case state.CommandUnhold:
		m.say(themes.ToneAlive, widget.Clean(string(c.Ref))+" may go on")
	case state.CommandAck:
	}
	return nil
}

// onRefused takes back what was shown as under way and says why.
func (m *Model) onRefused(c state.Command, err error) tea.Cmd {
	switch c.Kind {
	case state.CommandAnswer:
		m.needs.Failed(c.Ref)
		m.insist("could not send the answer to " + widget.Clean(string(c.Ref)) + ": " + widget.Clean(err.Error()) + "; your text is kept")
		return nil
	case state.CommandLeave, state.CommandDrain, state.CommandAbort:
		m.leaving = ""
		if m.lost {
			return m.quit(LeaveLost)
		}
	case state.CommandAck:
		delete(m.acked, c.ID)
		return nil
	case state.CommandFire, state.CommandPause, state.CommandResume,
		state.CommandHold, state.CommandUnhold, state.CommandRetry, state.CommandStop:
	}
	m.insist(strings.TrimSpace("could not "+string(c.Kind)+" "+widget.Clean(string(c.Ref))) + ": " + widget.Clean(err.Error()))
	return nil
}

func (m *Model) onPaste(msg tea.PasteMsg) {
	switch m.mode {
	case modeAnswer:
		m.needs.Update(msg)
	case modeFind:
		m.find.Update(msg)
		m.setFilter(m.find.Value())
	case modeBrowse, modeGoto, modeMenu, modeHelp:
		m.insist("a paste is refused here: no field is open (a answers a question)")
	}
}

func (m *Model) quit(how Leave) tea.Cmd {
	m.left = how
	return tea.Quit
}
