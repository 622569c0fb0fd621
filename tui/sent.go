package tui

import (
	"context"
	"errors"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// onSent says what a command did, or why it was refused.
func (m *Model) onSent(msg sentMsg) tea.Cmd {
	c := msg.command
	m.busy.answered(&c, msg.err != nil || msg.done.Pending)
	told, _ := m.tellPanes(pane.Sent{Command: c, Done: msg.done, Err: msg.err})
	defer m.markRows()
	if msg.err != nil {
		if c.Kind == state.CommandUndo {
			m.undos.cannot(c.ID)
		}
		if msg.with != nil {
			m.onSentWith(&msg)
			return told
		}
		return tea.Batch(told, m.onRefused(msg))
	}
	m.undos.add(msg.done.Undo)
	if msg.with != nil {
		m.onSentWith(&msg)
		return told
	}
	if msg.draft != "" {
		m.drafts.Put(msg.draft, "")
	}
	//nolint:exhaustive // of these alone nothing else is said
	switch c.Kind {
	case state.CommandLeave, state.CommandDrain, state.CommandAbort:
		if m.leaving != "" && (m.lost || (m.snap != nil && m.snap.Mode == state.ModeStopped)) {
			return m.quit(m.leaving)
		}
		return told
	case state.CommandAck, state.CommandTouch:
		return told
	}
	w := wordings[c.Kind]
	text := worded(w.said, &c)
	if msg.done.Text != "" {
		text = widget.Clean(msg.done.Text)
	}
	if msg.done.Pending {
		text = withRef(&c, text)
	}
	if msg.done.Ref != "" && c.Kind == state.CommandCreate {
		text = widget.Clean(string(msg.done.Ref)) + " is in Backlog"
		m.home.board.Select(msg.done.Ref)
	}
	if text == "" {
		return told
	}
	if msg.done.Undo != 0 {
		text += " · " + m.keys.Key("undo") + " takes it back"
	}
	m.say(w.tone, text)
	return told
}

// refusal is why the loop did not do it.
func refusal(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the loop has not answered for ten seconds; it may still do it"
	}
	return widget.Clean(err.Error())
}

// onRefused takes back what was shown as under way and says why.
func (m *Model) onRefused(msg sentMsg) tea.Cmd {
	c := msg.command
	why := refusal(msg.err)
	//nolint:exhaustive // every other refusal is said in the same way
	switch c.Kind {
	case state.CommandAnswer:
		m.insist("could not " + wordings[c.Kind].verb + " " + widget.Clean(string(c.Ref)) + ": " + why + "; your text is kept")
		return nil
	case state.CommandLeave, state.CommandDrain, state.CommandAbort:
		m.leaving = ""
		if m.lost {
			return m.quit(LeaveLost)
		}
	case state.CommandAck:
		maps.DeleteFunc(m.acked, func(n noticeID, _ bool) bool { return n.id == c.ID })
		return nil
	case state.CommandTouch:
		return nil
	}
	kept := ""
	if msg.draft != "" {
		kept = "; your text is kept"
	}
	of := widget.Clean(c.About())
	if c.NamedIn(why) {
		of = ""
	}
	m.insist(strings.TrimSpace("could not "+wordings[c.Kind].verb+" "+of) + ": " + why + kept)
	if errors.Is(msg.err, board.ErrNoLogin) {
		return m.reviewThere(c.PR)
	}
	return nil
}

// reviewThere opens the page on which the owner reviews a pull request, where
// this room has no login to do it with.
func (m *Model) reviewThere(pr string) tea.Cmd {
	if m.snap == nil {
		return nil
	}
	for i := range m.snap.Pulls {
		if p := &m.snap.Pulls[i].PR; p.Name == pr && strings.HasPrefix(p.URL, "http") {
			return m.browse(widget.Clean(p.URL) + "/files")
		}
	}
	return nil
}
