package plan_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// cleaned is a clean-up that is over: it began at another head, of a row that
// waited in review.
func cleaned(final string, edits ...func(*plan.Finished)) *plan.Finished {
	return over(board.KindCleaner, final, append([]func(*plan.Finished){func(f *plan.Finished) {
		f.Run.PR, f.Run.Head, f.Run.Base, f.Run.PriorRole = "#7", "cccccccccccc", "bbbbbbbbbbbb", review
		f.PR.Mergeable, f.PR.BaseSHA = board.MergeClean, "bbbbbbbbbbbb"
	}}, edits...)...)
}

func from(r board.Role, d board.Delegate) func(*plan.Finished) {
	return func(f *plan.Finished) { f.Run.PriorRole, f.Run.PriorDelegate = r, d }
}

func gitAlone(f *plan.Finished) { f.MergeOnly = true }

// TestRouteCleaner: each line of dispatcher-system.md, Routing a cleaner's
// result, and of design.md, section 4, GAVE UP.
func TestRouteCleaner(t *testing.T) {
	t.Parallel()
	const done = "STATUS: COMPLETE"
	verifyingFor := func(minutes int) func(*plan.Finished) {
		return func(f *plan.Finished) { f.Run.Phase, f.Run.VerifyingSince = state.PhaseVerifying, ago(minutes) }
	}
	cases := []struct {
		line  string
		final string
		edits []func(*plan.Finished)
		want  []string
		says  string // in the comment
	}{
		{"PR MERGED: write nothing", done, []func(*plan.Finished){onPR(merged(1))}, []string{"release", "notice", "forget"}, ""},
		{"PR MERGED before the claim was there", done, []func(*plan.Finished){onPR(merged(45))}, nil, ""},
		{"Any file needed manual resolution", done, nil, []string{"comment", "assign reviewer", "forget"}, "resolved by hand"},
		{"manual, from Changes Requested", done, []func(*plan.Finished){from(rework, "")}, []string{"comment", "assign reviewer", "forget"}, "resolved by hand"},
		{"manual, queued for review", done, []func(*plan.Finished){from(work, "reviewer")}, []string{"comment", "assign reviewer", "forget"}, "resolved by hand"},
		{"Never promote past where it was: manual, with a developer", done, []func(*plan.Finished){from(work, "developer")}, []string{"comment", "assign developer", "forget"}, "reviewed with the rest"},
		{"Never promote past where it was: manual, from Ready", done, []func(*plan.Finished){from(ready, "")}, []string{"comment", "state ready from in-progress", "release", "forget"}, "back to Ready"},
		{"Nothing conflicted: from review", done, []func(*plan.Finished){gitAlone}, []string{"comment", "state human-review from in-progress", "release", "forget"}, "Nothing had to be resolved by hand"},
		{"Nothing conflicted: from Changes Requested", done, []func(*plan.Finished){gitAlone, from(rework, "")}, []string{"comment", "state changes-requested from in-progress", "release", "forget"}, "back to Changes Requested"},
		{"Nothing conflicted: queued for review", done, []func(*plan.Finished){gitAlone, from(work, "reviewer")}, []string{"comment", "assign reviewer", "forget"}, "delegated to the reviewer"},
		{"Nothing conflicted: queued for a developer", done, []func(*plan.Finished){gitAlone, from(work, "developer")}, []string{"comment", "assign developer", "forget"}, ""},
		{"Nothing conflicted: at work without a delegate", done, []func(*plan.Finished){gitAlone, from(work, "")}, []string{"comment", "release", "forget"}, ""},
		{"the report does not decide what was by hand", "No manual resolution was needed, git merged it alone.\n\n" + done, nil, []string{"comment", "assign reviewer", "forget"}, ""},
		{"Verify MERGEABLE", done, []func(*plan.Finished){gitAlone, onPR(merges(board.MergeConflict))}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "conflict resolution failed - #7 still conflicts with main"},
		{"a new conflict with a main that moved on", done, []func(*plan.Finished){onPR(merges(board.MergeConflict)), onPR(func(p *board.PullRequest) { p.BaseSHA = "dddddddddddd" })}, []string{"comment", "assign reviewer", "forget"}, ""},
		{"mergeable unknown: asked again", done, []func(*plan.Finished){gitAlone, onPR(merges(board.MergeUnknown))}, []string{"verify #7"}, ""},
		{"mergeable unknown for an hour", done, []func(*plan.Finished){gitAlone, onPR(merges(board.MergeUnknown)), verifyingFor(61)}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "not known"},
		{"CI green: pending", done, []func(*plan.Finished){onPR(checks(board.ChecksPending))}, []string{"verify #7"}, ""},
		{"CI green: unknown", done, []func(*plan.Finished){onPR(checks(board.ChecksUnknown))}, []string{"verify #7"}, ""},
		{"CI green: pending for an hour", done, []func(*plan.Finished){onPR(checks(board.ChecksPending)), verifyingFor(61)}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "still pending"},
		{"CI green: red", done, []func(*plan.Finished){onPR(checks(board.ChecksRed))}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "What it pushed has not been reviewed"},
		{"CI green: none configured", done, []func(*plan.Finished){gitAlone, onPR(checks(board.ChecksNone))}, []string{"comment", "state human-review from in-progress", "release", "forget"}, ""},
		{"commits attributed to the developer bot", done, []func(*plan.Finished){func(f *plan.Finished) { f.Foreign = []string{"Ann <a@x>"} }}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "Ann <a@x>"},
		{"an owner's own commits from before are no fault", done, []func(*plan.Finished){gitAlone, onPR(func(p *board.PullRequest) { p.Foreign = []string{"Ann <a@x>"} })}, []string{"comment", "state human-review from in-progress", "release", "forget"}, ""},
		{"its pull request was closed", done, []func(*plan.Finished){onPR(shut)}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "not open any more"},
		{"another pull request took its place", done, []func(*plan.Finished){onPR(func(p *board.PullRequest) { p.Name = "#8" })}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "not open any more"},
		{"Unresolvable conflict: the cleaner parks a Question", "STATUS: INCOMPLETE", []func(*plan.Finished){issue(inColumn(question, "cleaner")), issue(released), issue(said(1, board.ActorCleaner, "a or b?"))}, []string{"forget"}, ""},
		{"a question without its state is made whole", "STATUS: INCOMPLETE", []func(*plan.Finished){issue(said(1, board.ActorCleaner, "a or b?"))}, []string{"state question from in-progress", "release", "forget"}, ""},
		{"Other failure", "STATUS: INCOMPLETE", nil, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "conflict resolution failed - it reported INCOMPLETE"},
		{"Other failure: restored with its delegate", "STATUS: INCOMPLETE", []func(*plan.Finished){from(work, "reviewer")}, []string{"comment", "assign reviewer", "notice", "forget"}, ""},
		{"no status", "done!", nil, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "conflict resolution failed"},
		{"died", done, []func(*plan.Finished){func(f *plan.Finished) { f.Exit.Problem = "exit status 1" }}, []string{"comment", "state human-review from in-progress", "release", "notice", "forget"}, "exit status 1"},
		{"a usage limit uses nothing up", "", []func(*plan.Finished){func(f *plan.Finished) { f.Exit.Problem, f.Exit.LimitUntil = "limit", noon.Add(3600e9) }}, []string{"retry"}, ""},
		{"the owner's move stays", done, []func(*plan.Finished){issue(inColumn(backlog, "owner"))}, []string{"release", "forget"}, ""},
		{"another session's row", done, []func(*plan.Finished){issue(func(i *board.Issue) { i.Claim.Session = "other" })}, []string{"notice", "forget"}, ""},
		{"stopped and held by its owner: back where it was", "", []func(*plan.Finished){func(f *plan.Finished) { f.Run.Stopped = state.StoppedOwner }}, []string{"comment", "state human-review from in-progress", "release", "forget"}, "held by owner"},
		{"drained without an answer: back where it was", "", []func(*plan.Finished){func(f *plan.Finished) { f.Exit.Stopped, f.Exit.Problem = true, "stopped" }}, []string{"state human-review from in-progress", "release", "forget"}, ""},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			f := cleaned(c.final, c.edits...)
			got := plan.Route(f)
			if c.want == nil {
				if f.PR.State != board.PullMerged || textOf(got, state.OpComment) != "" {
					t.Fatalf("decided %+v", got)
				}
				return
			}
			wantOps(t, got, c.want...)
			if text := textOf(got, state.OpComment); !strings.Contains(text, c.says) {
				t.Errorf("says %q, not %q", text, c.says)
			}
		})
	}
}

