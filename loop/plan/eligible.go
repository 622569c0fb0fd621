package plan

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Machine names of the reasons for which a row is not dispatched.
const (
	HoldUnreadable = "unreadable"
	HoldClosed     = "closed"
	HoldNoRole     = "norole"
	HoldBacklog    = "backlog"
	HoldQuestion   = "question"
	HoldReview     = "review"
	HoldHuman      = "human"
	HoldAgent      = "agent"
	HoldParent     = "parent"
	HoldClaim      = "claim"
	HoldWorked     = "worked"
	HoldVerifying  = "verifying"
	HoldRetry      = "retry"
	HoldTaken      = "taken"
	HoldConfirm    = "confirm"
	HoldBlocked    = "blocked"
	HoldCircle     = "circle"
	HoldAttention  = "attention"
	HoldOwner      = "held"
	HoldLastRun    = "lastrun"
	HoldNoPull     = "nopull"
	HoldDraft      = "draft"
	HoldForeignPR  = "foreignpr"
	HoldNoReply    = "noreply"
	HoldUnknown    = "unknownagent"
	HoldSlots      = "slots"
	HoldPaused     = "paused"
	HoldNext       = "next"
	HoldMerged     = "merged"
	HoldQuota      = "quota"
	HoldBudget     = "budget"
	HoldSetup      = "setup"
	HoldAway       = "away"
	HoldTouched    = "touched"
)

// agentLabel is the label prefix that chooses an agent for one issue.
const agentLabel = "agent:"

// Judgement is what the eligibility rules say of one row.
type Judgement struct {
	Kind     board.Kind // who would work it; empty when Hold is set
	Tier     int        // 1 to 3 for developers, 0 for reviewers
	Agent    string     // name of the agent profile
	PR       *board.PullRequest
	SetFirst board.Role // a board error to put right before the claim
	Hold     string     // machine name of the reason, empty when eligible
	Waits    string     // the reason in words
}

func hold(name, format string, args ...any) Judgement {
	return Judgement{Hold: name, Waits: fmt.Sprintf(format, args...)}
}

// rule is one question of the eligibility rules: it answers a judgement that
// holds the row, or false to go on to the next rule.
type rule struct {
	ask   string   // the question, as `why` prints it
	may   []string // the machine names of the reasons for which it can hold a row
	judge func(x *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool)
}

// Judge applies the rules in order and names the queue of an eligible row
// (dispatcher-system.md, Eligibility 1 to 6).
func Judge(f *Facts, i *board.Issue) Judgement { return newIndex(f).judge(i) }

// rules are the questions in the order in which they are asked.
var rules = []rule{
	{"can it be read, and is it open?", []string{HoldUnreadable, HoldClosed, HoldNoRole}, ruleReadable},
	{"is it free of a run of ours?", []string{HoldWorked, HoldVerifying, HoldRetry, HoldTaken}, ruleOurs},
	{"is it in a column that is worked?", []string{HoldBacklog, HoldQuestion, HoldReview}, ruleNever},
	{"is its pull request still to be merged?", []string{HoldMerged}, ruleMerged},
	{"is it nobody's own?", []string{HoldHuman}, ruleHuman},
	{"is it for an agent of ours?", []string{HoldAgent, HoldUnknown}, ruleAgent},
	{"does it stand for itself?", []string{HoldParent}, ruleParent},
	{"is it free of another session's claim?", []string{HoldClaim}, ruleClaim},
	{"is no clean-up left behind on it?", []string{HoldClaim}, ruleCleanUpLeft},
	{"is its last run over?", []string{HoldLastRun}, ruleLastRun},
	{"is it free of your hold?", []string{HoldOwner}, ruleHeld},
	{"can it go on without your attention?", []string{HoldAttention}, ruleAttention},
	{"may it cost more?", []string{HoldBudget}, ruleBudget},
	{"was its question answered?", []string{HoldNoReply}, ruleNoReply},
}

// ruleReadable: a row that cannot be read is its own hold (design.md, section 10).
func ruleReadable(_ *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	switch {
	case i.Unreadable != "":
		return hold(HoldUnreadable, "cannot be read: %s", i.Unreadable), true
	case i.Closed:
		return hold(HoldClosed, ""), true
	case i.Role == board.RoleNone:
		return hold(HoldNoRole, "the state %q has no role", i.State), true
	}
	return Judgement{}, false
}

