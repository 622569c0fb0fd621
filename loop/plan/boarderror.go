package plan

import (
	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// BoardErrors says once of each row that cannot be right what is wrong with it
// (dispatcher-system.md, Rework): a Changes Requested row without a pull
// request has nothing to be reworked and needs its owner.
func BoardErrors(f *Facts) []state.Decision {
	var out []state.Decision
	x := newIndex(f)
	for n := range f.Rows {
		row := &f.Rows[n]
		if row.Role != board.RoleChangesRequested || f.Rests(row.Ref) {
			continue
		}
		if j := x.judge(row); j.Hold != HoldNoPull {
			continue
		}
		out = append(out, state.Decision{
			Op: state.OpComment, Ref: row.Ref, Why: "board error",
			Text: board.AttentionText("Changes Requested without an open pull request; move it to Ready to have it done afresh"),
		})
	}
	return out
}

// LastRun is what a row's last run, which is not in our journal, turns out to
// be when it is looked at before a claim (board-dispatch.md, the last_run
// holds).
type LastRun struct {
	Lives bool   // its worker still runs
	Error string // it cannot be read, so that nothing is known of it
}

// ruleLastRun: a row whose last run still lives, or cannot be read, is not
// dispatched: that could be a second worker on it.
func ruleLastRun(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	last, known := x.LastRuns[i.Ref]
	switch {
	case !known:
		return Judgement{}, false
	case last.Error != "":
		return hold(HoldLastRun, "its last run cannot be read: %s", last.Error), true
	case last.Lives:
		return hold(HoldLastRun, "its last run, %s, still lives", short(i.LastRun)), true
	}
	return Judgement{}, false
}

// openChildren are the sub-issues that a finished task has left open: the
// developer of a legacy task keeps them (dispatcher-system.md, Legacy
// sub-issues).
func openChildren(i *board.Issue) []board.Ref {
	var open []board.Ref
	for _, c := range i.Children {
		if !c.Closed {
			open = append(open, c.Ref)
		}
	}
	return open
}
