package plan

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

// Finished is what the routes decide on: a run that is over, and the world as
// it was read after it ended.
type Finished struct {
	Now      time.Time
	Run      state.Run
	Exit     state.WorkerExit
	Report   report.Report
	Issue    board.Issue        // read after the end
	PR       *board.PullRequest // of the issue, nil when there is none
	Settings Settings
	// MergeOnly: the head is where the run began, or went on from there by
	// clean merges of the base alone. Foreign are others than the developer
	// identity who wrote commits since.
	MergeOnly bool
	Foreign   []string
}

// Route decides what becomes of a finished run. The decisions come in the
// order in which they are carried out: the state first, the release last
// (design.md, section 4), and the run leaves the journal after that.
func Route(f *Finished) []state.Decision {
	for _, first := range []func(*Finished) []state.Decision{superseded, merged, moved, parked, stopped} {
		if d := first(f); d != nil {
			return d
		}
	}
	switch f.Run.Kind {
	case board.KindDeveloper:
		return routeDeveloper(f)
	case board.KindReviewer:
		return routeReviewer(f)
	case board.KindCleaner:
		return routeCleaner(f)
	}
	return failed(f, "no route for a "+string(f.Run.Kind))
}

// superseded: the row is somebody else's to settle, or it is settled already.
// A worker that released its row itself is superseded by nobody (design.md,
// section 6), and goes on to be routed.
func superseded(f *Finished) []state.Decision {
	c := f.Issue.Claim
	switch {
	case !f.Issue.Delegate.Ours():
		return elsewhere(f)
	case c != nil && c.Session == f.Run.Session:
		return nil
	case c != nil:
		return settle(f, "superseded: another session holds the row",
			notice(f, "%s was taken over by another session; the %s's result is dropped", f.Run.Ref, f.Run.Kind))
	case f.Issue.HumanOwned():
		return settle(f, "left to "+f.Issue.Assignee)
	case settledBefore(f):
		return settle(f, "settled: the row is released")
	}
	return nil
}

// elsewhere: the owner has given the row to another agent, and nothing of it is
// ours to write, not even a release (dispatcher-system.md, Eligibility 3).
func elsewhere(f *Finished) []state.Decision {
	return settle(f, "left to another agent, "+string(f.Issue.Delegate),
		notice(f, "%s was delegated to another agent, %s; the %s's work is left as it is", f.Run.Ref, f.Issue.Delegate, f.Run.Kind))
}

// settledBefore: nobody holds the row, and it stands as a settlement of ours
// leaves one that was cut just before the run left the journal.
func settledBefore(f *Finished) bool {
	try, commented := settlementComment(f)
	switch f.Issue.Role {
	case board.RoleQuestion:
		return false
	case board.RoleInProgress:
		// Only a developer's row is left at work without a delegate, and one
		// that a clean-up found so.
		left := try > 0 && f.Run.Kind == board.KindDeveloper || f.Run.Kind == board.KindCleaner && foundAtWork(&f.Run)
		return f.Issue.Delegate != board.DelegateNone || commented && left
	case board.RoleNone, board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleHumanReview, board.RoleDone:
	}
	return commented || f.Issue.Delegate != board.DelegateNone || !halfJudged(f)
}

// foundAtWork says whether a clean-up leaves its row where it works on it.
func foundAtWork(r *state.Run) bool {
	return r.PriorRole == board.RoleInProgress || r.PriorRole == board.RoleNone
}

// settlementComment finds the comment that a settlement of this run has
// written, and which failed try it counts.
func settlementComment(f *Finished) (try int, found bool) {
	for _, c := range f.Issue.Comments {
		if m, ok := board.ParseMark(c.Body); ok && c.Role == board.ActorDispatcher && m.Run == f.Run.ID {
			return m.Try, true
		}
	}
	return 0, false
}

// halfJudged: a reviewer's settlement has moved the row and was cut after that.
func halfJudged(f *Finished) bool {
	verdict := f.Issue.Role == board.RoleHumanReview || f.Issue.Role == board.RoleChangesRequested
	return verdict && f.Issue.StateBy == board.ActorDispatcher && f.Run.Kind == board.KindReviewer && f.PR != nil
}

