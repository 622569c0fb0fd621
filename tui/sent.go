package tui

import (
	"context"
	"errors"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// onSent says what a command did, or why it was refused.
func (m *Model) onSent(msg sentMsg) tea.Cmd {
	c := msg.command
	m.busy.answered(&c, msg.err != nil)
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
	tone, text := outcome(&c)
	if msg.done.Text != "" {
		text = widget.Clean(msg.done.Text)
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
	m.say(tone, text)
	return told
}

// outcome is what is said of a command that was taken and has no words of its
// own.
func outcome(c *state.Command) (themes.Tone, string) { //nolint:cyclop // a table of words
	ref := widget.Clean(string(c.Ref))
	//nolint:exhaustive // the others say nothing, or answer with their own words
	switch c.Kind {
	case state.CommandPause:
		return themes.ToneWarn, "paused: nothing new starts, what runs goes on; p resumes"
	case state.CommandResume:
		return themes.ToneAlive, "resumed"
	case state.CommandFire:
		return themes.ToneAlive, "firing now"
	case state.CommandAnswer:
		return themes.ToneGood, ref + " answered; the row moves on by itself"
	case state.CommandStop:
		return themes.ToneWarn, "stopping the worker on " + ref + "; the row is held"
	case state.CommandRetry:
		return themes.ToneAlive, ref + " is tried again"
	case state.CommandHold:
		return themes.ToneWarn, ref + " is held for you"
	case state.CommandUnhold:
		return themes.ToneAlive, ref + " may go on"
	case state.CommandMove:
		return themes.ToneGood, ref + " → " + c.Role.DefaultName()
	case state.CommandOrder:
		return themes.ToneGood, ref + " carried"
	case state.CommandClaim:
		return themes.ToneGood, ref + " is yours"
	case state.CommandRelease:
		return themes.ToneGood, ref + " is released"
	case state.CommandDispatch:
		return themes.ToneAlive, ref + " is worked next"
	case state.CommandEdit:
		return themes.ToneGood, ref + " is saved"
	case state.CommandTick:
		return themes.ToneGood, map[bool]string{false: "ticked", true: "cleared"}[c.Off]
	case state.CommandLabel, state.CommandComment:
		return themes.ToneGood, ref + ": done"
	case state.CommandUndo:
		return themes.ToneGood, "taken back"
	case state.CommandSteer:
		return themes.ToneGood, "sent; it is read when the tool that runs is done"
	case state.CommandInterrupt:
		return themes.ToneWarn, "interrupted: it stands still until s gives it a word or x stops it"
	case state.CommandAllow:
		return themes.ToneGood, "allowed"
	case state.CommandDeny:
		return themes.ToneWarn, "denied"
	case state.CommandReply:
		return themes.ToneGood, "answered"
	case state.CommandMerge:
		return themes.ToneGood, firstOf(widget.Clean(c.PR), ref) + " is merged"
	case state.CommandRequest:
		return themes.ToneGood, firstOf(widget.Clean(c.PR), ref) + " is sent back"
	case state.CommandUpdatePR:
		return themes.ToneGood, firstOf(widget.Clean(c.PR), ref) + " is brought up to date"
	case state.CommandTakeOver:
		return themes.ToneWarn, ref + " is yours now; the loop waits"
	case state.CommandHandBack:
		return themes.ToneAlive, ref + " goes back to the loop"
	}
	return themes.ToneMuted, ""
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
		m.insist("could not send the answer to " + widget.Clean(string(c.Ref)) + ": " + why + "; your text is kept")
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
	of := widget.Clean(firstOf(string(c.Ref), c.PR))
	if strings.HasPrefix(why, of) {
		of = "" // the reason names it
	}
	m.insist(strings.TrimSpace("could not "+verb(c.Kind)+" "+of) + ": " + why + kept)
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

// verb is a command in a sentence.
func verb(k state.CommandKind) string {
	if w, ok := map[state.CommandKind]string{
		state.CommandTakeOver: "take over", state.CommandHandBack: "hand back", state.CommandRequest: "request changes on",
		state.CommandUpdatePR: "update", state.CommandUnhold: "clear the hold of", state.CommandRetry: "try again", state.CommandReply: "answer",
		state.CommandOrder: "carry", state.CommandClaim: "take",
	}[k]; ok {
		return w
	}
	return string(k)
}