// TestCleanUpIsNotTriedAgain: what a failed clean-up leaves on the board keeps
// every later one off the same pair, and nothing else.
func TestCleanUpIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	f := cleaned("STATUS: INCOMPLETE")
	text := textOf(plan.Route(f), state.OpComment)
	i := row("DSP-1", review, movedBy(board.ActorDispatcher, 1, work), said(1, board.ActorDispatcher, text))
	if !plan.Attempted(&i, f.PR.HeadSHA, f.Run.Base) {
		t.Errorf("%q is no attempt", text)
	}
	if plan.Attempted(&i, "dddddddddddd", f.Run.Base) || plan.Attempted(&i, f.PR.HeadSHA, "dddddddddddd") {
		t.Error("another pair counts as tried")
	}
	if _, held := board.Attention(&i, f.PR.HeadSHA, f.Run.Base); !held {
		t.Error("it needs nobody's attention")
	}
	if _, held := board.Attention(&i, f.PR.HeadSHA, "dddddddddddd"); held {
		t.Error("it needs attention although main moved")
	}
	m, _ := board.ParseMark(text)
	if m.From != review || m.Kind != board.KindCleaner || m.Try != 1 {
		t.Errorf("its machine line says %+v", m)
	}
}

// TestCleanUpOfSettledRow: a settlement that was cut after its release is over;
// one that was cut before it goes on (dispatcher-system.md, Claims).
func TestCleanUpOfSettledRow(t *testing.T) {
	t.Parallel()
	const done = "STATUS: COMPLETE"
	spoken := func(text string) func(*plan.Finished) {
		return issue(said(0, board.ActorDispatcher, board.WithMark(text, board.Mark{Run: "run-DSP-1", Kind: board.KindCleaner})))
	}
	begun := issue(said(20, board.ActorDispatcher, plan.CleanUpStarts(&state.Run{PriorRole: review}, &board.PullRequest{Name: "#7", HeadSHA: "cccccccccccc", Base: "main"})))
	cases := []struct {
		name  string
		edits []func(*plan.Finished)
		want  []string
	}{
		{"restored and released", []func(*plan.Finished){gitAlone, spoken("merged"), issue(inColumn(review, "dispatcher")), issue(released)}, []string{"forget"}},
		{"restored, not released", []func(*plan.Finished){gitAlone, spoken("merged"), issue(inColumn(review, "dispatcher"))}, []string{"release", "forget"}},
		{"handed to the reviewer", []func(*plan.Finished){spoken("merged"), issue(func(i *board.Issue) { i.Claim, i.Delegate = nil, board.DelegateReviewer })}, []string{"forget"}},
		{"released at work", []func(*plan.Finished){gitAlone, from(work, ""), spoken("merged"), issue(released)}, []string{"forget"}},
		{"commented only", []func(*plan.Finished){gitAlone, spoken("merged")}, []string{"comment", "state human-review from in-progress", "release", "forget"}},
		{"commented only, and released by the cleaner itself", []func(*plan.Finished){gitAlone, spoken("merged"), issue(released)}, []string{"comment", "state human-review from in-progress", "forget"}},
		{"the comment that began it settles nothing", []func(*plan.Finished){gitAlone, begun}, []string{"comment", "state human-review from in-progress", "release", "forget"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOps(t, plan.Route(cleaned(done, c.edits...)), c.want...)
		})
	}
}

