package plan

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

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
	if f.Run.Head != "" && f.PR.HeadSHA != f.Run.Head && !f.MergeOnly {
		return settle(f, "the head moved during the review; it is reviewed again",
			state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "a verdict counts for the head it was given on"})
	}
	switch f.Report.Verdict {
	case report.VerdictPass:
		if len(OwnerRequests(&f.Issue, f.PR)) > 0 {
			return sentBack(f)
		}
		return passed(f)
	case report.VerdictChangesRequested:
		return sentBack(f)
	case report.VerdictQuestion:
		return failed(f, "it reported a question without writing one")
	case report.VerdictNone:
	}
	return failed(f, "it gave no verdict")
}

// passed gives the row to its owner.
func passed(f *Finished) []state.Decision {
	return forward(f, "PASS: "+f.PR.Name+" waits for the owner's merge", board.RoleHumanReview,
		fmt.Sprintf(board.SaidPass+"%s. %s waits for your merge.", short(judged(f)), pullText(f.PR)))
}

// sentBack asks for rework: by the verdict, or because a request of the
// owner's stands against a PASS.
func sentBack(f *Finished) []state.Decision {
	why := board.SaidSentBack + short(judged(f)) + "; the findings are on the pull request."
	if f.Report.Verdict == report.VerdictPass {
		why = "VERDICT: PASS, overridden: the owner's request for changes stands.\n\n" + quote(OwnerRequests(&f.Issue, f.PR))
	}
	return forward(f, "changes requested on "+f.PR.Name, board.RoleChangesRequested, why+"\n\n"+pullText(f.PR))
}

// forward is the settlement of a verdict: the state first, the release last.
func forward(f *Finished, outcome string, to board.Role, text string) []state.Decision {
	ds := []state.Decision{move(f, to, board.RoleInProgress), comment(f, board.WithMark(text, mark(f, 0)))}
	return settle(f, outcome, append(ds, release(f)...)...)
}

// judged is the head that a verdict was given on.
func judged(f *Finished) string { return orElse(f.Run.Head, f.PR.HeadSHA) }

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
