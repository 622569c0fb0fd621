package plan

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Failed settles a try that failed before its worker could say anything.
func Failed(f *Finished, reason string) []state.Decision { return failed(f, reason) }

// failed settles a failed try: once more with what went wrong, or "needs human
// attention" when the tries are used up (dispatcher-system.md, Routing a
// developer's result 4 and 5, Routing a reviewer's verdict; design.md, section
// 4, retry and GAVE UP). An obstacle that is none of the run's own work uses
// nothing up. A run that has used up what one may cost gives up at once:
// another would cost as much.
func failed(f *Finished, reason string) []state.Decision {
	if ds := putOff(f, reason); ds != nil {
		return ds
	}
	if f.Run.Kind == board.KindCleaner {
		return unresolved(f, reason)
	}
	n := f.Run.Attempt
	if n >= f.Settings.Retry.MaxAttempts || f.Exit.Trouble == state.TroubleSpent {
		return gaveUp(f, reason)
	}
	note := comment(f, board.WithMark(fmt.Sprintf("Try %d of %d by the %s did not finish: %s", n, f.Settings.Retry.MaxAttempts, f.Run.Kind, reason), mark(f, n)))
	if f.Issue.Claim == nil {
		return settle(f, "failed: "+reason+"; its queue tries again", append([]state.Decision{note}, requeue(f)...)...)
	}
	return []state.Decision{
		note,
		{Op: state.OpRetry, Ref: f.Run.Ref, At: f.Now.Add(f.Settings.Retry.Wait(n)), Text: reason, Resume: f.Exit.Cut && f.Run.Stopped == "", Why: "failed"},
	}
}

func gaveUp(f *Finished, reason string) []state.Decision {
	n := f.Run.Attempt
	if f.Run.Kind == board.KindReviewer {
		text := board.WithMark(board.AttentionText(fmt.Sprintf("AI review failed %s - %s", times(n), reason)), mark(f, n))
		return settle(f, "gave up: "+reason,
			comment(f, text),
			state.Decision{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "gave up"},
			notice(f, "%s needs you: the review failed %s - %s", f.Run.Ref, times(n), reason))
	}
	text := board.WithMark(board.AttentionText(fmt.Sprintf("%s - %s", count(n, "failed dispatcher attempt"), reason)), mark(f, n))
	ds := append([]state.Decision{comment(f, text)}, release(f)...)
	return settle(f, "gave up: "+reason,
		append(ds, notice(f, "%s needs you: %s - %s", f.Run.Ref, count(n, "failed attempt"), reason))...)
}

// requeue puts a row that its worker released back into its queue. A row at
// work without a delegate is in the developers' already (dispatcher-system.md,
// Eligibility 6).
func requeue(f *Finished) []state.Decision {
	if f.Run.Kind != board.KindReviewer {
		return nil
	}
	return []state.Decision{{Op: state.OpAssign, Ref: f.Run.Ref, Delegate: board.DelegateReviewer, Why: "failed"}}
}

// Again says what becomes of an armed retry when its wait is over: nothing,
// and then it starts, or decisions that end the run instead.
func Again(f *Finished) []state.Decision {
	c := f.Issue.Claim
	if c != nil && c.Session != f.Run.Session || !f.Issue.Delegate.Ours() {
		return superseded(f)
	}
	if c != nil {
		if d := merged(f); d != nil {
			return d
		}
		_, held := board.Held(&f.Issue)
		open := f.PR != nil && f.PR.State == board.PullOpen && !f.PR.Draft
		if f.Issue.Role == board.RoleInProgress && !held && (open || f.Run.Kind == board.KindDeveloper) {
			return nil
		}
	}
	return GiveBack(&f.Run, &f.Issue)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// Tries is how many tries of a kind have failed since the issue last went
// forward or its owner last acted, read from the board alone, so that it
// survives the loss of every local file (design.md, section 4, retry). A
// review's count is that of the head it judged; head is the pull request's
// now, empty when there is none.
func Tries(i *board.Issue, k board.Kind, head string) int {
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		if i.StateBy == board.ActorOwner && i.StateSince.After(c.At) {
			return 0
		}
		switch c.Role {
		case board.ActorOwner:
			return 0
		case board.ActorDispatcher:
			m, ok := board.ParseMark(c.Body)
			if !ok {
				continue
			}
			if m.Kind == k {
				if k == board.KindReviewer && m.Head != "" && head != "" && m.Head != head {
					return 0
				}
				return m.Try
			}
			if m.Kind == board.KindCleaner && !cleared(m) {
				continue // a clean-up moves nothing forward
			}
			if m.Try == 0 {
				return 0
			}
		case board.ActorAutomation, board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner:
		}
	}
	return 0
}

// Reset is the comment that writes down what an owner's move has ended: a
// hold, or a count of failed tries. The board keeps the last move only, so it
// is written before a dispatch moves the row again. It reports false when the
// move ended nothing.
func Reset(i *board.Issue, k board.Kind, head string) (text string, needed bool) {
	if i.StateBy != board.ActorOwner {
		return "", false
	}
	unmoved := *i
	unmoved.StateBy = ""
	_, attention := board.Attention(&unmoved, head, "")
	_, held := board.Held(&unmoved)
	if !attention && !held && Tries(&unmoved, k, head) == Tries(i, k, head) {
		return "", false
	}
	return board.WithMark(board.ClearedText("the owner moved the row"), board.Mark{Kind: k}), true
}

func mark(f *Finished, try int) board.Mark {
	m := board.Mark{Run: f.Run.ID, Kind: f.Run.Kind, Try: try}
	if f.PR != nil {
		m.Head = f.PR.HeadSHA
	}
	if f.Run.Kind == board.KindCleaner {
		m.Base, m.From, m.Delegate = f.Run.Base, f.Run.PriorRole, f.Run.PriorDelegate
	}
	return m
}

func reasonOf(f *Finished) string {
	if f.Report.Status == "" {
		return orElse(f.Report.Why, "it gave no STATUS")
	}
	return "it reported " + string(f.Report.Status)
}

func settle(f *Finished, outcome string, ds ...state.Decision) []state.Decision {
	return append(ds, state.Decision{Op: state.OpForget, Ref: f.Run.Ref, Text: outcome})
}

func giveUp(f *Finished) state.Decision {
	return state.Decision{Op: state.OpRelease, Ref: f.Run.Ref}
}

// release gives the row up if it is held at all: a release of a row that
// nobody holds would clear the assignee that its owner may have set.
func release(f *Finished) []state.Decision {
	if f.Issue.Claim == nil && f.Issue.Delegate == board.DelegateNone {
		return nil
	}
	return []state.Decision{giveUp(f)}
}

func move(f *Finished, to, from board.Role) state.Decision {
	return state.Decision{Op: state.OpSetState, Ref: f.Run.Ref, Role: to, From: from}
}

func comment(f *Finished, text string) state.Decision {
	return state.Decision{Op: state.OpComment, Ref: f.Run.Ref, Text: text}
}

func notice(f *Finished, format string, args ...any) state.Decision {
	return state.Decision{Op: state.OpNotice, Ref: f.Run.Ref, Text: fmt.Sprintf(format, args...)}
}

func pullText(p *board.PullRequest) string {
	if p.URL != "" {
		return "Pull request " + p.URL
	}
	return "Pull request " + p.Name
}

func short(sha string) string {
	if len(sha) > 8 {
		return sha[:8]
	}
	return sha
}

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}
