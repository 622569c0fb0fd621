package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/pane/workers"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// actSubject carries out on the subject what the pane has no meaning of its own
// for; if it cannot be done it says why.
func (m *Model) actSubject(a keymap.Action) tea.Cmd {
	if why := m.reason(a); why != "" {
		m.mutter(why)
		return nil
	}
	t := m.target()
	//nolint:exhaustive // the rest is movement and pieces, which mean nothing here
	switch a {
	case keymap.Open:
		return m.open(&t)
	case keymap.Transcript, keymap.Diff:
		return m.lead(pane.Go{View: a, Subject: t.Subject})
	case keymap.Why:
		return m.why(&t)
	case keymap.Answer:
		return m.answer(&t)
	case keymap.Steer:
		return m.carry(workers.Steer(t.worker))
	case keymap.Interrupt:
		return m.carry(workers.Interrupt(t.worker))
	case keymap.Stop, keymap.TakeOver:
		return m.actWorker(a, &t)
	case keymap.Merge, keymap.Request, keymap.Update:
		return m.actPull(a, &t)
	case keymap.Move, keymap.CarryDown, keymap.CarryUp, keymap.Claim, keymap.Release, keymap.Dispatch:
		return m.actRow(a, &t)
	case keymap.Create:
		return m.openField(m.createField())
	case keymap.Edit:
		m.ask(m.editMenu(&t))
	case keymap.Browse:
		return m.browse(t.url())
	case keymap.Copy:
		m.ask(m.copyMenu(&t))
	default:
		m.meaningless(a)
	}
	return nil
}

// meaningless says that an action has nothing to do where the focus is.
func (m *Model) meaningless(a keymap.Action) {
	if moves(a) || a == keymap.Left || a == keymap.Right {
		return
	}
	text := map[keymap.Action]string{
		keymap.NextMatch: "nothing is searched for; / finds", keymap.PrevMatch: "nothing is searched for; / finds",
		keymap.Follow: "nothing here grows to be followed; t opens a transcript", keymap.Layout: m.view.name() + " has one layout",
		keymap.Mark: "there is nothing to mark here",
	}[a]
	m.mutter(firstOf(text, "there is nothing to step through here"))
}

// open goes deeper: to the issue's page.
func (m *Model) open(t *target) tea.Cmd {
	switch {
	case m.view == viewIssue:
		return nil
	case t.Ref == "":
		m.mutter("nothing is selected to open")
		return nil
	case t.row == nil:
		m.mutter(t.name + " is not on this board")
		return nil
	}
	return m.lead(pane.Go{View: keymap.Issue, Subject: t.Subject})
}

// why opens the issue's page at the rules.
func (m *Model) why(t *target) tea.Cmd {
	cmd := m.lead(pane.Go{View: keymap.Issue, Subject: t.Subject})
	if m.view == viewIssue {
		return tea.Batch(cmd, m.carry(m.pane().Act(keymap.Why)))
	}
	return cmd
}

// answer goes to what needs a person and answers it there.
func (m *Model) answer(t *target) tea.Cmd {
	cmd := m.lead(pane.Go{View: keymap.Needs, Subject: pane.Subject{
		Ref: t.Ref, Run: t.need.Run, PR: t.need.PR, Request: t.need.Request, Need: t.need.Kind,
	}})
	if m.view != viewNeeds {
		return cmd
	}
	r := m.pane().Act(keymap.Answer)
	if !r.Handled {
		m.mutter(t.name + " cannot be answered here")
	}
	return tea.Batch(cmd, m.carry(r))
}

