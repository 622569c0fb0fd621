package tui

import (
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// askLeave leaves at once where that ends nothing, and asks otherwise.
func (m *Model) askLeave() tea.Cmd {
	switch {
	case m.opts.Attached:
		return m.quit(LeaveDetached)
	case m.lost:
		return m.quit(LeaveLost)
	case m.snap == nil:
		// Nothing has been seen yet: the loop may be starting workers.
		m.leaving = LeaveWorkers
		return m.send(state.Command{Kind: state.CommandLeave})
	case m.snap.Mode == state.ModeStopped:
		return m.quit(LeaveEnded)
	case m.leaving == LeaveWorkers:
		return m.quit(LeaveWorkers) // asked twice: do not wait for the loop
	}
	m.askFull(m.leaveMenu())
	return nil
}

// onSuspend takes a wish to stand still from outside, and the end of standing
// still.
func (m *Model) onSuspend(msg tea.Msg) tea.Cmd {
	if _, back := msg.(resumedMsg); back {
		return tea.ClearScreen
	}
	return m.suspend()
}

// suspend stops the screen only. A loop in this process would stand still with
// it, so it is handed to the background first; whoever runs the room stops the
// process then, and attaches once its shell lets it go on.
func (m *Model) suspend() tea.Cmd {
	why := m.unsuspendable()
	switch {
	case why != "":
		m.mutter(why + "; q leaves")
		return nil
	case m.opts.Attached:
		return tea.Exec(stillness{stand: m.opts.Suspend}, func(error) tea.Msg { return resumedMsg{} })
	}
	m.leaving = LeaveSuspended
	return m.send(state.Command{Kind: state.CommandLeave})
}

// stillness stops the process while the terminal is the shell's. Bubble Tea's own
// way waits for ever in a process that has once asked for the signal it sends.
type stillness struct{ stand func() }

// Run returns when the shell lets the process go on.
func (s stillness) Run() error { s.stand(); return nil }

// SetStdin ignores the terminal: nothing reads from it.
func (stillness) SetStdin(io.Reader) {}

// SetStdout ignores the terminal: nothing writes to it.
func (stillness) SetStdout(io.Writer) {}

// SetStderr ignores the terminal: nothing writes to it.
func (stillness) SetStderr(io.Writer) {}

// unsuspendable says why the room cannot be suspended now; empty if it can.
func (m *Model) unsuspendable() string {
	switch {
	case m.opts.Suspend == nil:
		return "no shell stands behind this screen, which could bring a suspended room back"
	case m.opts.Attached:
		return ""
	case !m.opts.Background:
		return "this loop cannot go on in the background, and would stand still with its screen"
	case m.snap == nil:
		return "the loop has not been heard of yet"
	case m.leaving != "" || m.lost || m.snap.Mode != state.ModeRunning && m.snap.Mode != state.ModePaused:
		return "the loop ends, and cannot be handed to the background"
	}
	return ""
}

func send(k state.CommandKind) pane.Reply { return pane.Reply{Send: []state.Command{{Kind: k}}} }

func (m *Model) leaveMenu() menu {
	n := present.Live(m.snap)
	q := menu{Menu: pane.Menu{Name: "Leave", Text: widget.Count(n, "worker is", "workers are") + " running."}}
	leave := pane.Choice{Text: "leave, workers go on; the next start takes them up again", Do: send(state.CommandLeave)}
	drain := pane.Choice{Text: "drain, then leave: nothing new starts, the room closes when they are done", Do: send(state.CommandDrain)}
	abort := pane.Choice{Text: "abort and leave", Sure: m.abortSure(), Do: send(state.CommandAbort)}
	if m.opts.Background {
		leave.Text = "leave, the loop goes on in the background; dispatcher attach comes back"
	}
	switch {
	case m.snap.Mode == state.ModeDraining:
		q.Text = "Draining: " + q.Text
		q.Choices, q.how = []pane.Choice{leave, {Text: "go on draining"}, abort}, []Leave{LeaveWorkers, "", LeaveAborted}
	case m.snap.Mode == state.ModeAborting:
		q.Text = "Stopping workers: " + q.Text
		q.Choices, q.how = []pane.Choice{leave, {Text: "wait"}}, []Leave{LeaveWorkers}
	case n == 0 && !m.opts.Background:
		q.Text = "No worker is running."
		leave.Text = "leave; the loop ends here"
		q.Choices, q.how = []pane.Choice{leave, {Text: "stay"}}, []Leave{LeaveWorkers}
	case n == 0:
		q.Text = "No worker is running."
		drain.Text = "end the loop and leave"
		q.Choices, q.how = []pane.Choice{leave, drain, {Text: "stay"}}, []Leave{LeaveWorkers, LeaveDrained}
	default:
		q.Choices, q.how = []pane.Choice{leave, drain, abort}, []Leave{LeaveWorkers, LeaveDrained, LeaveAborted}
	}
	if d := m.drafts.Len(); d > 0 {
		kept := widget.Count(d, "draft is not sent; it is kept.", "drafts are not sent; they are kept.")
		if m.opts.Keep == nil {
			kept = widget.Count(d, "draft is not sent and would be lost.", "drafts are not sent and would be lost.")
		}
		q.Text += " " + kept
	}
	return q
}

// abortSure is the third level: it hits every worker.
func (m *Model) abortSure() *pane.Sure {
	n := present.Live(m.snap)
	return &pane.Sure{
		Text: fmt.Sprintf("Stop %s now? Commits and branches stay; rows go back where they came from. Type abort to do it.", widget.Count(n, "worker", "workers")),
		Word: "abort",
	}
}

// askStopLoop ends the loop and leaves the room open.
func (m *Model) askStopLoop() {
	switch {
	case m.snap == nil || m.lost:
		m.mutter("no contact with the loop: it cannot be stopped from here")
		return
	case m.snap.Mode == state.ModeStopped:
		m.mutter("the loop has ended already")
		return
	}
	n := present.Live(m.snap)
	if n == 0 && m.snap.Mode != state.ModeDraining && m.snap.Mode != state.ModeAborting {
		m.ask(pane.Menu{Name: "Stop the loop", Text: "No worker is running.", Choices: []pane.Choice{
			{Text: "end the loop", Do: send(state.CommandDrain)}, {Text: "go on"},
		}})
		return
	}
	q := pane.Menu{Name: "Stop the loop", Text: widget.Count(n, "worker is", "workers are") + " running.", Sel: 0, Choices: []pane.Choice{
		{Text: "drain: nothing new starts, the loop ends when they are done", Do: send(state.CommandDrain)},
		{Text: "abort: stop them now", Sure: m.abortSure(), Do: send(state.CommandAbort)},
		{Text: "go on"},
	}}
	if m.snap.Mode == state.ModeDraining {
		q.Choices[0].Why = "it drains already"
		q.Sel = 1
	}
	m.ask(q)
}
