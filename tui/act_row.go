package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// actRow carries out what changes the row itself.
func (m *Model) actRow(a keymap.Action, t *target) tea.Cmd {
	//nolint:exhaustive // these are all that get here
	switch a {
	case keymap.Move:
		m.ask(m.moveMenu(t))
	case keymap.CarryDown:
		return m.send(state.Command{Kind: state.CommandOrder, Ref: t.Ref, After: m.home.board.Neighbour(1)})
	case keymap.CarryUp:
		return m.send(state.Command{Kind: state.CommandOrder, Ref: t.Ref, Before: m.home.board.Neighbour(-1)})
	case keymap.Claim:
		return m.send(state.Command{Kind: state.CommandClaim, Ref: t.Ref})
	case keymap.Release:
		m.ask(m.releaseMenu(t))
	case keymap.Dispatch:
		m.ask(pane.Menu{
			Name: "Dispatch", Sure: &pane.Sure{Text: "Work " + t.title() + " next, before the order of the board? " + t.dispatched()},
			Do: pane.Reply{Send: []state.Command{{Kind: state.CommandDispatch, Ref: t.Ref}}}, Gone: m.rowGone(t),
		})
	}
	return nil
}

// dispatched says what comes of dispatching the row, as far as the last picture
// tells: the loop looks again.
func (t *target) dispatched() string {
	if why := widget.Clean(t.row.Waits); why != "" && !t.row.Next {
		return "As it is, nothing starts: " + why + "."
	}
	return "It starts when a slot is free and the rules allow it."
}

// rowGone says when a question about a row no longer holds: the row has left
// its column, or a worker has come or gone.
func (m *Model) rowGone(t *target) func(*state.Snapshot) string {
	ref, name, role, run := t.Ref, t.name, t.row.Issue.Role, t.row.Run
	return func(s *state.Snapshot) string {
		switch r := present.RowOf(s, ref); {
		case r == nil:
			return name + " has gone from the board meanwhile"
		case r.Issue.Role != role:
			return name + " has moved to " + r.Issue.Role.DefaultName() + " meanwhile"
		case r.Run != run && r.Run != "":
			return "a worker has started on " + name + " meanwhile"
		}
		return ""
	}
}

// usualNext is where an owner most often moves a row of that role.
func usualNext(r board.Role, pull bool) board.Role {
	switch r {
	case board.RoleBacklog, board.RoleDone, board.RoleInProgress, board.RoleNone:
		return board.RoleReady
	case board.RoleReady:
		return board.RoleBacklog
	case board.RoleQuestion, board.RoleChangesRequested, board.RoleHumanReview:
		if pull && r != board.RoleChangesRequested {
			return board.RoleChangesRequested
		}
		return board.RoleReady
	}
	return board.RoleReady
}

// moveMenu lists every other column, the usual one chosen, then hold, clear the
// hold, and another try.
func (m *Model) moveMenu(t *target) pane.Menu {
	i := &t.row.Issue
	q := pane.Menu{Name: "Move " + t.name, Text: widget.Clean(i.Title) + " · " + firstOf(i.Role.DefaultName(), widget.Clean(i.State)), Gone: m.rowGone(t)}
	next := usualNext(i.Role, t.pull != nil)
	for _, r := range board.Roles() {
		if r == i.Role {
			continue
		}
		c := pane.Choice{Text: r.DefaultName(), Do: moveTo(t.Ref, i.Role, r)}
		if r == board.RoleDone {
			c.Why = "an issue is closed by merging its pull request"
		}
		if t.row.Run != "" {
			c.Sure = &pane.Sure{Text: "A worker is at " + t.name + ": moving it to " + r.DefaultName() + " stops it. Its branch and its commits stay."}
		}
		if r == next {
			q.Sel = len(q.Choices)
		}
		q.Choices = append(q.Choices, c)
	}
	command := func(k state.CommandKind) pane.Reply {
		return pane.Reply{Send: []state.Command{{Kind: k, Ref: t.Ref}}}
	}
	switch t.row.Hold {
	case "held":
		q.Choices = append(q.Choices, pane.Choice{Text: "clear the hold", Do: command(state.CommandUnhold)})
	case "attention":
		q.Choices = append(q.Choices, pane.Choice{Text: "try again", Do: command(state.CommandRetry)}, pane.Choice{Text: "hold it for me", Do: command(state.CommandHold)})
	default:
		hold := pane.Choice{Text: "hold it for me", Do: command(state.CommandHold)}
		if t.row.Run != "" {
			hold.Why = "a worker is at it; x stops it and holds the row"
		}
		q.Choices = append(q.Choices, hold)
	}
	return q
}

func moveTo(ref board.Ref, from, to board.Role) pane.Reply {
	return pane.Reply{Send: []state.Command{{Kind: state.CommandMove, Ref: ref, Role: to, From: from}}}
}

