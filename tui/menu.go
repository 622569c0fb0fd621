package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane/questions"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// choice is one line of a menu.
type choice struct {
	text    string
	command state.Command // the zero command only closes the menu
	how     Leave         // what the command leads to, if it leaves
	sure    string        // asked before it is done; empty for none
}

// menu is a question over the screen that takes all keys. It is rebuilt
// whenever it opens. A confirmation is a menu of one choice that waits for y.
type menu struct {
	name    string
	title   string
	choices []choice
	sel     int
	sure    bool   // waits for y or n
	run     string // the run that the question is about; it must still be alive
}

func (m *Model) ask(q menu) { m.mode, m.menu = modeMenu, q }

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
	m.ask(m.leaveMenu())
	return nil
}

func (m *Model) leaveMenu() menu {
	n := present.Live(m.snap)
	q := menu{name: "Leave", title: widget.Count(n, "worker is", "workers are") + " running."}
	leave := choice{"leave, workers go on; the next start takes them up again", state.Command{Kind: state.CommandLeave}, LeaveWorkers, ""}
	drain := choice{"drain, then leave: nothing new starts, the room closes when they are done", state.Command{Kind: state.CommandDrain}, LeaveDrained, ""}
	abort := choice{
		"abort and leave",
		state.Command{Kind: state.CommandAbort},
		LeaveAborted,
		fmt.Sprintf("Stop %s now? Commits and branches stay; rows go back where they came from.", widget.Count(n, "worker", "workers")),
	}
	switch {
	case m.snap.Mode == state.ModeDraining:
		q.title = "Draining: " + q.title
		q.choices = []choice{leave, {text: "go on draining"}, abort}
	case m.snap.Mode == state.ModeAborting:
		q.title = "Stopping workers: " + q.title
		q.choices = []choice{leave, {text: "wait"}}
	case n == 0:
		q.title = "No worker is running."
		leave.text = "leave; the loop ends here"
		q.choices = []choice{leave, {text: "stay"}}
	default:
		q.choices = []choice{leave, drain, abort}
	}
	if d := m.needs.Drafts(); d > 0 {
		q.title += " " + widget.Count(d, "draft is", "drafts are") + " not sent and would be lost."
	}
	return q
}

// askStop asks whether to stop the subject's worker.
func (m *Model) askStop() {
	ref := m.subject()
	w := present.LastWorker(m.snap, ref)
	if w == nil || w.Outcome != "" || !w.Run.Alive() {
		m.say(themes.ToneMuted, "no worker to stop: "+firstOf(widget.Clean(string(ref)), "nothing is selected"))
		return
	}
	m.ask(menu{name: "Stop", sure: true, run: w.Run.ID, choices: []choice{{
		command: state.Command{Kind: state.CommandStop, Ref: ref, Text: "stopped in the control room"},
		sure: "Stop the " + widget.Clean(string(w.Run.Kind)) + " on " + widget.Clean(string(ref)) + " and hold the row? " +
			"Its branch and its commits stay; what is not committed stays in the worktree.",
	}}})
}

// askNeed asks what to do about a run that gave up, or a row that is held; it
// answers why not, if there is nothing to choose.
func (m *Model) askNeed(n *state.Need) string {
	row := present.RowOf(m.snap, n.Ref)
	if n.Kind != state.NeedAttention || row == nil {
		return questions.NoField(n)
	}
	command := func(k state.CommandKind) state.Command { return state.Command{Kind: k, Ref: n.Ref} }
	ref := widget.Clean(string(n.Ref))
	why, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n")
	q := menu{name: ref + " " + widget.Clean(n.Title), title: widget.Clean(why)}
	switch row.Hold {
	case "attention":
		q.choices = []choice{{text: "try again", command: command(state.CommandRetry)}, {text: "hold it for me", command: command(state.CommandHold)}, {text: "leave it"}}
	case "held":
		q.choices = []choice{{text: "clear the hold", command: command(state.CommandUnhold)}, {text: "leave it held"}}
	default:
		return ref + ": " + widget.Clean(row.Waits)
	}
	m.ask(q)
	return ""
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func (m *Model) keyMenu(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.menu
	name := msg.String()
	if l.sure {
		return m.keySure(msg)
	}
	switch {
	case name == "ctrl+c" && l.choices[0].how != "":
		return m.choose(l.choices[0])
	case key.Matches(msg, m.menuKeys.Cancel), name == "q", name == "ctrl+c":
		m.mode = modeBrowse
	case key.Matches(msg, m.menuKeys.Up):
		l.sel = max(l.sel-1, 0)
	case key.Matches(msg, m.menuKeys.Down):
		l.sel = min(l.sel+1, len(l.choices)-1)
	case key.Matches(msg, m.menuKeys.Choose):
		return m.decide()
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'1') < len(l.choices):
		l.sel = int(name[0] - '1')
		return m.decide()
	}
	return nil
}

