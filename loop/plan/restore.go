package plan

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Restore puts the row of a stopped run back (dispatcher-system.md, Stopping,
// the restore table): a developer's claim without a pull request goes to
// Ready, with an open one to Changes Requested, with a merged one nothing is
// written; a review is handed back to the reviewer queue and never released; a
// clean-up's goes back to the state and delegate that it was found in.
func Restore(run *state.Run, issue *board.Issue, pr *board.PullRequest) []state.Decision {
	f := &Finished{Run: *run, Issue: *issue, PR: pr}
	if !issue.Delegate.Ours() {
		return elsewhere(f)
	}
	if issue.Claim == nil || issue.Claim.Session != run.Session {
		return settle(f, "stopped; the row is no longer ours")
	}
	if issue.Role != board.RoleInProgress {
		return settle(f, "stopped; left where it was moved", giveUp(f))
	}
	if run.Kind == board.KindReviewer {
		return settle(f, "stopped: back to the reviewer queue",
			state.Decision{Op: state.OpAssign, Ref: run.Ref, Delegate: board.DelegateReviewer, Why: "stopped"})
	}
	switch {
	case pr != nil && pr.State == board.PullMerged:
		return settle(f, "stopped; its pull request is merged", giveUp(f))
	case run.Kind == board.KindCleaner:
		return settle(f, "stopped: back to "+placeText(run), backToPrior(f)...)
	case pr != nil && pr.State == board.PullOpen:
		return settle(f, "stopped: back to Changes Requested",
			move(f, board.RoleChangesRequested, board.RoleInProgress), giveUp(f))
	}
	return settle(f, "stopped: back to Ready", move(f, board.RoleReady, board.RoleInProgress), giveUp(f))
}

// Revert undoes a dispatch whose worker was never started: the prior role and
// delegate come back, the release last (design.md, section 4, REVERT).
func Revert(run *state.Run, issue *board.Issue) []state.Decision {
	f := &Finished{Run: *run, Issue: *issue}
	if !issue.Delegate.Ours() {
		return elsewhere(f)
	}
	if issue.Claim == nil || issue.Claim.Session != run.Session {
		return settle(f, "not claimed; nothing to undo")
	}
	if issue.Role != board.RoleInProgress && issue.Role != run.PriorRole {
		return settle(f, "reverted; left where it was moved", giveUp(f))
	}
	var d []state.Decision
	if issue.Role != run.PriorRole {
		d = append(d, move(f, run.PriorRole, issue.Role))
	}
	if run.PriorDelegate != board.DelegateNone {
		d = append(d, state.Decision{Op: state.OpAssign, Ref: run.Ref, Delegate: run.PriorDelegate, Why: "reverted"})
		return settle(f, "reverted", d...)
	}
	return settle(f, "reverted", append(d, giveUp(f))...)
}

// GiveBack requeues a row whose worker cannot go on, or is not tried again by
// this loop: In Progress stays, the phase's delegate takes it without
// a claim, and no try is used up (design.md, section 4, drains consume nothing).
func GiveBack(run *state.Run, issue *board.Issue) []state.Decision {
	f := &Finished{Run: *run, Issue: *issue}
	switch {
	case !issue.Delegate.Ours():
		return elsewhere(f)
	case issue.Claim == nil || issue.Claim.Session != run.Session:
		return settle(f, "the row is no longer ours")
	case issue.Role != board.RoleInProgress:
		return settle(f, "left where it was moved", giveUp(f))
	case run.Kind == board.KindCleaner:
		return settle(f, "given back: "+placeText(run), backToPrior(f)...)
	}
	return settle(f, "given back to the queue",
		state.Decision{Op: state.OpAssign, Ref: run.Ref, Delegate: board.DelegateOf(run.Kind), Why: "given back"})
}

// revivals is how often a run may go on that died with its loop: what
// takes the machine down with it is not tried for ever.
const revivals = 2

// Revive lets a run go on that died while no loop ran, its agent, its supervisor
// and the loop together: in its session, as the same try, if its row is still
// where it left it. What cannot go on is given back.
func Revive(now time.Time, run *state.Run, issue *board.Issue) []state.Decision {
	held := issue.Delegate.Ours() && issue.Claim != nil && issue.Claim.Session == run.Session && issue.Role == board.RoleInProgress
	if !held || run.Kind == board.KindCleaner || run.PutOffs.Cut >= revivals {
		return GiveBack(run, issue)
	}
	return []state.Decision{{
		Op: state.OpRetry, Ref: run.Ref, At: now, Text: "it died while no loop ran", PutOff: state.PutOffCut, Resume: true, Why: "revived",
	}}
}

// EndedByMerge says whether the merge of its pull request was the end of the
// issue: the pull request is merged, and the row has not been taken up again
// since. It was if its owner moved it after the merge, or if it is at work or
// ready for work by a move after it: nothing but an owner's reopening leads
// there (dispatcher-system.md, Transitions).
func EndedByMerge(i *board.Issue, pr *board.PullRequest) bool {
	if pr == nil || pr.State != board.PullMerged {
		return false
	}
	if !i.StateSince.After(pr.MergedAt) {
		return true
	}
	return i.StateBy != board.ActorOwner && i.Role != board.RoleInProgress && i.Role != board.RoleReady
}

// Merged finds the rows that automation closes: their pull request is merged
// and nobody has taken them up again since (design.md, section 8, Who writes
// Done).
func Merged(f *Facts) []state.Decision {
	var out []state.Decision
	x := newIndex(f)
	for n := range f.Rows {
		row := &f.Rows[n]
		if row.Closed || row.Unreadable != "" {
			continue
		}
		if _, ours := x.runs[row.Ref]; ours {
			continue
		}
		if pr := x.pull(row); EndedByMerge(row, pr) {
			out = append(out, state.Decision{Op: state.OpDone, Ref: row.Ref, PR: pr.Name, Why: pr.Name + " is merged"})
		}
	}
	return out
}

// heldStop settles a run that the owner stopped: state and delegate stay, the
// claim goes, and a tagged comment holds the row in every loop (design.md,
// section 4, HELD).
func heldStop(f *Finished) []state.Decision {
	said := comment(f, board.WithMark(board.HeldText(f.Run.StopNote), mark(f, 0)))
	if f.Run.Kind == board.KindCleaner {
		return settle(f, "stopped and held by you; back to "+placeText(&f.Run), append([]state.Decision{said}, backToPrior(f)...)...)
	}
	return settle(f, "stopped and held by you",
		said,
		state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateOf(f.Run.Kind), Why: "held"})
}
