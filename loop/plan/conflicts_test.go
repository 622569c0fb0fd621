package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// clashing is a pull request in conflict.
func clashing(n int, ref board.Ref, edits ...func(*board.PullRequest)) board.PullRequest {
	return pull(n, ref, append([]func(*board.PullRequest){merges(board.MergeConflict), behind(2)}, edits...)...)
}

// triedText is the comment of a clean-up that failed.
func triedText(head, base string) string {
	return board.WithMark(board.AttentionText("conflict resolution failed - no"), board.Mark{Run: "r1", Kind: board.KindCleaner, Try: 1, Head: head, Base: base})
}

// TestConflicts: each line of dispatcher-system.md, Maintenance, Conflicts.
func TestConflicts(t *testing.T) {
	t.Parallel()
	const head, base = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
	one := func(role board.Role, edits ...func(*board.Issue)) []board.Issue {
		return []board.Issue{row("DSP-1", role, edits...)}
	}
	by := func(minutes int) func(*board.Issue) { return movedBy(board.ActorDispatcher, minutes, work) }
	started := board.WithMark("#1 conflicts", board.Mark{Kind: board.KindCleaner, Head: head, Base: base, From: review})
	cases := []struct {
		line string
		rows []board.Issue
		pr   board.PullRequest
		edit func(*plan.Facts)
		want bool
	}{
		{"in review", one(review), clashing(1, "DSP-1"), nil, true},
		{"sent back", one(rework), clashing(1, "DSP-1"), nil, true},
		{"queued for review", one(work, delegated(board.DelegateReviewer)), clashing(1, "DSP-1"), nil, true},
		{"owner PRs are in scope", one(review), clashing(1, "DSP-1", foreign), nil, true},
		{"Scan open PRs (not board rows): another milestone's", nil, clashing(1, "DSP-1"), func(f *plan.Facts) { f.Others = one(review) }, true},
		{"a clean one", one(review), pull(1, "DSP-1", behind(2)), nil, false},
		{"re-query mergeable: unknown is no conflict", one(review), pull(1, "DSP-1", merges(board.MergeUnknown), behind(2)), nil, false},
		{"merged, whatever it says of merging", one(review), clashing(1, "DSP-1", merged(1)), nil, false},
		{"closed", one(review), clashing(1, "DSP-1", shut), nil, false},
		{"a fork's, where nobody of ours can push", one(review), clashing(1, "DSP-1", foreign, func(p *board.PullRequest) { p.Head = board.ForkHead("x") }), nil, false},
		{"skip drafts", one(review), clashing(1, "DSP-1", draft), nil, false},
		{"worktree-held branches", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.CheckedOut["task/dsp-1-work"] = true }, false},
		{"what is checked out is not known", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.CheckedOut = nil }, false},
		{"where the base is is not known", one(review), clashing(1, "DSP-1", func(p *board.PullRequest) { p.BaseSHA = "" }), nil, false},
		{"claimed issues", one(work, claimed("other", 1)), clashing(1, "DSP-1"), nil, false},
		{"a stale claim is the stranded scan's", one(work, claimed("other", 500)), clashing(1, "DSP-1"), nil, false},
		{"our own run", one(work), clashing(1, "DSP-1"), func(f *plan.Facts) { f.Runs = []state.Run{running("DSP-1", board.KindDeveloper)} }, false},
		{"without an issue", nil, clashing(1, "DSP-1"), nil, false},
		{"another pull request of the issue counts", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.Pulls = append(f.Pulls, pull(2, "DSP-1")) }, false},
		{"in Backlog", one(backlog), clashing(1, "DSP-1"), nil, false},
		{"in Question", one(question), clashing(1, "DSP-1"), nil, false},
		{"done", one(board.RoleDone), clashing(1, "DSP-1"), nil, false},
		{"in a state without a role", one(board.RoleNone), clashing(1, "DSP-1"), nil, false},
		{"unreadable", one(review, func(i *board.Issue) { i.Unreadable = "torn" }), clashing(1, "DSP-1"), nil, false},
		{"a person's", one(review, func(i *board.Issue) { i.Assignee = "ann" }), clashing(1, "DSP-1"), nil, false},
		{"another agent's", one(review, delegated("someone")), clashing(1, "DSP-1"), nil, false},
		{"held by its owner", one(review, by(20), said(10, board.ActorDispatcher, board.HeldText(""))), clashing(1, "DSP-1"), nil, false},
		{"needs human attention", one(review, by(20), said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))), clashing(1, "DSP-1"), nil, false},
		{"moved out of Question without a reply", one(rework, movedBy(board.ActorOwner, 1, question), said(9, board.ActorCleaner, "a or b?")), clashing(1, "DSP-1"), nil, false},
		{"(head, main) pairs already attempted", one(review, by(20), said(10, board.ActorDispatcher, triedText(head, base))), clashing(1, "DSP-1"), nil, false},
		{"attempted, whatever else its mark stands under", one(review, by(20), said(10, board.ActorDispatcher, board.WithMark("no luck", board.Mark{Run: "r1", Kind: board.KindCleaner, Try: 1, Head: head, Base: base}))), clashing(1, "DSP-1"), nil, false},
		{"attempted, and only its dispatcher spoke since", one(review, by(20), said(10, board.ActorDispatcher, triedText(head, base)), said(5, board.ActorDispatcher, "hello")), clashing(1, "DSP-1"), nil, false},
		{"no retry until head moves", one(review, by(20), said(10, board.ActorDispatcher, triedText("cccccccccccc", base))), clashing(1, "DSP-1"), nil, true},
		{"no retry until main moves", one(review, by(20), said(10, board.ActorDispatcher, triedText(head, "cccccccccccc"))), clashing(1, "DSP-1"), nil, true},
		{"the owner's word allows another try", one(review, by(20), said(10, board.ActorDispatcher, triedText(head, base)), said(5, board.ActorOwner, "try again")), clashing(1, "DSP-1"), nil, true},
		{"the owner's move too", one(review, movedBy(board.ActorOwner, 5, rework), said(10, board.ActorDispatcher, triedText(head, base))), clashing(1, "DSP-1"), nil, true},
		{"a clean-up that never came back was no try", one(review, by(20), said(10, board.ActorDispatcher, started)), clashing(1, "DSP-1"), nil, true},
		{"somebody else's words are no mark", one(review, by(20), said(10, board.ActorCleaner, triedText(head, base))), clashing(1, "DSP-1"), nil, true},
		{"it could not be started in this firing", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.Skip = map[board.Ref]bool{"DSP-1": true} }, false},
		{"no cleaner may run", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.Settings.Caps.Cleaners = 0 }, false},
		{"paused", one(review), clashing(1, "DSP-1"), func(f *plan.Facts) { f.Mode = state.ModePaused }, false},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			f := idleBranches(facts(c.rows, c.pr))
			if c.edit != nil {
				c.edit(f)
			}
			got := plan.Conflicts(f)
			if (len(got) == 1) != c.want {
				t.Fatalf("started %+v, want %v; %+v", got, c.want, plan.CleanUps(f))
			}
			if !c.want {
				return
			}
			d := got[0]
			if d.Kind != board.KindCleaner || d.Agent != "cleaner" || d.Issue.Ref != "DSP-1" || d.PR.Name != "#1" {
				t.Errorf("dispatched %+v", d)
			}
			if a, ok := plan.ExplainPull(f, &d.Issue); !ok || a.Held {
				t.Errorf("explained as %+v", a)
			}
			if plan.Idle(f, nil) {
				t.Error("idle, although a cleaner is to start")
			}
		})
	}
}

