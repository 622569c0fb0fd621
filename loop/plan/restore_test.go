package plan_test

import (
	"slices"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestRestore is the restore table (dispatcher-system.md, Stopping).
func TestRestore(t *testing.T) {
	t.Parallel()
	none := func(*plan.Finished) {}
	cases := []struct {
		line string
		kind board.Kind
		edit func(*plan.Finished)
		want []string
	}{
		{"dev claim without PR -> ready", board.KindDeveloper, noPR, []string{"state ready from in-progress", "release", "forget"}},
		{"dev claim without PR -> ready: a closed one is none", board.KindDeveloper, onPR(shut), []string{"state ready from in-progress", "release", "forget"}},
		{"with open PR -> changes-requested", board.KindDeveloper, none, []string{"state changes-requested from in-progress", "release", "forget"}},
		{"with open PR -> changes-requested: a draft too", board.KindDeveloper, onPR(draft), []string{"state changes-requested from in-progress", "release", "forget"}},
		{"PR merged -> nothing", board.KindDeveloper, onPR(merged(1)), []string{"release", "forget"}},
		{"review claim -> board assign reviewer only", board.KindReviewer, none, []string{"assign reviewer", "forget"}},
		{"review claim: never release", board.KindReviewer, noPR, []string{"assign reviewer", "forget"}},
		{"Never touch another session's fresh claim", board.KindDeveloper, issue(func(i *board.Issue) { i.Claim.Session = "other" }), []string{"forget"}},
		{"a claim that was never taken", board.KindDeveloper, issue(released), []string{"forget"}},
		{"the owner's move stays", board.KindDeveloper, issue(inColumn(backlog, "owner")), []string{"release", "forget"}},
		{"a question stays", board.KindReviewer, issue(inColumn(question, "reviewer")), []string{"release", "forget"}},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			f := over(c.kind, "", c.edit)
			wantOps(t, plan.Restore(&f.Run, &f.Issue, f.PR), c.want...)
		})
	}
}

// TestRevert undoes a dispatch whose worker never lived (design.md, section 4,
// REVERT).
func TestRevert(t *testing.T) {
	t.Parallel()
	from := func(r board.Role, d board.Delegate) func(*plan.Finished) {
		return func(f *plan.Finished) { f.Run.PriorRole, f.Run.PriorDelegate = r, d }
	}
	cases := []struct {
		name  string
		edits []func(*plan.Finished)
		want  []string
	}{
		{"ready", []func(*plan.Finished){from(ready, "")}, []string{"state ready from in-progress", "release", "forget"}},
		{"rework", []func(*plan.Finished){from(rework, "")}, []string{"state changes-requested from in-progress", "release", "forget"}},
		{"tier 1, queued", []func(*plan.Finished){from(work, "developer")}, []string{"assign developer", "forget"}},
		{"tier 1, no delegate", []func(*plan.Finished){from(work, "")}, []string{"release", "forget"}},
		{"review", []func(*plan.Finished){from(work, "reviewer")}, []string{"assign reviewer", "forget"}},
		{"claimed, not moved yet", []func(*plan.Finished){from(ready, ""), issue(inColumn(ready, "owner"))}, []string{"release", "forget"}},
		{"a delegate that a ready row had", []func(*plan.Finished){from(ready, "developer")}, []string{"state ready from in-progress", "assign developer", "forget"}},
		{"never claimed", []func(*plan.Finished){from(ready, ""), issue(released)}, []string{"forget"}},
		{"claimed by another", []func(*plan.Finished){from(ready, ""), issue(func(i *board.Issue) { i.Claim.Session = "other" })}, []string{"forget"}},
		{"given to another agent meanwhile", []func(*plan.Finished){from(ready, ""), issue(delegated("another"))}, []string{"notice", "forget"}},
		{"moved by the owner meanwhile", []func(*plan.Finished){from(ready, ""), issue(inColumn(backlog, "owner"))}, []string{"release", "forget"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := over(board.KindDeveloper, "", c.edits...)
			wantOps(t, plan.Revert(&f.Run, &f.Issue), c.want...)
		})
	}
}