// keySure is y, n or esc; enter does nothing.
func (m *Model) keySure(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.menu
	interrupt := msg.String() == "ctrl+c"
	switch {
	case key.Matches(msg, m.menuKeys.Yes):
		return m.choose(l.choices[l.sel])
	case interrupt && l.choices[0].how != "":
		return m.choose(l.choices[0])
	case interrupt, key.Matches(msg, m.menuKeys.No), key.Matches(msg, m.menuKeys.Cancel):
		l.sure = false
		if len(l.choices) == 1 {
			m.mode = modeBrowse
		}
	}
	return nil
}

// decide carries the chosen line out, asking first where it stops others' work.
func (m *Model) decide() tea.Cmd {
	c := m.menu.choices[m.menu.sel]
	if c.sure != "" {
		m.menu.sure = true
		return nil
	}
	return m.choose(c)
}

func (m *Model) choose(c choice) tea.Cmd {
	m.mode = modeBrowse
	if c.command.Kind == "" {
		return nil
	}
	if run := m.menu.run; run != "" {
		if w := present.WorkerByRun(m.snap, run); w == nil || !w.Run.Alive() {
			m.insist("the worker on " + widget.Clean(string(c.command.Ref)) + " has ended meanwhile; nothing was done")
			return nil
		}
	}
	if c.how != "" {
		m.leaving = c.how
	}
	return m.send(c.command)
}

// viewMenu draws the menu over the screen.
func (m *Model) viewMenu(lines []string) []string {
	st, l := m.styles, &m.menu
	w := min(max(m.w-4, 1), 78)
	if m.frame.Shape == layout.ShapeSingle {
		w = m.w
	}
	iw, _ := widget.Inner(w, 3)
	var body []string
	text := func(ink themes.Ink, s string) {
		for _, t := range widget.Wrap(s, max(iw-2, 1)) {
			body = append(body, widget.Line{}.Add(ink, " "+t).Render(iw, false, st))
		}
	}
	if l.title != "" {
		text(st.Strong, l.title)
		body = append(body, widget.Blank(iw, 1)...)
	}
	keys := "y yes · n no"
	if len(l.choices) > 1 {
		for i := range l.choices {
			body = append(body, m.choiceLines(i, iw)...)
		}
		if !l.sure {
			keys = "↵ choose · 1-" + fmt.Sprint(len(l.choices)) + " at once · esc back"
		} else {
			body = append(body, widget.Blank(iw, 1)...)
		}
	}
	if l.sure {
		text(st.Tone(themes.ToneDanger), l.choices[l.sel].sure)
	}
	box := widget.Box{Title: l.name, Foot: keys, Focus: true}
	return overlay(lines, box.Render(body, w, min(len(body)+2, m.h), st), m.w, m.h)
}

func (m *Model) choiceLines(i, iw int) []string {
	st := m.styles
	chosen := i == m.menu.sel
	ink, bar := st.Text, " "
	if chosen {
		ink, bar = st.Strong, st.Signs.Bar
	}
	var out []string
	for j, t := range widget.Wrap(m.menu.choices[i].text, max(iw-6, 1)) {
		line := widget.Line{{Text: "    "}}
		if j == 0 {
			line = widget.Line{}.Add(st.Focus, bar).Add(st.Key, fmt.Sprintf("%d  ", i+1))
		}
		out = append(out, line.Add(ink, t).Render(iw, chosen, st))
	}
	return out
}
