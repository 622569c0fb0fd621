package tui

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// leaveChoice is one line of the leave menu.
type leaveChoice struct {
	text string
	kind state.CommandKind // empty only closes the menu
	how  Leave
	sure string // asked before it is done; empty for none
}

// leaveMenu asks how to leave. It is rebuilt whenever it opens.
type leaveMenu struct {
	title   string
	choices []leaveChoice
	sel     int
	sure    bool // waits for y or n
}

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
	m.mode = modeLeave
	m.leave = m.leaveMenu()
	return nil
}

func (m *Model) leaveMenu() leaveMenu {
	n := present.Live(m.snap)
	run := widget.Count(n, "worker is", "workers are") + " running."
	leave := leaveChoice{"leave, workers go on; the next start takes them up again", state.CommandLeave, LeaveWorkers, ""}
	abort := leaveChoice{
		"abort and leave", state.CommandAbort, LeaveAborted,
		fmt.Sprintf("Stop %s now? Commits and branches stay; rows go back where they came from.", widget.Count(n, "worker", "workers")),
	}
	switch {
	case m.snap.Mode == state.ModeDraining:
		return leaveMenu{title: "Draining: " + run, choices: []leaveChoice{
			leave, {"go on draining", "", "", ""}, abort,
		}}
	case m.snap.Mode == state.ModeAborting:
		return leaveMenu{title: "Stopping workers: " + run, choices: []leaveChoice{leave, {"wait", "", "", ""}}}
	case n == 0:
		return leaveMenu{title: "No worker is running.", choices: []leaveChoice{
			{"leave; the loop ends here", state.CommandLeave, LeaveWorkers, ""}, {"stay", "", "", ""},
		}}
	}
	return leaveMenu{title: run, choices: []leaveChoice{
		leave, {"drain, then leave: nothing new starts, the room closes when they are done", state.CommandDrain, LeaveDrained, ""}, abort,
	}}
}

func (m *Model) keyLeave(msg tea.KeyPressMsg) tea.Cmd {
	l := &m.leave
	name := msg.String()
	if l.sure {
		l.sure = false
		switch name {
		case "y":
			return m.choose(l.choices[l.sel])
		case "ctrl+c":
			return m.choose(l.choices[0])
		}
		return nil
	}
	switch {
	case name == "ctrl+c":
		return m.choose(l.choices[0])
	case key.Matches(msg, m.menu.Cancel), name == "q":
		m.mode = modeBrowse
	case key.Matches(msg, m.menu.Up):
		l.sel = max(l.sel-1, 0)
	case key.Matches(msg, m.menu.Down):
		l.sel = min(l.sel+1, len(l.choices)-1)
	case key.Matches(msg, m.menu.Choose):
		return m.decide()
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'1') < len(l.choices):
		l.sel = int(name[0] - '1')
		return m.decide()
	}
	return nil
}

// decide carries the chosen line out, asking first where it stops others' work.
func (m *Model) decide() tea.Cmd {
	c := m.leave.choices[m.leave.sel]
	if c.sure != "" {
		m.leave.sure = true
		return nil
	}
	return m.choose(c)
}

func (m *Model) choose(c leaveChoice) tea.Cmd {
	m.mode = modeBrowse
	if c.kind == "" {
		return nil
	}
	m.leaving = c.how
	return m.send(state.Command{Kind: c.kind})
}

// viewLeave draws the menu over the screen.
func (m *Model) viewLeave(lines []string) []string {
	st, l := m.styles, &m.leave
	w := min(max(m.w-4, 1), 78)
	if m.frame.Shape == layout.ShapeSingle {
		w = m.w
	}
	iw, _ := widget.Inner(w, 3)
	var body []string
	add := func(chosen bool, line widget.Line) { body = append(body, line.Render(iw, chosen, st)) }
	for _, t := range widget.Wrap(l.title, max(iw-2, 1)) {
		add(false, widget.Line{}.Add(st.Strong, " "+t))
	}
	if d := m.needs.Drafts(); d > 0 {
		add(false, widget.Line{}.Add(st.Warn, " "+widget.Count(d, "draft is", "drafts are")+" not sent and would be lost."))
	}
	add(false, nil)
	for i, c := range l.choices {
		chosen := i == l.sel
		for j, t := range widget.Wrap(c.text, max(iw-6, 1)) {
			line := widget.Line{{Text: "    "}}
			if j == 0 {
				bar := " "
				if chosen {
					bar = st.Signs.Bar
				}
				line = widget.Line{}.Add(st.Focus, bar).Add(st.Key, fmt.Sprintf("%d  ", i+1))
			}
			ink := st.Text
			if chosen {
				ink = st.Strong
			}
			add(chosen, line.Add(ink, t))
		}
	}
	keys := "↵ choose · 1-" + fmt.Sprint(len(l.choices)) + " at once · esc stay"
	if l.sure {
		add(false, nil)
		for _, t := range widget.Wrap(l.choices[l.sel].sure, max(iw-2, 1)) {
			add(false, widget.Line{}.Add(st.Tone(themes.ToneDanger), " "+t))
		}
		keys = "y yes · n no"
	}
	box := widget.Box{Title: "Leave", Foot: keys, Focus: true}
	return overlay(lines, box.Render(body, w, min(len(body)+2, m.h), st), m.w, m.h)
}