// TestGiveBack: a row goes back to its queue with the phase it was in.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		fin  *plan.Finished
		want []string
	}{
		{"developer", over(board.KindDeveloper, ""), []string{"assign developer", "forget"}},
		{"reviewer", over(board.KindReviewer, ""), []string{"assign reviewer", "forget"}},
		{"moved", over(board.KindDeveloper, "", issue(inColumn(ready, "owner"))), []string{"release", "forget"}},
		{"given to another agent", over(board.KindDeveloper, "", issue(delegated("another"))), []string{"notice", "forget"}},
		{"parked", over(board.KindDeveloper, "", issue(inColumn(question, "developer"))), []string{"release", "forget"}},
		{"another's", over(board.KindDeveloper, "", issue(func(i *board.Issue) { i.Claim.Session = "other" })), []string{"forget"}},
		{"nobody's", over(board.KindDeveloper, "", issue(released)), []string{"forget"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOps(t, plan.GiveBack(&c.fin.Run, &c.fin.Issue), c.want...)
		})
	}
}

// TestRevive: a run that died with its loop goes on where its row still waits
// for it; everything else goes back to its queue.
func TestRevive(t *testing.T) {
	t.Parallel()
	putOff := func(n int) func(*plan.Finished) { return func(f *plan.Finished) { f.Run.PutOffs.Cut = n } }
	cases := []struct {
		name string
		fin  *plan.Finished
		want []string
	}{
		{"developer", over(board.KindDeveloper, ""), []string{"retry"}},
		{"reviewer", over(board.KindReviewer, ""), []string{"retry"}},
		{"a second time", over(board.KindDeveloper, "", putOff(1)), []string{"retry"}},
		{"a third time", over(board.KindDeveloper, "", putOff(2)), []string{"assign developer", "forget"}},
		{"moved", over(board.KindDeveloper, "", issue(inColumn(ready, "owner"))), []string{"release", "forget"}},
		{"another's", over(board.KindDeveloper, "", issue(func(i *board.Issue) { i.Claim.Session = "other" })), []string{"forget"}},
		{"given to another agent", over(board.KindDeveloper, "", issue(delegated("another"))), []string{"notice", "forget"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ds := plan.Revive(noon, &c.fin.Run, &c.fin.Issue)
			wantOps(t, ds, c.want...)
			if d := ds[0]; d.Op == state.OpRetry && (d.PutOff != state.PutOffCut || !d.Resume || !d.At.Equal(noon)) {
				t.Errorf("%+v", d)
			}
		})
	}
	if ds := plan.Revive(noon, &over(board.KindCleaner, "").Run, &over(board.KindCleaner, "").Issue); ds[0].Op == state.OpRetry {
		t.Errorf("a clean-up, cut in its merge, goes on: %+v", ds)
	}
}

// TestAgain: whether an armed retry still starts when its wait is over.
func TestAgain(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		fin  *plan.Finished
		want []string // empty: it starts
	}{
		{"nothing changed", over(board.KindDeveloper, ""), nil},
		{"no pull request yet", over(board.KindDeveloper, "", noPR), nil},
		{"merged meanwhile", over(board.KindDeveloper, "", onPR(merged(5))), []string{"release", "notice", "forget"}},
		{"merged before this work began", over(board.KindDeveloper, "", onPR(merged(50))), nil},
		{"moved by the owner", over(board.KindDeveloper, "", issue(inColumn(backlog, "owner"))), []string{"release", "forget"}},
		{"released", over(board.KindDeveloper, "", issue(released)), []string{"forget"}},
		{"taken over", over(board.KindDeveloper, "", issue(func(i *board.Issue) { i.Claim.Session = "other" })), []string{"notice", "forget"}},
		{"given to another agent", over(board.KindDeveloper, "", issue(delegated("another"))), []string{"notice", "forget"}},
		{"held by the owner", over(board.KindDeveloper, "", issue(said(1, "dispatcher", board.HeldText("wait")))), []string{"assign developer", "forget"}},
		{"a review whose pull request was closed", over(board.KindReviewer, "", onPR(shut)), []string{"assign reviewer", "forget"}},
		{"a review whose pull request is a draft now", over(board.KindReviewer, "", onPR(draft)), []string{"assign reviewer", "forget"}},
		{"a review", over(board.KindReviewer, ""), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.fin.Run.Phase = state.PhaseRetrying
			wantOps(t, plan.Again(c.fin), c.want...)
		})
	}
}