// merged: the pull request was merged while the run was ours, so nothing is
// written (dispatcher-system.md, Routing 1). A merge that came between our
// look at it and our move of the row leaves a row at work that nobody else
// would close.
func merged(f *Finished) []state.Decision {
	if f.PR == nil || f.PR.State != board.PullMerged || olderThanWork(f) {
		return nil
	}
	d := release(f)
	if f.Issue.Role == board.RoleInProgress && f.Issue.StateBy != board.ActorOwner && !EndedByMerge(&f.Issue, f.PR) {
		d = []state.Decision{{Op: state.OpDone, Ref: f.Run.Ref, PR: f.PR.Name, Why: f.PR.Name + " is merged"}}
	}
	return settle(f, "its pull request is merged; nothing written",
		append(d, notice(f, "%s is merged; the %s's result was not needed", f.PR.Name, f.Run.Kind))...)
}

// olderThanWork: a merged pull request older than the row's present work says
// nothing about it.
func olderThanWork(f *Finished) bool {
	return olderThan(f.PR, &f.Run)
}

// olderThan says whether a pull request was merged before the run began.
func olderThan(pr *board.PullRequest, r *state.Run) bool {
	if r.Kind == board.KindCleaner && pr.Name == r.PR {
		return false // the very one that it worked on
	}
	return !pr.MergedAt.IsZero() && pr.MergedAt.Before(r.ClaimedAt)
}

// moved: somebody moved the row while the worker ran, and it stays where it is
// (dispatcher-system.md, design rules). A row that a reviewer's settlement has
// moved before it was cut is settled to its end.
func moved(f *Finished) []state.Decision {
	if f.Issue.Role == board.RoleInProgress || f.Issue.Role == board.RoleQuestion {
		return nil
	}
	if halfJudged(f) {
		if f.Issue.Role == board.RoleHumanReview {
			return passed(f)
		}
		return sentBack(f)
	}
	return settle(f, "left where it was moved", release(f)...)
}

// stopped: a worker that we ended on purpose and that has no answer has not
// failed; its row goes back (dispatcher-system.md, Stopping; design.md,
// section 4: drains consume nothing). One that its owner stopped is held
// whatever it says.
func stopped(f *Finished) []state.Decision {
	if f.Run.Stopped == state.StoppedOwner {
		return heldStop(f)
	}
	answered := f.Report.Status != report.StatusNone || f.Report.Verdict != report.VerdictNone
	if f.Run.Stopped == state.StoppedStall && (!answered || f.Exit.Problem != "") {
		return failed(f, orElse(f.Run.StopNote, "it gave no sign of life"))
	}
	if !f.Exit.Stopped || answered && f.Exit.Problem == "" {
		return nil
	}
	return Restore(&f.Run, &f.Issue, f.PR)
}

// parked makes the three writes of a question whole where the worker missed
// one: the comment, the state, the release (dispatcher-system.md, Questions).
// A row that was parked without a comment gets the worker's last words as its
// question, so that there is something to answer.
func parked(f *Finished) []state.Decision {
	if answered(f) {
		return GiveBack(&f.Run, &f.Issue)
	}
	says := f.Report.Verdict == report.VerdictQuestion || f.Report.Status == report.StatusIncomplete
	inQuestion := f.Issue.Role == board.RoleQuestion
	if !inQuestion && (!says || !asked(f)) {
		return nil
	}
	var d []state.Decision
	if !inQuestion {
		d = append(d, move(f, board.RoleQuestion, board.RoleInProgress))
	}
	if !asked(f) && f.Issue.StateBy != board.ActorOwner {
		d = append(d, comment(f, board.WithMark(fmt.Sprintf("The %s parked this without writing its question. Its last words:\n\n%s",
			f.Run.Kind, quoteText(orElse(f.Report.Text, "(none)"))), mark(f, 0))))
	}
	return settle(f, "parked: question", append(d, release(f)...)...)
}

// answered says whether the row was parked while the run lasted and its owner
// has sent it back to work since: the move stands, and what the worker asked is
// asked no more (dispatcher-system.md, Questions).
func answered(f *Finished) bool {
	i := &f.Issue
	return i.Role == board.RoleInProgress && i.PrevRole == board.RoleQuestion && i.StateBy == board.ActorOwner &&
		i.StateSince.After(f.Run.ClaimedAt)
}

// asked says whether this run's worker wrote a comment since it was claimed.
func asked(f *Finished) bool {
	for _, c := range f.Issue.Comments {
		if c.Role == board.ActorOfKind(f.Run.Kind) && (c.Run == f.Run.ID || (c.Run == "" && c.At.After(f.Run.ClaimedAt.Add(-time.Minute)))) {
			return true
		}
	}
	return false
}
