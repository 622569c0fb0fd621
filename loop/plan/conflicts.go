package plan

import (
	"fmt"
	"sort"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// CleanUp is an open pull request in conflict with its base, and whether a
// cleaner may be started on it.
type CleanUp struct {
	PR    board.PullRequest
	Issue board.Issue // whose cleaner it would be; without a ref when it belongs to none
	Waits string      // why no cleaner is started; empty for a candidate
}

// Conflicts are the pull requests that a cleaner may be started on, most behind
// first (dispatcher-system.md, Maintenance, Conflicts). It scans pull requests
// and not rows, those of the owner too, over the whole project. Whether a slot
// is free is another question: Facts.Free.
func Conflicts(f *Facts) []state.Dispatch {
	if f.Mode != state.ModeRunning || f.Settings.Caps.Of(board.KindCleaner) <= 0 {
		return nil
	}
	var out []state.Dispatch
	for _, c := range CleanUps(f) {
		if c.Waits == "" {
			out = append(out, state.Dispatch{
				Issue: c.Issue, Kind: board.KindCleaner, Agent: string(board.KindCleaner), PR: &c.PR,
				Why: fmt.Sprintf("%s conflicts with %s", c.PR.Name, c.PR.Base),
			})
		}
	}
	return out
}

// CleanUps are all open pull requests in conflict, most behind first, each with
// the reason for which its cleaner is not started. What is not known to
// conflict is asked again and is none of them.
func CleanUps(f *Facts) []CleanUp {
	var out []CleanUp
	var x *index
	var rows pullRows
	for n := range f.Pulls {
		p := &f.Pulls[n]
		if p.State != board.PullOpen || p.Mergeable != board.MergeConflict {
			continue
		}
		if x == nil {
			x, rows = newIndex(f), rowsOfPulls(f)
		}
		out = append(out, cleanUp(x, p, rows[n]))
	}
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].PR.Behind != out[b].PR.Behind {
			return out[a].PR.Behind > out[b].PR.Behind
		}
		return out[a].PR.Number < out[b].PR.Number
	})
	return out
}

// cleanUp judges one pull request in conflict.
func cleanUp(x *index, p *board.PullRequest, rows []*board.Issue) CleanUp {
	c := CleanUp{PR: *p}
	for _, i := range rows {
		if x.pull(i) == p && (c.Issue.Ref == "" || c.Issue.Closed) {
			c.Issue = *i
		}
	}
	switch {
	case p.Draft:
		c.Waits = "it is a draft"
	case p.FromFork():
		c.Waits = "it comes from a fork, and only its author can push there"
	case x.CheckedOut == nil:
		c.Waits = "which branches are checked out is not known"
	case x.CheckedOut[p.Head]:
		c.Waits = "its branch is checked out in a worktree"
	case p.HeadSHA == "" || p.BaseSHA == "":
		c.Waits = "where its branches stand is not known"
	case c.Issue.Ref == "":
		c.Waits = "it belongs to no issue of the board"
	}
	if c.Waits == "" {
		c.Waits = cleanRow(x, &c.Issue, p)
	}
	return c
}

// cleanRules are what must hold of the row of a pull request in conflict
// before a cleaner claims it.
var cleanRules = []rule{
	{"can it be read, and is it open?", []string{HoldUnreadable, HoldClosed, HoldNoRole}, ruleReadable},
	{"is it free of a run of ours?", []string{HoldWorked, HoldVerifying, HoldRetry, HoldTaken}, ruleOurs},
	{"is it in a column that is worked?", []string{HoldBacklog, HoldQuestion}, ruleCleanColumn},
	{"is its pull request still to be merged?", []string{HoldMerged}, ruleMerged},
	{"is it nobody's own?", []string{HoldHuman}, ruleHuman},
	{"is it for an agent of ours?", []string{HoldAgent, HoldUnknown}, ruleAgent},
	{"does nobody claim it?", []string{HoldClaim}, ruleUnclaimed},
	{"is its last run over?", []string{HoldLastRun}, ruleLastRun},
	{"is it free of your hold?", []string{HoldOwner}, ruleHeld},
	{"can it go on without your attention?", []string{HoldAttention}, ruleAttention},
	{"may it cost more?", []string{HoldBudget}, ruleBudget},
	{"was its question answered?", []string{HoldNoReply}, ruleNoReply},
	{"is this pair of head and base untried?", []string{HoldAttention}, ruleUntried},
}

// cleanRow says why the row of a pull request in conflict is not cleaned up.
func cleanRow(x *index, i *board.Issue, p *board.PullRequest) string {
	for _, r := range cleanRules {
		if j, held := r.judge(x, i, p); held {
			return orElse(j.Waits, heldWord(j.Hold))
		}
	}
	if rest, held := ruleTouched(x.Facts, i); held {
		return rest.Waits
	}
	if x.Skip[i.Ref] {
		return "it could not be started"
	}
	return ""
}

