package plan

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

// CleanUpStarts is the comment that a clean-up begins with: what another
// machine needs to put the row back if this one never comes back (design.md,
// section 10).
func CleanUpStarts(run *state.Run, pr *board.PullRequest) string {
	text := fmt.Sprintf("%s conflicts with %s; a cleaner merges %s into it. The row goes back to %s when that is done.",
		pullText(pr), pr.Base, pr.Base, placeText(run))
	return board.WithMark(text, board.Mark{
		Kind: board.KindCleaner, Head: pr.HeadSHA, Base: pr.BaseSHA, From: run.PriorRole, Delegate: run.PriorDelegate,
	})
}

// placeText is where a clean-up found its row, in words.
func placeText(run *state.Run) string {
	text := run.PriorRole.DefaultName()
	if run.PriorDelegate != board.DelegateNone {
		text += fmt.Sprintf(", delegated to the %s", run.PriorDelegate)
	}
	return text
}

// routeCleaner follows dispatcher-system.md, Routing a cleaner's result.
// Whether anything was resolved by hand is what git says, never the report
// (design.md, section 7, Reports).
func routeCleaner(f *Finished) []state.Decision {
	if f.Exit.Problem != "" {
		return failed(f, f.Exit.Problem)
	}
	if f.Report.Status != report.StatusComplete {
		return failed(f, reasonOf(f))
	}
	faults, pending := VerifyCleanUp(f)
	switch {
	case len(faults) > 0:
		return failed(f, strings.Join(faults, "; "))
	case pending:
		return []state.Decision{{Op: state.OpVerify, Ref: f.Run.Ref, PR: f.PR.Name, Why: unsettled(f.PR)}}
	case !f.MergeOnly && reviewNext(&f.Run):
		return byHand(f)
	}
	return cleanedUp(f)
}

// VerifyCleanUp checks what a clean-up must have reached: the pull request is
// open and mergeable, its checks are green, and what was added is by the
// developer identity. It answers the faults, and whether something is still
// pending. A base that moved on after the merge is a new conflict and no fault
// of this one.
func VerifyCleanUp(f *Finished) (faults []string, pending bool) {
	p := f.PR
	if p == nil || p.State != board.PullOpen || f.Run.PR != "" && p.Name != f.Run.PR {
		return []string{"its pull request is not open any more"}, false
	}
	late := !f.Run.VerifyingSince.IsZero() && f.Now.Sub(f.Run.VerifyingSince) >= f.Settings.VerifyWindow
	wait := func(fault string) {
		if late {
			faults = append(faults, fault)
		} else {
			pending = true
		}
	}
	switch p.Mergeable {
	case board.MergeConflict:
		if p.BaseSHA == f.Run.Base || p.HeadSHA == f.Run.Head {
			faults = append(faults, fmt.Sprintf("%s still conflicts with %s", p.Name, p.Base))
		}
	case board.MergeClean:
	case board.MergeUnknown:
		wait(fmt.Sprintf("whether %s merges is still not known after %s", p.Name, f.Settings.VerifyWindow))
	default:
		wait(fmt.Sprintf("whether %s merges is still not known after %s", p.Name, f.Settings.VerifyWindow))
	}
	switch p.Checks {
	case board.ChecksRed:
		faults = append(faults, "checks failed"+namesOf(redChecks(p)))
	case board.ChecksPending, board.ChecksUnknown:
		wait(stillUnsettled(f))
	case board.ChecksGreen, board.ChecksNone:
	}
	if len(f.Foreign) > 0 {
		faults = append(faults, "commits that are not the developer identity's, by "+strings.Join(f.Foreign, ", "))
	}
	return faults, pending
}

// reviewNext says whether what was resolved by hand goes to review now. Work
// that had not come as far as a review goes back to its developer and is
// reviewed after that: a clean-up never promotes.
func reviewNext(run *state.Run) bool {
	switch run.PriorRole {
	case board.RoleHumanReview, board.RoleChangesRequested:
		return true
	case board.RoleInProgress:
		return run.PriorDelegate == board.DelegateReviewer
	case board.RoleNone, board.RoleBacklog, board.RoleReady, board.RoleQuestion, board.RoleDone:
	}
	return false
}

// byHand sends a merge that was resolved by hand to review.
func byHand(f *Finished) []state.Decision {
	text := fmt.Sprintf("%s: %s is merged in. Git could not do it alone, so what was resolved by hand is reviewed.", pullText(f.PR), f.PR.Base)
	return settle(f, "merged by hand: "+f.PR.Name+" goes to review",
		comment(f, board.WithMark(text, mark(f, 0))),
		state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "resolved by hand"})
}

