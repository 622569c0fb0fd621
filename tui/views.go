package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// view is what fills the body.
type view int

const (
	viewBoard view = iota
	viewWorkers
	viewNeeds
	viewPulls
	viewLog
	viewIssue
	viewDiff
	viewMoney
	viewNext
	viewCount
)

func (v view) name() string {
	return [viewCount]string{"Board", "Workers", "Needs you", "Pull requests", "Log", "Issue", "Diff", "Money", "Next firing"}[v]
}

// leadsTo is the view that an action shows, where it shows one.
var leadsTo = map[keymap.Action]view{
	keymap.Board: viewBoard, keymap.Workers: viewWorkers, keymap.Needs: viewNeeds, keymap.Pulls: viewPulls, keymap.Log: viewLog,
	keymap.Money: viewMoney, keymap.Next: viewNext,
	keymap.Issue: viewIssue, keymap.Why: viewIssue, keymap.Diff: viewDiff, keymap.Transcript: viewWorkers,
}

// pane is the pane of the view that is shown.
func (m *Model) pane() roomPane { return m.panes[m.view] }

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

// lead goes to another view with a subject.
func (m *Model) lead(g pane.Go) tea.Cmd {
	v, ok := leadsTo[g.View]
	if !ok || m.panes[v] == nil {
		return nil
	}
	if o, ok := m.panes[v].(opener); ok && g.Subject != (pane.Subject{}) {
		cmd, why := o.Open(g.Subject)
		if why != "" {
			m.say(themes.ToneMuted, why)
			return cmd
		}
		m.show(v)
		return cmd
	}
	m.show(v)
	return nil
}

// subject is what the keys act on, with what the snapshot knows of it.
func (m *Model) subject() pane.Subject {
	if m.snap == nil {
		return pane.Subject{}
	}
	return m.pane().Subject()
}

// selectedRef is the row that is selected on the board.
func (m *Model) selectedRef() board.Ref { return m.home.selectedRef() }

// inside says whether the second part of a view with two has the focus.
func (m *Model) inside() (inside, two bool) {
	if d, ok := m.pane().(divided); ok {
		return d.Inside(), true
	}
	return false, false
}

// otherPane moves the focus to the next part.
func (m *Model) otherPane(a keymap.Action) tea.Cmd {
	if r := m.pane().Act(a); r.Handled {
		return m.carry(r)
	}
	if d, ok := m.pane().(divided); ok {
		d.SetInside(!d.Inside())
	}
	return nil
}

// goBack is one step: marks, find, pane, view. It never leaves the room.
func (m *Model) goBack() tea.Cmd {
	if m.snap == nil {
		return nil
	}
	inside, _ := m.inside()
	switch {
	case m.view == viewBoard && m.home.marked() > 0:
		m.home.unmark()
		return nil
	case m.finds[m.view] != "":
		return m.setFind("")
	}
	if r := m.pane().Act(keymap.Back); r.Handled {
		return m.carry(r)
	}
	if inside {
		m.pane().(divided).SetInside(false) //nolint:forcetypeassert // inside says it is one
		return nil
	}
	m.view = viewBoard
	if n := len(m.back); n > 0 {
		m.view, m.back = m.back[n-1], m.back[:n-1]
	}
	return nil
}

// moves says whether an action only moves in the pane.
func moves(a keymap.Action) bool { return pane.MoveOf(a) != widget.MoveNone }