// releaseMenu asks before a claim is taken away; one that is fresh is another's
// work, and wants the ref typed.
func (m *Model) releaseMenu(t *target) pane.Menu {
	i := &t.row.Issue
	q := pane.Menu{Name: "Release " + t.name, Gone: m.rowGone(t), Do: pane.Reply{Send: []state.Command{{Kind: state.CommandRelease, Ref: t.Ref}}}}
	switch {
	case i.Claim == nil:
		q.Sure = &pane.Sure{Text: "Release " + t.title() + " from " + firstOf(widget.Clean(i.Assignee), "its assignee") + "? The loop may work it then."}
	case m.stale(t.row):
		q.Sure = &pane.Sure{Text: "Release the stale claim on " + t.title() + "? Whoever had it has given no sign of life; its branch and commits stay."}
	default:
		q.Sure = &pane.Sure{
			Text: fmt.Sprintf("%s is claimed by another session, %s ago, and may be worked right now. Releasing it takes its work away. Type %s to do it.",
				t.name, widget.Since(i.Claim.Stamp, m.now()), t.name),
			Word: t.name,
		}
	}
	return q
}

// stale says whether the claim on a row is stale: its lease has run out, or the
// loop says so.
func (m *Model) stale(r *state.Row) bool {
	if c := r.Issue.Claim; c != nil && !c.LeaseUntil.IsZero() && m.now().After(c.LeaseUntil) {
		return true
	}
	return slices.ContainsFunc(m.snap.Needs, func(n state.Need) bool { return n.Kind == state.NeedStale && n.Ref == r.Issue.Ref })
}

// hasMarks says whether an action is for all marked rows.
func (m *Model) hasMarks(a keymap.Action) bool {
	return m.view == viewBoard && m.home.marked() > 0 && (a == keymap.Move || a == keymap.Claim || a == keymap.Release)
}

// actMarked asks once for all marked rows and says how many there are.
func (m *Model) actMarked(a keymap.Action) tea.Cmd {
	refs := m.home.board.Marks()
	n := widget.Count(len(refs), "row", "rows")
	each := func(command func(r *state.Row) (state.Command, bool)) []state.Command {
		var out []state.Command
		for _, ref := range refs {
			if r := present.RowOf(m.snap, ref); r != nil {
				if c, ok := command(r); ok {
					out = append(out, c)
				}
			}
		}
		return out
	}
	only := func(cmds []state.Command, what string) bool {
		if len(cmds) == 0 {
			m.mutter("none of " + n + " " + what)
		}
		return len(cmds) > 0
	}
	//nolint:exhaustive // these are all that get here
	switch a {
	case keymap.Move:
		m.ask(m.moveMarked(refs, n))
		m.menu.unmark = true
	case keymap.Claim:
		cmds := each(func(r *state.Row) (state.Command, bool) {
			t := target{row: r}
			return state.Command{Kind: state.CommandClaim, Ref: r.Issue.Ref}, t.notClaimable() == ""
		})
		if only(cmds, "can be taken") {
			m.home.unmark()
			return m.carry(pane.Reply{Send: cmds})
		}
	case keymap.Release:
		cmds := each(func(r *state.Row) (state.Command, bool) {
			t := target{row: r}
			return state.Command{Kind: state.CommandRelease, Ref: r.Issue.Ref}, t.notReleasable() == "" && (r.Issue.Claim == nil || m.stale(r))
		})
		if only(cmds, "is yours or stale: others are released one by one") {
			m.ask(pane.Menu{
				Name: "Release", Do: pane.Reply{Send: cmds},
				Sure: &pane.Sure{Text: fmt.Sprintf("Release %d of %s? Branches and commits stay.", len(cmds), n)},
			})
			m.menu.unmark = true
		}
	}
	return nil
}

// moveMarked is the move menu for several rows: the usual column of the first.
func (m *Model) moveMarked(refs []board.Ref, n string) pane.Menu {
	q := pane.Menu{Name: "Move " + n, Text: "All " + n + " that are marked."}
	next := board.RoleReady
	if r := present.RowOf(m.snap, refs[0]); r != nil {
		next = usualNext(r.Issue.Role, present.PullOf(m.snap, refs[0]) != nil)
	}
	for _, to := range board.Roles() {
		c := pane.Choice{Text: to.DefaultName()}
		worked := 0
		for _, ref := range refs {
			r := present.RowOf(m.snap, ref)
			if r == nil || r.Issue.Role == to {
				continue
			}
			if r.Run != "" {
				worked++
			}
			c.Do.Send = append(c.Do.Send, state.Command{Kind: state.CommandMove, Ref: ref, Role: to, From: r.Issue.Role})
		}
		switch {
		case to == board.RoleDone:
			c.Why = "an issue is closed by merging its pull request"
		case len(c.Do.Send) == 0:
			c.Why = "they stand there already"
		case worked > 0:
			c.Sure = &pane.Sure{Text: fmt.Sprintf("%s of them are worked now: moving them stops their workers. Branches and commits stay.", widget.Count(worked, "row", "rows"))}
		}
		if len(c.Do.Send) > 0 && len(c.Do.Send) < len(refs) && c.Why == "" {
			c.Text += fmt.Sprintf(" (%d of %d)", len(c.Do.Send), len(refs))
		}
		if to == next {
			q.Sel = len(q.Choices)
		}
		q.Choices = append(q.Choices, c)
	}
	return q
}
