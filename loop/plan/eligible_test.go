package plan_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

const (
	backlog, ready, rework, work = board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleInProgress
	question, review, done       = board.RoleQuestion, board.RoleHumanReview, board.RoleDone
)

// gaveUpText is the dispatcher's comment on a row that it gave up.
func gaveUpText(k board.Kind, head string) string {
	return board.WithMark(board.AttentionText("2 failed dispatcher attempts - no report"), board.Mark{Run: "r", Kind: k, Try: 2, Head: head})
}

// TestEligibility holds the rules to the lines of the specification that they
// implement, in the order of the specification, and shows which of two reasons
// is named.
func TestEligibility(t *testing.T) {
	t.Parallel()
	const me = "DSP-1"
	mine := func(p state.Phase) func(*plan.Facts) {
		return func(f *plan.Facts) {
			r := running(me, board.KindDeveloper)
			r.Phase, r.PR, r.NotBefore, r.Failure = p, "#7", noon.Add(10e9), "red"
			f.Runs = append(f.Runs, r)
		}
	}
	with := func(rows ...board.Issue) func(*plan.Facts) {
		return func(f *plan.Facts) { f.Rows = append(f.Rows, rows...) }
	}
	pr := func(ps ...board.PullRequest) func(*plan.Facts) {
		return func(f *plan.Facts) { f.Pulls = append(f.Pulls, ps...) }
	}
	type edits []func(*plan.Facts)
	cases := []struct {
		line  string // of dispatcher-system.md, or of design.md where it says so
		name  string
		issue board.Issue
		facts edits
		hold  string
		waits string // part of the reason
		kind  board.Kind
		tier  int
		first board.Role
	}{
		// Eligibility 1, and the columns that are nobody's to dispatch.
		{line: "1 Backlog and Question: never", name: "backlog", issue: row(me, backlog), hold: plan.HoldBacklog, waits: "until you move it"},
		{line: "1 Backlog and Question: never", name: "question", issue: row(me, question), hold: plan.HoldQuestion, waits: "your answer"},
		{line: "Delegate and claim: Human Review is the owner's", name: "human review", issue: row(me, review), facts: edits{pr(pull(7, me))}, hold: plan.HoldReview, waits: "#7 waits for your merge"},
		{line: "Delegate and claim: Human Review is the owner's", name: "human review, no pull request", issue: row(me, review), hold: plan.HoldReview, waits: "your review"},
		{line: "Roles: a state no role names is left alone", name: "no role", issue: row(me, board.RoleNone, func(i *board.Issue) { i.State = "Icebox" }), hold: plan.HoldNoRole, waits: "Icebox"},
		{line: "Roles: done", name: "done", issue: row(me, done), hold: plan.HoldClosed},
		{line: "design 10: a broken file is that row's hold", name: "unreadable", issue: row(me, ready, func(i *board.Issue) { i.Unreadable = "cut" }), hold: plan.HoldUnreadable, waits: "cut"},

		// Eligibility 2.
		{line: "2 Assignee set and delegate null", name: "a person's", issue: row(me, ready, func(i *board.Issue) { i.Assignee = "ann" }), hold: plan.HoldHuman, waits: "ann works on it"},
		{line: "2 Assignee set and delegate null", name: "assignee of a delegated row", issue: row(me, work, delegated("developer"), func(i *board.Issue) { i.Assignee = "key" }), kind: board.KindDeveloper, tier: 1},

		// Eligibility 3.
		{line: "3 Delegate not one of the two agents", name: "another agent's", issue: row(me, ready, delegated("codegen")), hold: plan.HoldAgent, waits: "codegen"},
		{line: "design 4: unknown agent is a hold", name: "unknown agent label", issue: row(me, ready, labelled("agent:nobody")), hold: plan.HoldUnknown, waits: "agent:nobody"},
		{line: "design 4: agent by label", name: "known agent label", issue: row(me, ready, labelled("Agent:Fast")), kind: board.KindDeveloper, tier: 3},

		// Eligibility 4.
		{line: "4 Parent issue in the same milestone", name: "child", issue: row(me, ready, func(i *board.Issue) { i.Parent = "DSP-2" }), facts: edits{with(row("DSP-2", backlog))}, hold: plan.HoldParent, waits: "part of DSP-2"},
		{line: "4 Parent issue in the same milestone", name: "parent in another milestone", issue: row(me, ready, func(i *board.Issue) { i.Parent = "DSP-2" }), facts: edits{with(row("DSP-2", ready, func(i *board.Issue) { i.Milestone = "m2" }))}, kind: board.KindDeveloper, tier: 3},
		{line: "4 Parent issue in the same milestone", name: "parent not read", issue: row(me, ready, func(i *board.Issue) { i.Parent = "DSP-2" }), kind: board.KindDeveloper, tier: 3},

		// Eligibility 5.
		{line: "5 Fresh claim from another session", name: "fresh claim", issue: row(me, work, claimed("other", 12)), hold: plan.HoldClaim, waits: "12m"},
		{line: "5 Fresh claim from another session", name: "at the edge", issue: row(me, work, claimed("other", 90)), hold: plan.HoldClaim},
		{line: "5 Stale = older than claimStaleMinutes", name: "stale claim", issue: row(me, work, claimed("other", 91)), kind: board.KindDeveloper, tier: 1},
		{line: "design 6: and no sign of life", name: "stale claim of a living worker", issue: row(me, work, claimed("other", 91)), facts: edits{func(f *plan.Facts) { f.Lives = map[board.Ref]bool{me: true} }}, hold: plan.HoldClaim, waits: "still lives"},
		{line: "design 6: stale = lease expired", name: "expired lease", issue: row(me, work, claimed("other", 1), func(i *board.Issue) { i.Claim.LeaseUntil = ago(0).Add(-1) }), kind: board.KindDeveloper, tier: 1},
		{line: "design 6: an expired lease only permits takeover", name: "old stamp under a lease", issue: row(me, work, claimed("other", 500), func(i *board.Issue) { i.Claim.LeaseUntil = noon.Add(60e9) }), hold: plan.HoldClaim},
		{line: "design 6: a stamp in the future is treated as fresh", name: "future stamp", issue: row(me, work, claimed("other", -30)), hold: plan.HoldClaim, waits: "0m"},

		// Eligibility 6: queues and tiers.
		{line: "6 reviewer queue", name: "review", issue: row(me, work, delegated("reviewer")), facts: edits{pr(pull(7, me))}, kind: board.KindReviewer, tier: 0},
		{line: "6 reviewer queue: open", name: "review without a pull request", issue: row(me, work, delegated("reviewer")), hold: plan.HoldNoPull, waits: "without an open pull request"},
		{line: "6 reviewer queue: open", name: "review of a closed one", issue: row(me, work, delegated("reviewer")), facts: edits{pr(pull(7, me, shut))}, hold: plan.HoldNoPull},
		{line: "6 reviewer queue: non-draft", name: "review of a draft", issue: row(me, work, delegated("reviewer")), facts: edits{pr(pull(7, me, draft))}, hold: plan.HoldDraft, waits: "#7 is a draft"},
		{line: "6 tier 1: developer delegate", name: "tier 1", issue: row(me, work, delegated("developer")), kind: board.KindDeveloper, tier: 1},
		{line: "6 tier 1: or none", name: "tier 1 without a delegate", issue: row(me, work), kind: board.KindDeveloper, tier: 1},
		{line: "6 tier 1 asks for no label and no blocker", name: "tier 1, label and blocker", issue: row(me, work, labelled("Confirm with user"), blockedBy("DSP-9", true)), kind: board.KindDeveloper, tier: 1},
		{line: "6 tier 2", name: "rework", issue: row(me, rework), facts: edits{pr(pull(7, me))}, kind: board.KindDeveloper, tier: 2},
		{line: "Rework: Changes Requested with no PR", name: "rework without a pull request", issue: row(me, rework), hold: plan.HoldNoPull},
		{line: "6 tier 3", name: "ready", issue: row(me, ready), kind: board.KindDeveloper, tier: 3},
		{line: "Rework: a Ready row with an open PR is a board error", name: "ready with our pull request", issue: row(me, ready), facts: edits{pr(pull(7, me))}, kind: board.KindDeveloper, tier: 2, first: rework},
		{line: "design 4: linked pull request by anyone else", name: "ready with a person's pull request", issue: row(me, ready), facts: edits{pr(pull(7, me, foreign))}, hold: plan.HoldForeignPR, waits: "PR #7 by ann links it"},
		{line: "6 tier 3", name: "ready with a closed pull request", issue: row(me, ready), facts: edits{pr(pull(7, me, shut))}, kind: board.KindDeveloper, tier: 3},

		// Eligibility 6: what tiers 2 and 3 also require.
		{line: "6 no Confirm with user label", name: "confirm", issue: row(me, ready, labelled("confirm WITH user")), hold: plan.HoldConfirm, waits: "Confirm with user"},
		{line: "6 no Confirm with user label", name: "confirm, rework", issue: row(me, rework, labelled("Confirm with user")), facts: edits{pr(pull(7, me))}, hold: plan.HoldConfirm},
		{line: "6 no open blocker", name: "blocked", issue: row(me, ready, blockedBy("DSP-8", false), blockedBy("DSP-9", true)), hold: plan.HoldBlocked, waits: "blocked by DSP-9"},
		{line: "6 no open blocker", name: "blocker closed", issue: row(me, ready, blockedBy("DSP-8", false)), kind: board.KindDeveloper, tier: 3},
		{line: "6 no open blocker", name: "blocked, rework", issue: row(me, rework, blockedBy("DSP-9", true)), facts: edits{pr(pull(7, me))}, hold: plan.HoldBlocked},

		// design.md, section 4: what holds every queue.
		{line: "design 4: attention applies to every queue", name: "given up, ready", issue: row(me, ready, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))), hold: plan.HoldAttention, waits: "no report"},
		{line: "design 4: attention applies to every queue", name: "given up, tier 1", issue: row(me, work, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))), hold: plan.HoldAttention},
		{line: "design 4: attention applies to every queue", name: "given up, review", issue: row(me, work, delegated("reviewer"), said(10, board.ActorDispatcher, gaveUpText(board.KindReviewer, "aaaaaaaaaaaa"))), facts: edits{pr(pull(7, me))}, hold: plan.HoldAttention},
		{line: "design 4: for the reviewer also when the head moves", name: "given up review, head moved", issue: row(me, work, delegated("reviewer"), said(10, board.ActorDispatcher, gaveUpText(board.KindReviewer, "0ld"))), facts: edits{pr(pull(7, me))}, kind: board.KindReviewer, tier: 0},
		{line: "design 4: it ends on an owner's comment", name: "owner replied", issue: row(me, work, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, "")), said(5, board.ActorOwner, "go on")), kind: board.KindDeveloper, tier: 1},
		{line: "design 4: or move", name: "owner moved it", issue: row(me, ready, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, "")), movedBy(board.ActorOwner, 5, work)), kind: board.KindDeveloper, tier: 3},
		{line: "design 4: HELD", name: "held by the owner", issue: row(me, work, said(10, board.ActorDispatcher, board.HeldText("let me look"))), hold: plan.HoldOwner, waits: "let me look"},
		{line: "design 4: HELD", name: "held without a word", issue: row(me, ready, said(10, board.ActorDispatcher, board.HeldText(""))), hold: plan.HoldOwner, waits: "held by you"},
		{line: "design 4: HELD ends by clear hold", name: "hold cleared", issue: row(me, ready, said(10, board.ActorDispatcher, board.HeldText("")), said(9, board.ActorDispatcher, board.ClearedText(""))), kind: board.KindDeveloper, tier: 3},
		{line: "Questions: moved out of Question without a reply", name: "no reply", issue: row(me, ready, said(20, board.ActorDeveloper, "a or b?"), movedBy(board.ActorOwner, 5, question)), hold: plan.HoldNoReply, waits: "without an answer"},
		{line: "Questions: replying and moving", name: "replied", issue: row(me, ready, said(20, board.ActorDeveloper, "a or b?"), said(6, board.ActorOwner, "a"), movedBy(board.ActorOwner, 5, question)), kind: board.KindDeveloper, tier: 3},

		// What is ours already.
		{line: "design 5: one run a row", name: "running", issue: row(me, work), facts: edits{mine(state.PhaseRunning)}, hold: plan.HoldWorked},
		{line: "design 5: one run a row", name: "claiming", issue: row(me, ready), facts: edits{mine(state.PhaseClaiming)}, hold: plan.HoldWorked},
		{line: "design 5: one run a row", name: "ended", issue: row(me, work), facts: edits{mine(state.PhaseEnded)}, hold: plan.HoldWorked, waits: "has finished"},
		{line: "design 7: verifying", name: "verifying", issue: row(me, work), facts: edits{mine(state.PhaseVerifying)}, hold: plan.HoldVerifying, waits: "checks of #7"},
		{line: "design 4: while a retry is armed", name: "retrying", issue: row(me, work), facts: edits{mine(state.PhaseRetrying)}, hold: plan.HoldRetry, waits: "try 2 at 12:00:10Z: red"},

		// A merged pull request is the end of its issue, whoever closes it.
		{line: "Transitions: if it reads MERGED, write nothing", name: "merged, in the developer queue", issue: row(me, work, movedBy(board.ActorDispatcher, 30, ready)), facts: edits{pr(pull(7, me, merged(5)))}, hold: plan.HoldMerged, waits: "#7 is merged"},
		{line: "Transitions: if it reads MERGED, write nothing", name: "merged, in the reviewer queue", issue: row(me, work, delegated("reviewer"), movedBy(board.ActorDispatcher, 30, ready)), facts: edits{pr(pull(7, me, merged(5)))}, hold: plan.HoldMerged},
		{line: "Transitions: the owner decides", name: "reopened after the merge", issue: row(me, ready, movedBy(board.ActorOwner, 5, done)), facts: edits{pr(pull(7, me, merged(20)))}, kind: board.KindDeveloper, tier: 3},
		{line: "Transitions: the owner decides", name: "reopened, and given back by us", issue: row(me, work, movedBy(board.ActorDispatcher, 5, ready)), facts: edits{pr(pull(7, me, merged(20)))}, kind: board.KindDeveloper, tier: 1},

		// Which of two reasons is named.
		{line: "order", name: "backlog before a person", issue: row(me, backlog, func(i *board.Issue) { i.Assignee = "ann" }), hold: plan.HoldBacklog},
		{line: "order", name: "a person before the claim", issue: row(me, work, claimed("other", 1), func(i *board.Issue) { i.Assignee = "ann" }), hold: plan.HoldHuman},
		{line: "order", name: "another agent before the parent", issue: row(me, ready, delegated("codegen"), func(i *board.Issue) { i.Parent = "DSP-2" }), facts: edits{with(row("DSP-2", ready))}, hold: plan.HoldAgent},
		{line: "order", name: "parent before the claim", issue: row(me, work, claimed("other", 1), func(i *board.Issue) { i.Parent = "DSP-2" }), facts: edits{with(row("DSP-2", ready))}, hold: plan.HoldParent},
		{line: "order", name: "claim before attention", issue: row(me, work, claimed("other", 1), said(5, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))), hold: plan.HoldClaim},
		{line: "order", name: "held before attention", issue: row(me, work, said(5, board.ActorDispatcher, gaveUpText(board.KindDeveloper, "")), said(4, board.ActorDispatcher, board.HeldText("x"))), hold: plan.HoldOwner},
		{line: "order", name: "attention before no reply", issue: row(me, ready, said(20, board.ActorDeveloper, "?"), movedBy(board.ActorOwner, 9, question), said(5, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))), hold: plan.HoldAttention},
		{line: "order", name: "no reply before the label", issue: row(me, ready, labelled("Confirm with user"), said(20, board.ActorDeveloper, "?"), movedBy(board.ActorOwner, 9, question)), hold: plan.HoldNoReply},
		{line: "order", name: "another's pull request before the label", issue: row(me, ready, labelled("Confirm with user")), facts: edits{pr(pull(7, me, foreign))}, hold: plan.HoldForeignPR},
		{line: "order", name: "label before the blocker", issue: row(me, ready, labelled("Confirm with user"), blockedBy("DSP-9", true)), hold: plan.HoldConfirm},
		{line: "order", name: "unreadable before everything", issue: row(me, done, func(i *board.Issue) { i.Unreadable = "newer" }), hold: plan.HoldUnreadable},
		{line: "order", name: "ours before the column", issue: row(me, backlog), facts: edits{mine(state.PhaseRunning)}, hold: plan.HoldWorked},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := facts([]board.Issue{c.issue})
			for _, e := range c.facts {
				e(f)
			}
			j := plan.Judge(f, &f.Rows[0])
			if j.Hold != c.hold || j.Kind != c.kind || j.Tier != c.tier || j.SetFirst != c.first {
				t.Fatalf("%s: judged %+v, want hold %q kind %q tier %d first %q", c.line, j, c.hold, c.kind, c.tier, c.first)
			}
			if !strings.Contains(j.Waits, c.waits) || (c.hold == "") != (j.Waits == "") && c.hold != plan.HoldClosed && c.hold != plan.HoldWorked {
				t.Fatalf("%s: waits %q, want %q in it", c.line, j.Waits, c.waits)
			}
		})
	}
}