// TestRestoreOfCleanUp: "cleanup -> the recorded prior state and delegate"
// (dispatcher-system.md, Stopping), whichever way it ends.
func TestRestoreOfCleanUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role     board.Role
		delegate board.Delegate
		want     []string
	}{
		{review, "", []string{"state human-review from in-progress", "release", "forget"}},
		{rework, "", []string{"state changes-requested from in-progress", "release", "forget"}},
		{ready, "", []string{"state ready from in-progress", "release", "forget"}},
		{work, "reviewer", []string{"assign reviewer", "forget"}},
		{work, "developer", []string{"assign developer", "forget"}},
		{work, "", []string{"release", "forget"}},
	} {
		f := cleaned("", from(c.role, c.delegate))
		wantOps(t, plan.Restore(&f.Run, &f.Issue, f.PR), c.want...)
		wantOps(t, plan.Revert(&f.Run, &f.Issue), c.want...)
		wantOps(t, plan.GiveBack(&f.Run, &f.Issue), c.want...)
	}
	f := cleaned("", onPR(merged(1)))
	wantOps(t, plan.Restore(&f.Run, &f.Issue, f.PR), "release", "forget")
	f = cleaned("", issue(inColumn(backlog, "owner")))
	wantOps(t, plan.GiveBack(&f.Run, &f.Issue), "release", "forget")
	f = cleaned("", func(f *plan.Finished) { f.Run.Phase = state.PhaseRetrying }, onPR(shut))
	wantOps(t, plan.Again(f), "state human-review from in-progress", "release", "forget")
}