// ruleOurs: what we work, verify or will retry is not dispatched again. While
// a retry takes over the claim of the try before it, the newer run counts.
func ruleOurs(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	n, ok := x.runs[i.Ref]
	if !ok {
		return Judgement{}, false
	}
	r := &x.Runs[n]
	switch r.Phase {
	case state.PhaseVerifying:
		return hold(HoldVerifying, "verifying: checks of %s are pending", r.PR), true
	case state.PhaseRetrying:
		why := orElse(r.PutOff, r.Failure)
		if bar := x.Bar(r.Kind, r.Agent); bar.Why != "" && !r.NotBefore.After(x.Now) {
			return hold(bar.Hold, "%s; then try %d: %s", bar.Why, r.Attempt+1, why), true
		}
		if r.PutOff != "" {
			return hold(HoldRetry, "try %d goes on at %s: %s", r.Attempt+1, r.NotBefore.UTC().Format("15:04:05Z"), why), true
		}
		return hold(HoldRetry, "try %d at %s: %s", r.Attempt+1, r.NotBefore.UTC().Format("15:04:05Z"), why), true
	case state.PhaseTakenOver:
		return hold(HoldTaken, "you have its %s's session (taken over)", r.Kind), true
	case state.PhaseEnded:
		return hold(HoldWorked, "its %s has finished", r.Kind), true
	case state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting, state.PhaseRunning:
		return hold(HoldWorked, ""), true
	}
	return Judgement{}, false
}

// ruleNever: Backlog and Question are never dispatched, and Human Review is
// the owner's (Eligibility 1; Roles).
func ruleNever(_ *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool) {
	switch i.Role {
	case board.RoleBacklog:
		return hold(HoldBacklog, "in Backlog until you move it"), true
	case board.RoleQuestion:
		return hold(HoldQuestion, "waits for your answer"), true
	case board.RoleHumanReview:
		if pr != nil {
			return hold(HoldReview, "%s waits for your merge", pr.Name), true
		}
		return hold(HoldReview, "waits for your review"), true
	case board.RoleNone, board.RoleReady, board.RoleChangesRequested, board.RoleInProgress, board.RoleDone:
	}
	return Judgement{}, false
}

// ruleMerged: a merged pull request is the end of its issue, whether or not
// the board has closed it yet (dispatcher-system.md, Transitions).
func ruleMerged(_ *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool) {
	if EndedByMerge(i, pr) {
		return hold(HoldMerged, "%s is merged; the board has yet to close the row", pr.Name), true
	}
	return Judgement{}, false
}

// ruleHuman: assignee set and delegate empty is a person's row (Eligibility 2).
func ruleHuman(_ *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if i.HumanOwned() {
		return hold(HoldHuman, "%s works on it", i.Assignee), true
	}
	return Judgement{}, false
}

// ruleAgent: another agent's delegate is left alone (Eligibility 3), and so is
// a row whose label names an agent that does not exist (design.md, section 4).
func ruleAgent(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if !i.Delegate.Ours() {
		return hold(HoldAgent, "delegated to another agent, %s", i.Delegate), true
	}
	if name, ok := agentOf(i); ok && !x.Settings.Agents[name] {
		return hold(HoldUnknown, "the label %s%s names no agent of the configuration", agentLabel, name), true
	}
	return Judgement{}, false
}

// agentOf is the agent that a label of the issue names.
func agentOf(i *board.Issue) (string, bool) {
	for _, l := range i.Labels {
		if name, ok := strings.CutPrefix(strings.ToLower(l), agentLabel); ok {
			return name, true
		}
	}
	return "", false
}

// ruleParent: a child whose parent is in the same milestone is never
// dispatched, the parent is the unit (Eligibility 4).
func ruleParent(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if i.Parent == "" {
		return Judgement{}, false
	}
	if p, ok := x.row(i.Parent); ok && p.Milestone == i.Milestone {
		return hold(HoldParent, "part of %s", i.Parent), true
	}
	return Judgement{}, false
}

// ruleClaim: a fresh claim of another session is left alone (Eligibility 5).
func ruleClaim(x *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	switch {
	case i.Claim == nil:
		return Judgement{}, false
	case i.Claim.Stale(x.Now, x.Settings.StaleWindow) && !x.Lives[i.Ref]:
		return Judgement{}, false
	case i.Claim.Stale(x.Now, x.Settings.StaleWindow):
		return hold(HoldClaim, "another session's worker still lives, its claim is %dm old", i.Claim.Age(x.Now)), true
	}
	return hold(HoldClaim, "another session works on it, %dm", i.Claim.Age(x.Now)), true
}

// ruleHeld: the owner stopped work on the row (design.md, section 4, HELD).
func ruleHeld(_ *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if reason, held := board.Held(i); held {
		return hold(HoldOwner, "%s", strings.TrimSuffix("held by you: "+reason, ": ")), true
	}
	return Judgement{}, false
}

// ruleAttention: "needs human attention" holds every queue (design.md,
// section 4, GAVE UP).
func ruleAttention(_ *index, i *board.Issue, pr *board.PullRequest) (Judgement, bool) {
	head, base := "", ""
	if pr != nil {
		head, base = pr.HeadSHA, pr.BaseSHA
	}
	if reason, held := board.Attention(i, head, base); held {
		return hold(HoldAttention, "needs human attention: %s", reason), true
	}
	return Judgement{}, false
}

// ruleNoReply: a row moved out of Question without a reply is not dispatched
// (dispatcher-system.md, Questions).
func ruleNoReply(_ *index, i *board.Issue, _ *board.PullRequest) (Judgement, bool) {
	if board.MovedWithoutReply(i) {
		return hold(HoldNoReply, "left Question without an answer; comment on it"), true
	}
	return Judgement{}, false
}