// ruleCleanColumn: what waits for its owner's word waits, but a pull request in
// Human Review is cleaned up for the merge.
func ruleCleanColumn(x *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool) {
	if i.Role == board.RoleHumanReview {
		return Judgement{}, false
	}
	return ruleNever(x, i, pr)
}

// ruleUnclaimed: a claimed issue is left alone; a stale claim is the stranded
// scan's to settle first.
func ruleUnclaimed(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if i.Claim == nil {
		return Judgement{}, false
	}
	return hold(HoldClaim, "another session works on it, %dm", i.Claim.Age(x.Now)), true
}

// ruleUntried: no second try at the same pair of head and base, read from our
// own comments, so that it survives the loss of every local file.
func ruleUntried(_ *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool) {
	if Attempted(i, pr.HeadSHA, pr.BaseSHA) {
		return hold(HoldAttention, "a cleaner has tried this head and base"), true
	}
	return Judgement{}, false
}

// Attempted says whether a cleaner has failed at a pair of head and base since
// the owner last acted on the issue.
func Attempted(i *board.Issue, head, base string) bool {
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		switch {
		case i.StateBy == board.ActorOwner && i.StateSince.After(c.At), c.Role == board.ActorOwner:
			return false
		case c.Role != board.ActorDispatcher:
			continue
		}
		m, ok := board.ParseMark(c.Body)
		switch {
		case !ok:
		case cleared(m):
			return false
		case m.Kind == board.KindCleaner && m.Try > 0 && m.Head == head && m.Base == base:
			return true
		}
	}
	return false
}

// cleared says whether a machine line is that of a comment by which the loop
// writes down that the owner ended a hold: see Reset.
func cleared(m board.Mark) bool { return m.Run == "" && m.Head == "" && m.Try == 0 }

// conflictTexts are the pull requests in conflict that nobody works on, for
// the status text (dispatcher-system.md, Status text).
func conflictTexts(f *Facts) []string {
	var out []string
	for _, c := range CleanUps(f) {
		if _, ours := f.RunOn(c.Issue.Ref); ours && c.Issue.Ref != "" {
			continue
		}
		why := c.Waits
		if why == "" {
			why = f.Bar(board.KindCleaner, string(board.KindCleaner)).Why
		}
		text := fmt.Sprintf("%s conflicts with %s", c.PR.Name, c.PR.Base)
		if why != "" {
			text += ": " + firstLine(why)
		}
		out = append(out, text)
	}
	return out
}

// refusedTexts are the updates that failed, for the status text.
func refusedTexts(f *Facts) []string {
	var out []string
	for n := range f.Pulls {
		p := &f.Pulls[n]
		if r, ok := f.Refused[p.Name]; ok && p.State == board.PullOpen && p.Behind > 0 && r.Head == p.HeadSHA && r.Base == p.BaseSHA {
			out = append(out, fmt.Sprintf("%s is %d behind and was not updated: %s", p.Name, p.Behind, firstLine(r.Why)))
		}
	}
	return out
}

// ExplainPull says what the next firing does about the open pull request of a
// row that is behind its base or in conflict with it, and why not; false when
// there is nothing to do about it.
func ExplainPull(f *Facts, i *board.Issue) (Answer, bool) {
	x := newIndex(f)
	pr := x.pull(i)
	switch {
	case pr == nil || pr.State != board.PullOpen:
	case pr.Mergeable == board.MergeConflict:
		a := Answer{Ask: "does its pull request merge?", Source: sourcePulls}
		a.Says = fmt.Sprintf("%s conflicts with %s; a cleaner is started when its slot is free", pr.Name, pr.Base)
		if c := cleanUp(x, pr, []*board.Issue{i}); c.Waits != "" {
			a.Held, a.Says = true, fmt.Sprintf("%s conflicts with %s, and no cleaner is started: %s", pr.Name, pr.Base, c.Waits)
		}
		return a, true
	case pr.Behind > 0:
		a := Answer{Ask: "is its pull request up to date?", Source: sourcePulls}
		a.Says = fmt.Sprintf("%s is %d behind %s and is brought up to date", pr.Name, pr.Behind, pr.Base)
		if why := StaysBehind(f, pr, []*board.Issue{i}); why != "" {
			a.Held, a.Says = true, fmt.Sprintf("%s is %d behind %s and stays so: %s", pr.Name, pr.Behind, pr.Base, why)
		}
		return a, true
	}
	return Answer{}, false
}