// TestConflictsOrder: by behind, the most first; two firings apart nothing
// changes but the free slot.
func TestConflictsOrder(t *testing.T) {
	t.Parallel()
	rows := []board.Issue{row("DSP-1", review), row("DSP-2", review), row("DSP-3", review)}
	f := idleBranches(facts(rows, clashing(1, "DSP-1", behind(1)), clashing(2, "DSP-2", behind(5)), clashing(3, "DSP-3", behind(3))))
	var got []int
	for _, d := range plan.Conflicts(f) {
		got = append(got, d.PR.Number)
	}
	if want := []int{2, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if !f.Free(board.KindCleaner) {
		t.Error("no free slot")
	}
	f.Runs = []state.Run{running("DSP-2", board.KindCleaner)}
	if f.Free(board.KindCleaner) {
		t.Error("a second cleaner has a slot")
	}
}

// TestUnknownIsAskedAgain: what is unknown five times and then clean is never a
// conflict, and a merged one that still says so is none either
// (failures, row 39: alltheplaces PR#17336, sweatco/archie-hq PR#41).
func TestUnknownIsAskedAgain(t *testing.T) {
	t.Parallel()
	rows := []board.Issue{row("DSP-1", review)}
	for range 5 {
		f := idleBranches(facts(rows, pull(1, "DSP-1", merges(board.MergeUnknown), behind(2))))
		if len(plan.Conflicts(f)) != 0 || len(plan.Freshen(f)) != 0 || len(plan.CleanUps(f)) != 0 {
			t.Fatal("unknown was taken for an answer")
		}
	}
	f := idleBranches(facts(rows, pull(1, "DSP-1", behind(2))))
	if len(plan.Conflicts(f)) != 0 || len(plan.Freshen(f)) != 1 {
		t.Fatal("a clean one is brought up to date")
	}
	f = idleBranches(facts(rows, clashing(1, "DSP-1", merged(1))))
	if len(plan.CleanUps(f)) != 0 {
		t.Fatal("a merged one is cleaned up")
	}
}

// TestConflictsAreShown: conflicts that nobody works on, and updates that
// failed, stand in the status text.
func TestConflictsAreShown(t *testing.T) {
	t.Parallel()
	f := idleBranches(facts([]board.Issue{row("DSP-1", review), row("DSP-2", review)}, clashing(1, "DSP-1", draft), pull(2, "DSP-2", behind(3))))
	f.Refused = map[string]plan.Refusal{"#2": {Head: "aaaaaaaaaaaa", Base: "bbbbbbbbbbbb", Times: 3, Why: "the remote said no"}}
	got := plan.Status(f, plan.Rows(f), nil)
	for _, want := range []string{"#1 conflicts with main: it is a draft", "#2 is 3 behind and was not updated: the remote said no"} {
		if !strings.Contains(got, want) {
			t.Errorf("status %q lacks %q", got, want)
		}
	}
	f.Runs = []state.Run{running("DSP-1", board.KindCleaner)}
	if got := plan.Status(f, plan.Rows(f), nil); strings.Contains(got, "#1 conflicts") {
		t.Errorf("a conflict at work is shown as left alone: %q", got)
	}
}
