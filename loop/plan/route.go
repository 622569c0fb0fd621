package plan

import (
	"fmt"
	"strings"
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
}

// Route decides what becomes of a finished run. The decisions come in the
// order in which they are carried out: the state first, the release last
// (design.md, section 4), and the run leaves the journal after that.
func Route(f *Finished) []state.Decision {
	if d := superseded(f); d != nil {
		return d
	}
	if f.PR != nil && f.PR.State == board.PullMerged && !ownerReopened(f) {
		return settle(f, "its pull request is merged; nothing written",
			act(state.OpRelease, f, ""), notice(f, "%s is merged; the %s's result was not needed", f.PR.Name, f.Run.Kind))
	}
	if d := moved(f); d != nil {
		return d
	}
	if d := parked(f); d != nil {
		return d
	}
	switch f.Run.Kind {
	case board.KindDeveloper:
		return routeDeveloper(f)
	case board.KindReviewer:
		return routeReviewer(f)
	case board.KindCleaner:
	}
	return failed(f, "no route for a "+string(f.Run.Kind))
}

// ownerReopened: a merged pull request older than the row's present work says
// nothing about it.
func ownerReopened(f *Finished) bool {
	return !f.PR.MergedAt.IsZero() && f.PR.MergedAt.Before(f.Run.ClaimedAt)
}

// superseded: the claim is no longer ours, so the row is somebody else's to
// settle. A worker that parked its row has released it itself.
func superseded(f *Finished) []state.Decision {
	c := f.Issue.Claim
	if c != nil && c.Session == f.Run.Session {
		return nil
	}
	if c != nil {
		return settle(f, "superseded: another session holds the row",
			notice(f, "%s was taken over by another session; the %s's result is dropped", f.Run.Ref, f.Run.Kind))
	}
	switch {
	case f.Issue.Role == board.RoleQuestion:
		return settle(f, "parked: question")
	case asked(f) && f.Issue.Role == board.RoleInProgress && f.Issue.StateBy != board.ActorOwner:
		return settle(f, "parked: question", move(f, board.RoleQuestion, board.RoleInProgress))
	}
	return settle(f, "settled: the row is released")
}

// moved: the owner moved the row while the worker ran; the owner's state stays
// (dispatcher-system.md, design rules).
func moved(f *Finished) []state.Decision {
	if f.Issue.Role == board.RoleInProgress || f.Issue.Role == board.RoleQuestion || f.Issue.StateBy != board.ActorOwner {
		return nil
	}
	return settle(f, "left where the owner moved it", act(state.OpRelease, f, ""))
}

// parked makes the three writes of a question whole where the worker missed
// one: the comment, the state, the release (dispatcher-system.md, Questions).
// A row that was parked without a comment gets the worker's last words as its
// question, so that there is something to answer.
func parked(f *Finished) []state.Decision {
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
	return settle(f, "parked: question", append(d, act(state.OpRelease, f, ""))...)
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

// routeDeveloper follows dispatcher-system.md, Routing a developer's result.
func routeDeveloper(f *Finished) []state.Decision {
	if f.Exit.Problem != "" {
		return failed(f, f.Exit.Problem)
	}
	if f.Report.Status != report.StatusComplete {
		return failed(f, reasonOf(f))
	}
	faults, pending := Verify(f)
	if len(faults) > 0 {
		return failed(f, strings.Join(faults, "; "))
	}
	var d []state.Decision
	if !Linked(&f.Issue, f.PR) {
		d = append(d, state.Decision{Op: state.OpLinkPR, Ref: f.Run.Ref, PR: f.PR.Name, Why: "not linked to the issue"})
	}
	if pending {
		return append(d, state.Decision{Op: state.OpVerify, Ref: f.Run.Ref, PR: f.PR.Name, Why: "checks are pending"})
	}
	mark := mark(f, 0)
	mark.Carried = f.Run.Carried
	text := board.WithMark(fmt.Sprintf("%s is ready for review.\n\nHow to verify: %s",
		pullText(f.PR), orElse(f.Report.HowToVerify, "see the pull request")), mark)
	d = append(d,
		comment(f, text),
		state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "complete and verified"})
	return settle(f, "complete: "+f.PR.Name+" goes to review", d...)
}