// cleanedUp puts the row back where it came from.
func cleanedUp(f *Finished) []state.Decision {
	how := "Nothing had to be resolved by hand."
	if !f.MergeOnly {
		how = "What was resolved by hand is reviewed with the rest, later."
	}
	text := fmt.Sprintf("%s: %s is merged in. %s The row goes back to %s.", pullText(f.PR), f.PR.Base, how, placeText(&f.Run))
	ds := append([]state.Decision{comment(f, board.WithMark(text, mark(f, 0)))}, backToPrior(f)...)
	return settle(f, "merged: back to "+placeText(&f.Run), ds...)
}

// unresolved gives a clean-up up at once: its pair of head and base is not
// tried again, and the row goes back.
func unresolved(f *Finished, reason string) []state.Decision {
	text := "conflict resolution failed - " + reason
	more := ""
	if f.PR != nil && f.Run.Head != "" && f.PR.HeadSHA != f.Run.Head && !f.MergeOnly {
		more = "\n\nWhat it pushed has not been reviewed."
	}
	ds := append([]state.Decision{
		comment(f, board.WithMark(board.AttentionText(text)+more, mark(f, max(1, f.Run.Attempt)))),
	}, backToPrior(f)...)
	return settle(f, "gave up: "+reason, append(ds, notice(f, "%s needs you: %s", f.Run.Ref, text))...)
}

// backToPrior restores the state and delegate that a clean-up came from, the
// release last (dispatcher-system.md, Stopping, the restore table).
func backToPrior(f *Finished) []state.Decision {
	var ds []state.Decision
	if to := f.Run.PriorRole; to != board.RoleNone && to != f.Issue.Role {
		ds = append(ds, move(f, to, f.Issue.Role))
	}
	if f.Run.PriorDelegate != board.DelegateNone {
		return append(ds, state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: f.Run.PriorDelegate, Why: "restored"})
	}
	return append(ds, release(f)...)
}

// MergeScoped says whether the next review judges the last merge only: a
// cleaner resolved it by hand, and everything before it had passed.
func MergeScoped(i *board.Issue, head string) bool {
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		if i.StateBy == board.ActorOwner && i.StateSince.After(c.At) {
			return false
		}
		m, ok := board.ParseMark(c.Body)
		if c.Role != board.ActorDispatcher || !ok || m.Run == "" || m.Try > 0 {
			continue
		}
		return m.Kind == board.KindCleaner && m.From == board.RoleHumanReview && head != "" && m.Head == head
	}
	return false
}

// LeftCleanUps are the rows that a session left behind in the middle of a
// clean-up, each as the run that puts it back (design.md, section 6: a clean-up
// claim says where its row was, so that another machine can restore it).
func LeftCleanUps(f *Facts) []state.Run {
	if f.Mode != state.ModeRunning {
		return nil
	}
	x := newIndex(f)
	var out []state.Run
	for n := range f.Others {
		i := &f.Others[n]
		if from, delegate, ok := leftCleanUp(x, i); ok {
			out = append(out, state.Run{
				Ref: i.Ref, Kind: board.KindCleaner, Agent: string(board.KindCleaner), Attempt: 1, Phase: state.PhaseClaiming,
				Title: i.Title, Milestone: i.Milestone, PriorRole: from, PriorDelegate: delegate,
			})
		}
	}
	return out
}

// leftCleanUp says where a row was before a clean-up that nobody goes on with.
// The claim names the state; the delegate stands in the comment that the
// clean-up began with, and is left as it is where that is gone. A claim that only
// another account can delete stands on when the row is back: then nothing is left.
func leftCleanUp(x *index, i *board.Issue) (board.Role, board.Delegate, bool) {
	if !stranded(x, i) || i.Claim.Kind != board.KindCleaner || i.Role != board.RoleInProgress {
		return board.RoleNone, board.DelegateNone, false
	}
	from, delegate := i.Claim.From, i.Delegate
	for n := len(i.Comments) - 1; n >= 0; n-- {
		m, ok := board.ParseMark(i.Comments[n].Body)
		if ok && i.Comments[n].Role == board.ActorDispatcher && m.Kind == board.KindCleaner && m.Run == "" && m.Head != "" {
			if from == board.RoleNone {
				from = m.From
			}
			delegate = m.Delegate
			break
		}
	}
	if from != board.RoleInProgress && from != board.RoleNone && !delegate.Ours() {
		delegate = board.DelegateNone
	}
	if i.Claim.Account != "" && from == i.Role && delegate == i.Delegate {
		return board.RoleNone, board.DelegateNone, false
	}
	return from, delegate, from != board.RoleNone
}

// ruleCleanUpLeft: a row that a clean-up left behind is put back before anybody
// works it.
func ruleCleanUpLeft(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if from, _, left := leftCleanUp(x, i); left {
		return hold(HoldClaim, "a clean-up was left behind; the row goes back to %s", from.DefaultName()), true
	}
	return Judgement{}, false
}
