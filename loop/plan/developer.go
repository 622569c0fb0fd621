package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

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
		d = append(d, linkPR(f))
	}
	if pending {
		return append(d, state.Decision{Op: state.OpVerify, Ref: f.Run.Ref, PR: f.PR.Name, Why: unsettled(f.PR)})
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

// linkPR links a pull request to its issue. Its text is what the owner is told
// where the board takes no link and the pull request does not name the issue.
func linkPR(f *Finished) state.Decision {
	d := state.Decision{Op: state.OpLinkPR, Ref: f.Run.Ref, PR: f.PR.Name, Why: "not linked to the issue"}
	if !slices.Contains(f.PR.Issues, f.Run.Ref) {
		d.Text = fmt.Sprintf("%s does not name %s", f.PR.Name, f.Run.Ref)
	}
	return d
}

// Verify checks every point that COMPLETE claims (dispatcher-system.md,
// Routing a developer's result 2). It answers the faults, and whether checks
// are still pending or unknown: only green ones are green.
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
	if open := openChildren(&f.Issue); len(open) > 0 {
		faults = append(faults, "sub-issues not done: "+joinRefs(open))
	}
	if open := openBoxes(&f.Issue); len(open) > 0 {
		faults = append(faults, "boxes not ticked: "+strings.Join(open, ", "))
	}
	switch p.Checks {
	case board.ChecksRed:
		faults = append(faults, "checks failed"+namesOf(redChecks(p)))
	case board.ChecksPending, board.ChecksUnknown:
		if !f.Run.VerifyingSince.IsZero() && f.Now.Sub(f.Run.VerifyingSince) >= f.Settings.VerifyWindow {
			faults = append(faults, stillUnsettled(f))
		} else {
			pending = true
		}
	case board.ChecksGreen, board.ChecksNone:
	}
	return faults, pending
}

// unsettled says why checks are neither green nor red.
func unsettled(p *board.PullRequest) string {
	if p.Checks == board.ChecksUnknown {
		return "checks are unknown: " + p.ChecksWhy
	}
	return "checks are pending"
}

// stillUnsettled is the fault once the window of verifying is over.
func stillUnsettled(f *Finished) string {
	if f.PR.Checks == board.ChecksUnknown {
		return fmt.Sprintf("checks still unknown after %s (%s)", f.Settings.VerifyWindow, f.PR.ChecksWhy)
	}
	return fmt.Sprintf("checks still pending after %s", f.Settings.VerifyWindow)
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

func namesOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
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
