package tui

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// target is the subject with what the snapshot knows of it.
type target struct {
	pane.Subject
	name   string // its ref, clean
	row    *state.Row
	worker *state.Worker // that lives on it, else the last one
	pull   *state.Pull
	need   *state.Need
}

func (m *Model) target() target {
	t := target{Subject: m.subject()}
	t.name = widget.Clean(string(t.Ref))
	t.row = present.RowOf(m.snap, t.Ref)
	if m.snap == nil {
		return t
	}
	if t.Run != "" {
		t.worker = present.WorkerByRun(m.snap, t.Run)
	}
	if t.worker == nil {
		t.worker = present.LastWorker(m.snap, t.Ref)
	}
	t.pull = present.PullOf(m.snap, t.Ref)
	for i := range m.snap.Pulls {
		if t.PR != "" && m.snap.Pulls[i].PR.Name == t.PR {
			t.pull = &m.snap.Pulls[i]
		}
	}
	t.need = present.NeedOf(m.snap, t.Ref)
	for i := range m.snap.Needs {
		if n := &m.snap.Needs[i]; t.Need != "" && n.Ref == t.Ref && n.Kind == t.Need && n.Request == t.Request {
			t.need = n
		}
	}
	return t
}

func (t *target) live() bool {
	return t.worker != nil && t.worker.Outcome == "" && t.worker.Run.Alive()
}

// reason says why an action cannot be done to the subject now; empty if it can.
func (m *Model) reason(a keymap.Action) string {
	e := m.keys.Entry(a)
	t := m.target()
	if e.Acts && m.lost {
		return "no contact with the loop"
	}
	if why := t.lacks(e.Needs); why != "" {
		return why
	}
	return m.reasonFor(a, &t)
}

// lacks says what of the subject is missing.
func (t *target) lacks(n keymap.Needed) string {
	switch n {
	case keymap.NeedsNothing:
		return ""
	case keymap.NeedsIssue:
		switch {
		case t.Ref == "":
			return "nothing is selected"
		case t.row == nil:
			return t.name + " is not on this board"
		}
		return ""
	case keymap.NeedsRun:
		switch {
		case t.Ref == "" && t.worker == nil:
			return "nothing is selected"
		case t.worker == nil:
			return "no worker of this loop has run on " + t.name
		}
		return ""
	case keymap.NeedsLive:
		if !t.live() {
			return "no worker runs on " + firstOf(t.name, "what is selected: nothing is")
		}
		return ""
	case keymap.NeedsPull:
		if t.pull == nil {
			return firstOf(t.name, "nothing that is selected") + " has no open pull request"
		}
		return ""
	case keymap.NeedsAsk:
		switch {
		case t.Ref == "" && t.need == nil:
			return "nothing is selected to answer; ! goes to what needs you"
		case t.need == nil:
			return t.name + " asks nothing; ! goes to what needs you"
		}
		return ""
	}
	return ""
}

// reasonFor is what else can be in the way.
func (m *Model) reasonFor(a keymap.Action, t *target) string {
	//nolint:exhaustive // nothing else is in the way of the others
	switch a {
	case keymap.Claim:
		return t.notClaimable()
	case keymap.Release:
		return t.notReleasable()
	case keymap.Dispatch:
		if t.row.Run != "" {
			return "a worker is at " + t.name + " already"
		}
		if t.row.Issue.Role == board.RoleDone {
			return t.name + " is done"
		}
	case keymap.Diff:
		if t.pull == nil && (t.worker == nil || t.worker.Run.Worktree == "") {
			return t.name + " has no pull request and no worktree here"
		}
		return m.noView(viewDiff)
	case keymap.Suspend:
		return m.unsuspendable()
	case keymap.Money:
		return m.noView(viewMoney)
	case keymap.Next:
		return m.noView(viewNext)
	case keymap.Merge:
		return t.notMergeable()
	case keymap.Interrupt:
		if t.worker.Waiting {
			return "it stands still already; s gives it a word, x stops it"
		}
	case keymap.TakeOver:
		if !t.worker.TakenOver && !t.live() {
			return t.what() + " has ended; only a worker that runs can be taken over"
		}
	case keymap.CarryDown, keymap.CarryUp:
		return m.notCarried(a, t)
	case keymap.Browse:
		if t.url() == "" {
			return t.name + " has no page: this board and its pull requests are local"
		}
	case keymap.Find:
		if _, ok := m.pane().(finder); !ok {
			return "there is nothing to find in " + m.view.name()
		}
	}
	return ""
}

func (m *Model) noView(v view) string {
	if m.panes[v] == nil {
		return "this room has no view of it"
	}
	return ""
}

func (t *target) notClaimable() string {
	i := &t.row.Issue
	switch {
	case t.row.Run != "":
		return "a worker of this loop is at it; x stops it first"
	case i.HumanOwned():
		return widget.Clean(i.Assignee) + " has it already"
	case i.Claim != nil:
		return "another session has claimed it; r releases it"
	case i.Role == board.RoleDone:
		return t.name + " is done"
	}
	return ""
}

func (t *target) notReleasable() string {
	i := &t.row.Issue
	switch {
	case t.row.Run != "":
		return "a worker of this loop is at it; x stops it"
	case i.Claim == nil && !i.HumanOwned() && i.Assignee == "":
		return t.name + " is not claimed"
	}
	return ""
}

func (t *target) notMergeable() string {
	p := &t.pull.PR
	name := widget.Clean(p.Name)
	switch {
	case p.Draft:
		return name + " is a draft"
	case p.Mergeable == board.MergeConflict:
		return name + " conflicts with its base; U or a cleaner brings it up to date"
	case t.Head != "" && p.HeadSHA != "" && t.Head != p.HeadSHA:
		return name + " has moved since you read it; d shows what is new"
	}
	return ""
}

func (m *Model) notCarried(a keymap.Action, t *target) string {
	switch {
	case m.view != viewBoard || m.home.stripFocus():
		return "rows are carried on the board; 1 goes there"
	case a == keymap.CarryDown && m.home.board.Neighbour(1) == "":
		return t.name + " is the last in its column"
	case a == keymap.CarryUp && m.home.board.Neighbour(-1) == "":
		return t.name + " is the first in its column"
	}
	return ""
}

// url is the page of the pull request, else of the issue.
func (t *target) url() string {
	if t.pull != nil && t.pull.PR.URL != "" && (t.PR != "" || t.row == nil || t.row.Issue.URL == "") {
		return widget.Clean(t.pull.PR.URL)
	}
	if t.row != nil && t.row.Issue.URL != "" {
		return widget.Clean(t.row.Issue.URL)
	}
	return ""
}

// what is the subject's worker in a sentence: the developer on ACM-12.
func (t *target) what() string {
	return "the " + widget.Clean(string(t.worker.Run.Kind)) + " on " + widget.Clean(string(t.worker.Run.Ref))
}

// title is the subject in a menu.
func (t *target) title() string {
	if t.row == nil {
		return t.name
	}
	return strings.TrimSpace(t.name + " " + widget.Clean(t.row.Issue.Title))
}