// TestMerged: automation closes what is merged, and nothing that its owner
// took up again since (design.md, section 8, Who writes Done).
func TestMerged(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		row  board.Issue
		pr   board.PullRequest
		ours bool
		want bool
	}{
		{"human review", row("DSP-1", review, movedBy("dispatcher", 30, work)), pull(7, "DSP-1", merged(5)), false, true},
		{"question", row("DSP-1", question, movedBy("developer", 30, work)), pull(7, "DSP-1", merged(5)), false, true},
		{"in progress, queued", row("DSP-1", work, movedBy("dispatcher", 30, ready)), pull(7, "DSP-1", merged(5)), false, true},
		{"moved by the owner before the merge", row("DSP-1", rework, movedBy("owner", 30, review)), pull(7, "DSP-1", merged(5)), false, true},
		{"moved by the dispatcher just after the merge", row("DSP-1", review, movedBy("dispatcher", 4, work)), pull(7, "DSP-1", merged(5)), false, true},
		{"open", row("DSP-1", review), pull(7, "DSP-1"), false, false},
		{"closed without a merge", row("DSP-1", review), pull(7, "DSP-1", shut), false, false},
		{"done already", row("DSP-1", done), pull(7, "DSP-1", merged(5)), false, false},
		{"unreadable", row("DSP-1", review, func(i *board.Issue) { i.Unreadable = "cut" }), pull(7, "DSP-1", merged(5)), false, false},
		{"ours: its run settles first", row("DSP-1", work, movedBy("dispatcher", 30, ready)), pull(7, "DSP-1", merged(5)), true, false},
		{"reopened by the owner", row("DSP-1", ready, movedBy("owner", 4, done)), pull(7, "DSP-1", merged(5)), false, false},
		{"put back into Backlog by the owner", row("DSP-1", backlog, movedBy("owner", 4, review)), pull(7, "DSP-1", merged(5)), false, false},
		{"reopened by the owner, taken up by us", row("DSP-1", work, movedBy("dispatcher", 3, ready)), pull(7, "DSP-1", merged(5)), false, false},
		{"reopened by the owner, reverted by us", row("DSP-1", ready, movedBy("dispatcher", 3, work)), pull(7, "DSP-1", merged(5)), false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := facts([]board.Issue{c.row}, c.pr)
			if c.ours {
				f.Runs = []state.Run{running("DSP-1", board.KindDeveloper)}
			}
			var want []string
			if c.want {
				want = []string{"done"}
			}
			got := plan.Merged(f)
			if !slices.Equal(ops(got), want) {
				t.Fatalf("decided %q, want %q", ops(got), want)
			}
			if c.want && (got[0].Ref != "DSP-1" || got[0].PR != "#7") {
				t.Fatalf("decided %+v", got[0])
			}
		})
	}
	both := facts([]board.Issue{row("DSP-1", review)}, pull(7, "DSP-1", merged(5)), pull(8, "DSP-1"))
	if got := plan.Merged(both); len(got) != 0 {
		t.Errorf("closed although a newer pull request is open: %v", ops(got))
	}
}