// TestAgentOfARow: the label chooses the developer's agent; reviewers keep
// theirs.
func TestAgentOfARow(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{
		row("DSP-1", ready, labelled("agent:fast")),
		row("DSP-2", work, delegated("reviewer"), labelled("agent:fast")),
		row("DSP-3", ready),
	}, pull(7, "DSP-2"))
	for n, want := range []string{"fast", "reviewer", "developer"} {
		if j := plan.Judge(f, &f.Rows[n]); j.Agent != want {
			t.Errorf("%s is worked by %q, want %q", f.Rows[n].Ref, j.Agent, want)
		}
	}
}

// TestPullOf: which pull request is an issue's (dispatcher-system.md, One
// task, one PR).
func TestPullOf(t *testing.T) {
	t.Parallel()
	bare := func(n int, head string, edits ...func(*board.PullRequest)) board.PullRequest {
		p := pull(n, "DSP-3", edits...)
		p.Head, p.Issues, p.URL = head, nil, "https://forge.test/o/r/pull/"+p.Name[1:]
		return p
	}
	ours := func(p *board.PullRequest) { p.ByAgent = true }
	strangers := func(p *board.PullRequest) { p.ByAgent = false }
	by := func(prs ...string) board.Issue {
		i := row("DSP-3", ready)
		i.PRs = prs
		return i
	}
	cases := []struct {
		name  string
		issue board.Issue
		pulls []board.PullRequest
		want  string
	}{
		{"none", by(), nil, ""},
		{"body", by(), []board.PullRequest{pull(1, "dsp-3")}, "#1"},
		{"branch", by(), []board.PullRequest{bare(1, "task/dsp-3-add")}, "#1"},
		{"branch of another", by(), []board.PullRequest{bare(1, "task/dsp-31-add"), bare(2, "task/xdsp-3-add"), bare(3, "other/dsp-3-add")}, ""},
		{"branch without a slug", by(), []board.PullRequest{bare(1, "task/dsp-3")}, ""},
		{"linked by name", by("#1"), []board.PullRequest{bare(1, "x")}, "#1"},
		{"linked by address", by("https://forge.test/o/r/pull/1"), []board.PullRequest{bare(1, "x")}, "#1"},
		{"an empty address links nothing", by(""), []board.PullRequest{bare(1, "x", func(p *board.PullRequest) { p.URL = "" })}, ""},
		{"open before merged", by(), []board.PullRequest{pull(1, "DSP-3"), pull(2, "DSP-3", merged(1))}, "#1"},
		{"merged before closed", by(), []board.PullRequest{pull(1, "DSP-3", merged(1)), pull(2, "DSP-3", shut)}, "#1"},
		{"the newest", by(), []board.PullRequest{pull(2, "DSP-3"), pull(1, "DSP-3")}, "#2"},
		{"ours before a stranger's", by(), []board.PullRequest{pull(1, "DSP-3", ours), pull(2, "DSP-3", strangers)}, "#1"},
		{"a stranger's, when ours is merged", by(), []board.PullRequest{pull(1, "DSP-3", ours, merged(1)), pull(2, "DSP-3", strangers)}, "#2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if p := plan.PullOf(&c.issue, c.pulls); p != nil {
				got = p.Name
			}
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			// The rules over all rows see the same one.
			f := facts([]board.Issue{c.issue}, c.pulls...)
			j := plan.Judge(f, &f.Rows[0])
			if judged := j.PR; (judged == nil) != (c.want == "") || judged != nil && judged.Name != c.want {
				t.Fatalf("judged by %v, want %q", judged, c.want)
			}
		})
	}
	if got := plan.BranchPrefix("#480"); got != "task/480-" {
		t.Errorf("the branch of #480 begins with %q", got)
	}
	hash := row("#3", ready)
	if p := plan.PullOf(&hash, []board.PullRequest{bare(3, "x")}); p != nil {
		t.Error("the issue #3 is taken for the pull request #3")
	}
}