// nextNeed selects the next thing that needs a person, the most urgent first;
// on the board its row, elsewhere in the list of needs.
func (m *Model) nextNeed() tea.Cmd {
	if m.snap == nil || len(m.snap.Needs) == 0 {
		m.mutter("nothing needs you")
		return nil
	}
	n := &m.snap.Needs[m.needAfter()]
	m.need = idOf(n)
	m.home.onStrip = false
	if m.view == viewBoard && m.home.board.Select(n.Ref) {
		return nil
	}
	if d, ok := m.panes[viewNeeds].(divided); ok {
		d.SetInside(false)
	}
	return m.lead(pane.Go{View: keymap.Needs, Subject: pane.Subject{Ref: n.Ref, Run: n.Run, PR: n.PR, Request: n.Request, Need: n.Kind}})
}

// needAfter is the place of the need after the one that ! has led to, as long
// as it is still the subject, or that is selected in their list; else the most
// urgent one, even if its row is selected: the first ! says what is asked of it.
func (m *Model) needAfter() int {
	t := m.target()
	last := m.need
	if m.view == viewNeeds && t.need != nil {
		last = idOf(t.need)
	}
	for i := range m.snap.Needs {
		if n := &m.snap.Needs[i]; idOf(n) == last && n.Ref == t.Ref {
			return (i + 1) % len(m.snap.Needs)
		}
	}
	return 0
}

// needID names one need; an issue can have several.
type needID struct {
	kind    state.NeedKind
	ref     board.Ref
	request string
}

func idOf(n *state.Need) needID { return needID{n.Kind, n.Ref, n.Request} }

func (m *Model) pause() tea.Cmd {
	if m.lost {
		m.insist("no contact with the loop: it cannot be paused from here")
		return nil
	}
	if m.snap != nil && m.snap.Mode == state.ModePaused {
		return m.send(state.Command{Kind: state.CommandResume})
	}
	return m.send(state.Command{Kind: state.CommandPause})
}

func (m *Model) undo() tea.Cmd {
	if m.lost {
		m.insist("no contact with the loop: nothing can be taken back now")
		return nil
	}
	id, none := m.undos.next()
	if none {
		m.insist("nothing done here is left to take back; dispatcher ctl undo takes back the rest")
		return nil
	}
	return m.send(state.Command{Kind: state.CommandUndo, ID: id})
}

// undoList are the loop's names of what this room did and can take back, the
// newest last. Others send commands to the same loop: what they did last is
// not this room's to take back.
type undoList struct {
	ids     []uint64
	any     bool   // something was done here
	refused uint64 // could not be taken back
}

func (u *undoList) add(id uint64) {
	if id != 0 {
		u.ids, u.any = append(u.ids, id), true
	}
}

// next answers what to take back, 0 for whatever the loop did last in a room
// that has done nothing yet.
func (u *undoList) next() (id uint64, none bool) {
	n := len(u.ids) - 1
	if n < 0 {
		return 0, u.any
	}
	id, u.ids = u.ids[n], u.ids[:n]
	return id, false
}

// cannot keeps what was refused once: the next try is about the same, and only
// when that is refused, too, the one after it about what was done before.
func (u *undoList) cannot(id uint64) {
	if id != 0 && id != u.refused {
		u.ids, u.refused = append(u.ids, id), id
	}
}

// browse opens a page, or shows its address where nothing can open it.
func (m *Model) browse(url string) tea.Cmd {
	if m.opts.Browse == nil {
		return m.copyText(url)
	}
	open := m.opts.Browse
	return func() tea.Msg { return pageMsg{url, open(url)} }
}

// pageMsg says whether a page could be opened.
type pageMsg struct {
	url string
	err error
}

func (m *Model) onPage(msg pageMsg) tea.Cmd {
	if msg.err == nil {
		m.say(themes.ToneGood, "opened "+msg.url)
		return nil
	}
	m.insist("no browser opened " + msg.url + ": " + widget.Clean(msg.err.Error()) + "; copied")
	return tea.SetClipboard(msg.url)
}

// copyText puts a text on the terminal's clipboard and shows it.
func (m *Model) copyText(text string) tea.Cmd {
	m.toast = toast{text: "copied: " + text, tone: themes.ToneGood}
	return tea.SetClipboard(text)
}
