package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Session takes a worker's session over and opens it for the owner: in a window
// of its own, or, where run is not nil, on this terminal. What it opens hands the
// session back at its end. It is called in a command.
type Session func(ref board.Ref) (run EditorRun, err error)

// sessionMsg brings a session that is open in a window of its own, or is ready
// for this terminal; sessionEndMsg says that it has ended here.
type sessionMsg struct {
	ref board.Ref
	run EditorRun
	err error
}

type sessionEndMsg sessionMsg

// openSession is what taking over does: where a session can be opened, that
// asks the loop for it; else the loop is asked and the owner opens it.
func (m *Model) openSession(t *target, ask pane.Reply) pane.Reply {
	open, ref := m.opts.Session, t.worker.Run.Ref
	if open == nil {
		return ask
	}
	return pane.Reply{Cmd: func() tea.Msg {
		run, err := open(ref)
		return sessionMsg{ref, run, err}
	}}
}

func (m *Model) onSession(msg sessionMsg) tea.Cmd {
	ref := widget.Clean(string(msg.ref))
	switch {
	case msg.err != nil:
		m.insist("take over " + ref + ": " + widget.Clean(msg.err.Error()))
		return nil
	case msg.run == nil:
		m.say(themes.ToneWarn, ref+" opens in a window of its own; its end hands the session back")
		return nil
	}
	return tea.Exec(msg.run, func(err error) tea.Msg { return sessionEndMsg{ref: msg.ref, err: err} })
}

func (m *Model) onSessionEnd(msg sessionEndMsg) {
	ref := widget.Clean(string(msg.ref))
	if msg.err != nil {
		m.insist("the session of " + ref + ": " + widget.Clean(msg.err.Error()) + "; dispatcher take-over " + ref + " says more")
		return
	}
	m.say(themes.ToneAlive, ref+" goes back to the loop")
}