// TestVerdictOfFreshenedHead: a head that differs by our own clean update
// merges keeps its verdict, any other is judged again (design.md, section 7).
func TestVerdictOfFreshenedHead(t *testing.T) {
	t.Parallel()
	moved := func(f *plan.Finished) { f.Run.Head = "cccccccccccc" }
	for _, c := range []struct {
		name, final string
		edits       []func(*plan.Finished)
		want        []string
	}{
		{"PASS, git alone", "VERDICT: PASS", []func(*plan.Finished){moved, gitAlone}, []string{"state human-review from in-progress", "comment", "release", "forget"}},
		{"CHANGES_REQUESTED, git alone", "VERDICT: CHANGES_REQUESTED", []func(*plan.Finished){moved, gitAlone}, []string{"state changes-requested from in-progress", "comment", "release", "forget"}},
		{"PASS, by hand", "VERDICT: PASS", []func(*plan.Finished){moved}, []string{"assign reviewer", "forget"}},
		{"CHANGES_REQUESTED, by hand", "VERDICT: CHANGES_REQUESTED", []func(*plan.Finished){moved}, []string{"assign reviewer", "forget"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := plan.Route(over(board.KindReviewer, c.final, c.edits...))
			wantOps(t, got, c.want...)
			if text := textOf(got, state.OpComment); text != "" && !strings.Contains(text, "cccccccc") {
				t.Errorf("%q does not name the head that was judged", text)
			}
		})
	}
}