// Verify checks every point that COMPLETE claims (dispatcher-system.md,
// Routing a developer's result 2). It answers the faults, and whether checks
// are still pending.
func Verify(f *Finished) (faults []string, pending bool) {
	if f.PR == nil || f.PR.State != board.PullOpen {
		return []string{"it reported COMPLETE without an open pull request"}, false
	}
	p := f.PR
	if f.Settings.DefaultBase != "" && p.Base != f.Settings.DefaultBase {
		faults = append(faults, fmt.Sprintf("%s targets %s instead of %s", p.Name, p.Base, f.Settings.DefaultBase))
	}
	if p.Draft {
		faults = append(faults, p.Name+" is a draft")
	}
	if !p.ByAgent {
		faults = append(faults, fmt.Sprintf("%s was opened by %s; reopen it with `dispatcher pr`", p.Name, p.Author))
	}
	if open := openBoxes(&f.Issue); len(open) > 0 {
		faults = append(faults, "boxes not ticked: "+strings.Join(open, ", "))
	}
	switch p.Checks {
	case board.ChecksRed:
		faults = append(faults, "checks failed: "+strings.Join(redChecks(p), ", "))
	case board.ChecksPending:
		if !f.Run.VerifyingSince.IsZero() && f.Now.Sub(f.Run.VerifyingSince) >= f.Settings.VerifyWindow {
			faults = append(faults, fmt.Sprintf("checks still pending after %s", f.Settings.VerifyWindow))
		} else {
			pending = true
		}
	case board.ChecksGreen, board.ChecksNone:
	}
	return faults, pending
}

func openBoxes(i *board.Issue) []string {
	var open []string
	for _, b := range board.Checkboxes(i.Body) {
		if !b.Done {
			open = append(open, fmt.Sprintf("%q", b.Text))
		}
	}
	return open
}

func redChecks(p *board.PullRequest) []string {
	var red []string
	for _, c := range p.CheckRuns {
		if c.State == board.ChecksRed {
			red = append(red, c.Name)
		}
	}
	return red
}

// routeReviewer follows dispatcher-system.md, Routing a reviewer's verdict.
func routeReviewer(f *Finished) []state.Decision {
	if f.Exit.Problem != "" {
		return failed(f, f.Exit.Problem)
	}
	if f.Report.Verdict == report.VerdictNone {
		return failed(f, orElse(f.Report.Why, "it gave no verdict"))
	}
	if f.PR == nil || f.PR.State != board.PullOpen {
		return failed(f, "its pull request is not open any more")
	}
	if f.Run.Head != "" && f.PR.HeadSHA != f.Run.Head {
		return settle(f, "the head moved during the review; it is reviewed again",
			state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "a verdict counts for the head it was given on"})
	}
	requests := OwnerRequests(&f.Issue, f.PR)
	switch f.Report.Verdict {
	case report.VerdictPass:
		if len(requests) > 0 {
			return sendBack(f, "VERDICT: PASS, overridden: the owner's request for changes stands.\n\n"+quote(requests))
		}
		return settle(f, "PASS: "+f.PR.Name+" waits for the owner's merge",
			move(f, board.RoleHumanReview, board.RoleInProgress),
			comment(f, board.WithMark(fmt.Sprintf("VERDICT: PASS at %s. %s waits for your merge.", short(f.PR.HeadSHA), pullText(f.PR)), mark(f, 0))),
			act(state.OpRelease, f, ""))
	case report.VerdictChangesRequested:
		return sendBack(f, "VERDICT: CHANGES_REQUESTED at "+short(f.PR.HeadSHA)+"; the findings are on the pull request.")
	case report.VerdictQuestion:
		return failed(f, "it reported a question without writing one")
	case report.VerdictNone:
	}
	return failed(f, "it gave no verdict")
}

func sendBack(f *Finished, why string) []state.Decision {
	return settle(f, "changes requested on "+f.PR.Name,
		move(f, board.RoleChangesRequested, board.RoleInProgress),
		comment(f, board.WithMark(why+"\n\n"+pullText(f.PR), mark(f, 0))),
		act(state.OpRelease, f, ""))
}

// OwnerRequests are the reviews by people that ask for something and that no
// prompt of a verified developer run has carried yet (design.md, section 8).
func OwnerRequests(i *board.Issue, p *board.PullRequest) []board.Review {
	if p == nil {
		return nil
	}
	carried := map[string]bool{}
	for _, c := range i.Comments {
		if c.Role != board.ActorDispatcher {
			continue
		}
		if m, ok := board.ParseMark(c.Body); ok && m.Kind == board.KindDeveloper && m.Try == 0 {
			for _, id := range m.Carried {
				carried[id] = true
			}
		}
	}
	var open []board.Review
	for _, r := range p.Reviews {
		asks := r.State == board.ReviewChangesRequested || strings.TrimSpace(r.Body) != ""
		if !r.Bot && asks && !carried[r.ID] {
			open = append(open, r)
		}
	}
	return open
}

func quote(rs []board.Review) string {
	var b strings.Builder
	for _, r := range rs {
		b.WriteString(quoteText(r.Body) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func quoteText(s string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n> ")
}