// TestMergeScoped: a review is of the merge only when everything before it had
// passed, and only of that very head.
func TestMergeScoped(t *testing.T) {
	t.Parallel()
	const head = "aaaaaaaaaaaa"
	text := func(from board.Role) string {
		return board.WithMark("merged", board.Mark{Run: "r1", Kind: board.KindCleaner, Head: head, From: from})
	}
	dev := board.WithMark("ready", board.Mark{Run: "r2", Kind: board.KindDeveloper, Head: head})
	by := movedBy(board.ActorDispatcher, 30, review)
	for _, c := range []struct {
		name  string
		edits []func(*board.Issue)
		head  string
		want  bool
	}{
		{"from review", []func(*board.Issue){by, said(9, board.ActorDispatcher, text(review))}, head, true},
		{"from Changes Requested", []func(*board.Issue){by, said(9, board.ActorDispatcher, text(rework))}, head, false},
		{"another head", []func(*board.Issue){by, said(9, board.ActorDispatcher, text(review))}, "dddddddddddd", false},
		{"worked on since", []func(*board.Issue){by, said(9, board.ActorDispatcher, text(review)), said(5, board.ActorDispatcher, dev)}, head, false},
		{"moved by its owner since", []func(*board.Issue){movedBy(board.ActorOwner, 3, review), said(9, board.ActorDispatcher, text(review))}, head, false},
		{"said by somebody else", []func(*board.Issue){by, said(9, board.ActorDeveloper, text(review))}, head, false},
		{"never", []func(*board.Issue){by}, head, false},
	} {
		i := row("DSP-1", work, c.edits...)
		if got := plan.MergeScoped(&i, c.head); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestCleanUpKeepsCounts: a clean-up neither counts as a try of another kind nor
// resets its count, unless the owner acted.
func TestCleanUpKeepsCounts(t *testing.T) {
	t.Parallel()
	failedOnce := said(30, board.ActorDispatcher, board.WithMark("no", board.Mark{Run: "r1", Kind: board.KindDeveloper, Try: 1}))
	by := movedBy(board.ActorDispatcher, 60, ready)
	start := said(9, board.ActorDispatcher, plan.CleanUpStarts(&state.Run{PriorRole: work}, &board.PullRequest{Name: "#7", HeadSHA: "cccccccccccc", Base: "main"}))
	end := said(5, board.ActorDispatcher, board.WithMark("merged", board.Mark{Run: "r2", Kind: board.KindCleaner, Head: "aaaaaaaaaaaa"}))
	i := row("DSP-1", work, by, failedOnce, start, end)
	if got := plan.Tries(&i, board.KindDeveloper, ""); got != 1 {
		t.Errorf("the developer's tries are %d", got)
	}
	cleared := said(2, board.ActorDispatcher, board.WithMark(board.ClearedText("the owner moved the row"), board.Mark{Kind: board.KindCleaner}))
	i = row("DSP-1", work, by, failedOnce, cleared)
	if got := plan.Tries(&i, board.KindDeveloper, ""); got != 0 {
		t.Errorf("after the owner's move the developer's tries are %d", got)
	}
}

// TestLeftCleanUps: a clean-up that its session left behind is put back where
// its claim and its first comment say, and is nobody else's to work meanwhile.
func TestLeftCleanUps(t *testing.T) {
	t.Parallel()
	held := func(minutes int, k board.Kind, from board.Role) func(*board.Issue) {
		return func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: k, Session: "other", Stamp: ago(minutes), From: from}
			i.Delegate = board.DelegateDeveloper
		}
	}
	start := func(r board.Role, d board.Delegate) func(*board.Issue) {
		return said(100, board.ActorDispatcher, plan.CleanUpStarts(&state.Run{PriorRole: r, PriorDelegate: d}, &board.PullRequest{Name: "#1", HeadSHA: "cccccccccccc", Base: "main"}))
	}
	theirs := func(i *board.Issue) { i.Claim.Account = "dana" }
	for _, c := range []struct {
		name     string
		row      board.Issue
		role     board.Role // none: not put back
		delegate board.Delegate
	}{
		{"from review", row("DSP-1", work, held(100, board.KindCleaner, review), start(review, "")), review, ""},
		{"from the reviewer queue", row("DSP-1", work, held(100, board.KindCleaner, work), start(work, "reviewer")), work, "reviewer"},
		{"its comment is gone", row("DSP-1", work, held(100, board.KindCleaner, work)), work, "developer"},
		{"its claim says nothing", row("DSP-1", work, held(100, board.KindCleaner, ""), start(rework, "")), rework, ""},
		{"nothing is known", row("DSP-1", work, held(100, board.KindCleaner, "")), "", ""},
		{"a fresh one", row("DSP-1", work, held(10, board.KindCleaner, review), start(review, "")), "", ""},
		{"a developer's", row("DSP-1", work, held(100, board.KindDeveloper, review)), "", ""},
		{"of another account", row("DSP-1", work, held(100, board.KindCleaner, review), theirs), review, "developer"},
		{"of another account, and back already", row("DSP-1", work, held(100, board.KindCleaner, work), theirs), "", ""},
		{"moved since", row("DSP-1", review, held(100, board.KindCleaner, review)), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := facts([]board.Issue{c.row}, clashing(1, "DSP-1"))
			f.Others = f.Rows
			got := plan.LeftCleanUps(f)
			if c.role == board.RoleNone {
				if len(got) != 0 {
					t.Fatalf("put back: %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].PriorRole != c.role || got[0].PriorDelegate != c.delegate || got[0].Phase != state.PhaseClaiming {
				t.Fatalf("put back: %+v", got)
			}
			if j := plan.Judge(f, &c.row); j.Hold != plan.HoldClaim {
				t.Errorf("meanwhile it is judged %+v", j)
			}
			if s := plan.Strays(f); len(s.Let)+len(s.Review) != 0 {
				t.Errorf("the stranded scan takes it: %+v", s)
			}
		})
	}
}
