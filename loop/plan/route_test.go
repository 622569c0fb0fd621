package plan_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

const (
	complete   = "Done.\n\nHow to verify: run it\n\nSTATUS: COMPLETE"
	incomplete = "STATUS: INCOMPLETE"
	pass       = "Fine.\n\nVERDICT: PASS"
	changes    = "VERDICT: CHANGES_REQUESTED"
	asks       = "VERDICT: QUESTION"
)

// over is a run that has ended, on a row that it still holds.
func over(k board.Kind, final string, edits ...func(*plan.Finished)) *plan.Finished {
	r := running("DSP-1", k)
	r.Phase, r.EndedAt, r.Head, r.PR = state.PhaseEnded, ago(1), "", ""
	f := &plan.Finished{
		Now: noon, Run: r, Exit: state.WorkerExit{Final: final, Ended: ago(1)}, Report: report.Parse(k, final), Settings: settings(),
		Issue: row("DSP-1", work, delegated(board.DelegateOf(k)), movedBy(board.ActorDispatcher, 29, ready), func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: k, Session: r.Session, Run: r.ID, Stamp: ago(2)}
			i.PRs = []string{"#7"}
		}),
	}
	p := pull(7, "DSP-1")
	f.PR = &p
	if k == board.KindReviewer {
		f.Run.Head = p.HeadSHA
	}
	for _, e := range edits {
		e(f)
	}
	return f
}

func issue(edits ...func(*board.Issue)) func(*plan.Finished) {
	return func(f *plan.Finished) {
		for _, e := range edits {
			e(&f.Issue)
		}
	}
}

func onPR(edits ...func(*board.PullRequest)) func(*plan.Finished) {
	return func(f *plan.Finished) {
		for _, e := range edits {
			e(f.PR)
		}
	}
}

func noPR(f *plan.Finished) { f.PR = nil }

func try(n int) func(*plan.Finished) { return func(f *plan.Finished) { f.Run.Attempt = n } }

func died(problem string) func(*plan.Finished) {
	return func(f *plan.Finished) { f.Exit.Problem = problem }
}

func released(i *board.Issue) { i.Claim, i.Delegate = nil, board.DelegateNone }

func inColumn(r board.Role, by board.ActorKind) func(*board.Issue) {
	return func(i *board.Issue) {
		i.PrevRole, i.Role, i.State, i.StateBy, i.StateSince = i.Role, r, r.DefaultName(), by, ago(1)
	}
}

// wrote is a comment of the run's own.
func wrote(who board.ActorKind, body string) func(*board.Issue) {
	return func(i *board.Issue) {
		said(2, who, body)(i)
		i.Comments[len(i.Comments)-1].Run = "run-DSP-1"
	}
}

// TestRouteDeveloper holds a developer's result to dispatcher-system.md,
// Routing a developer's result.
func TestRouteDeveloper(t *testing.T) {
	t.Parallel()
	dev := func(final string, edits ...func(*plan.Finished)) *plan.Finished {
		return over(board.KindDeveloper, final, edits...)
	}
	forward := []string{"comment", "assign reviewer", "forget"}
	again := []string{"comment", "retry"}
	cases := []struct {
		line string
		name string
		fin  *plan.Finished
		want []string
		text string // part of the comment, or of the retry
	}{
		{"1 PR MERGED: write nothing, release, report", "merged meanwhile", dev(complete, onPR(merged(5))), []string{"release", "notice", "forget"}, ""},
		{"1 PR MERGED", "merged, whatever it says", dev("", died("exit 1"), onPR(merged(5))), []string{"release", "notice", "forget"}, ""},
		{"1 PR MERGED", "merged before this work began", dev(complete, onPR(merged(40))), again, "without an open pull request"},
		{"1 PR MERGED", "merged between our claim and our move", dev(complete, onPR(merged(29)), issue(movedBy(board.ActorDispatcher, 28, ready)), func(f *plan.Finished) { f.Run.ClaimedAt = ago(30) }), []string{"done", "notice", "forget"}, ""},

		{"3 Verified", "verified", dev(complete), forward, "How to verify: run it"},
		{"2 linked to the issue (board link-pr if not)", "not linked", dev(complete, issue(func(i *board.Issue) { i.PRs = nil })), []string{"link-pr #7", "comment", "assign reviewer", "forget"}, ""},
		{"3 how to verify", "no way to verify given", dev("STATUS: COMPLETE"), forward, "How to verify: see the pull request"},
		{"2 CI green: none reported is green", "no checks", dev(complete, onPR(checks(board.ChecksNone))), forward, "ready for review"},

		{"2 PR exists", "no pull request", dev(complete, noPR), again, "without an open pull request"},
		{"2 PR exists", "closed", dev(complete, onPR(shut)), again, "without an open pull request"},
		{"2 targets main", "wrong base", dev(complete, onPR(func(p *board.PullRequest) { p.Base = "next" })), again, "#7 targets next instead of main"},
		{"2 not draft", "draft", dev(complete, onPR(draft)), again, "#7 is a draft"},
		{"2 author app/<developer slug>", "by a person", dev(complete, onPR(foreign)), again, "opened by ann"},
		{"2 every checkbox ticked", "open box", dev(complete, issue(func(i *board.Issue) { i.Body = "- [x] a\n- [ ] b c\n" })), again, `boxes not ticked: "b c"`},
		{"2 CI green", "red", dev(complete, onPR(checks(board.ChecksRed), func(p *board.PullRequest) {
			p.CheckRuns = []board.Check{{Name: "lint", State: board.ChecksGreen}, {Name: "unit", State: board.ChecksRed}}
		})), again, "checks failed: unit"},
		{"2 all faults at once", "three faults", dev(complete, onPR(draft, foreign, checks(board.ChecksRed))), again, "#7 is a draft; #7 was opened by ann; reopen it with `dispatcher pr`; checks failed"},

		{"2 pending: verifying", "pending", dev(complete, onPR(checks(board.ChecksPending))), []string{"verify #7"}, ""},
		{"2 pending: verifying", "still pending", dev(complete, onPR(checks(board.ChecksPending)), func(f *plan.Finished) { f.Run.VerifyingSince = ago(59) }), []string{"verify #7"}, ""},
		{"design 7: after 60 minutes it is a failed try", "pending too long", dev(complete, onPR(checks(board.ChecksPending)), func(f *plan.Finished) { f.Run.VerifyingSince = ago(60) }), again, "still pending after 1h"},
		{"2 CI green: unknown is not", "unknown", dev(complete, onPR(checks(board.ChecksUnknown))), []string{"verify #7"}, ""},
		{"2 CI green: unknown is not", "unknown too long", dev(complete, onPR(checks(board.ChecksUnknown)), func(f *plan.Finished) { f.Run.VerifyingSince = ago(60) }), again, "still unknown after 1h"},
		{"2 pending: verifying", "pending, and not linked", dev(complete, onPR(checks(board.ChecksPending)), issue(func(i *board.Issue) { i.PRs = nil })), []string{"link-pr #7", "verify #7"}, ""},
		{"2 a fault beats pending", "pending draft", dev(complete, onPR(checks(board.ChecksPending), draft)), again, "is a draft"},

		{"4 failed once: comment, retry", "died", dev("", died("exit status 1")), again, "Try 1 of 2 by the developer did not finish: exit status 1"},
		{"4 failed once", "no status", dev("all good"), again, "STATUS"},
		{"4 failed once", "incomplete without a question", dev(incomplete), again, "INCOMPLETE"},
		{"5 failed twice: needs human attention, release", "died again", dev("", died("exit status 1"), try(2)), []string{"comment", "release", "notice", "forget"}, "needs human attention: 2 failed dispatcher attempts - exit status 1"},
		{"5 failed twice", "draft again", dev(complete, onPR(draft), try(2)), []string{"comment", "release", "notice", "forget"}, "#7 is a draft"},

		{"6 parked: verify the parking writes", "all three written", dev(incomplete, issue(wrote("developer", "a or b?"), inColumn(question, "developer"), released)), []string{"forget"}, ""},
		{"6 parked, the comment missing", "no question written", dev("which?\n\n"+incomplete, issue(inColumn(question, "developer"))), []string{"comment", "release", "forget"}, "parked this without writing its question. Its last words:\n\n> which?"},
		{"6 parked, the comment missing", "no question written, released", dev(incomplete, issue(inColumn(question, "developer"), released)), []string{"comment", "forget"}, "parked this"},
		{"6 parked, the state missing", "asked and reported", dev(incomplete, issue(wrote("developer", "a or b?"))), []string{"state question from in-progress", "release", "forget"}, ""},
		{"6 parked, the state missing", "asked and released", dev(incomplete, issue(wrote("developer", "a or b?"), released)), []string{"state question from in-progress", "forget"}, ""},
		{"6 parked, the release missing", "asked and moved", dev(incomplete, issue(wrote("developer", "a or b?"), inColumn(question, "developer"))), []string{"release", "forget"}, ""},
		{"6 parked", "died after parking", dev("", died("killed"), issue(wrote("developer", "a or b?"), inColumn(question, "developer"))), []string{"release", "forget"}, ""},
		{"Questions: the owner answers", "moved back to work, released", dev(incomplete, issue(wrote("developer", "a or b?"), movedBy("owner", 1, question), released)), []string{"forget"}, ""},
		{"Questions: the owner answers", "moved back to work, still claimed", dev(incomplete, issue(wrote("developer", "a or b?"), movedBy("owner", 1, question))), []string{"assign developer", "forget"}, ""},
		{"Questions: the owner answers", "moved back to work before this run", dev(incomplete, issue(movedBy("owner", 50, question), wrote("developer", "a or b?"))), []string{"state question from in-progress", "release", "forget"}, ""},
		{"6 parked", "an older question is no question", dev(incomplete, issue(said(200, "developer", "old?"))), again, "INCOMPLETE"},
		{"6 parked", "a comment on COMPLETE parks nothing", dev(complete, issue(wrote("developer", "note"))), forward, ""},

		{"design 6: a worker's own release is no supersession", "complete and released", dev(complete, issue(released)), forward, ""},
		{"failures.md 16: finished without a pull request", "released, nothing done", dev("bye", noPR, issue(released)), []string{"comment", "forget"}, "Try 1 of 2"},
		{"failures.md 16", "released, nothing done, again", dev("bye", noPR, issue(released), try(2)), []string{"comment", "notice", "forget"}, "needs human attention"},

		{"design 4: usage limits consume nothing", "limit", dev("", died("limit"), func(f *plan.Finished) { f.Exit.LimitUntil = noon.Add(time.Hour) }), []string{"retry"}, "usage limit until 13:00Z"},
		{"design 4: usage limits", "a limit that is over goes on at once", dev("", died("limit"), func(f *plan.Finished) { f.Exit.LimitUntil = ago(1) }), []string{"retry"}, "usage limit until 12:00Z"},
		{"design 4: drains consume nothing", "stopped by us", dev("", died("stopped"), func(f *plan.Finished) { f.Exit.Stopped = true }), []string{"state changes-requested from in-progress", "release", "forget"}, ""},
		{"design 4: drains consume nothing", "stopped by us without a pull request", dev("half", noPR, func(f *plan.Finished) { f.Exit.Stopped = true }), []string{"state ready from in-progress", "release", "forget"}, ""},
		{"design 4", "finished as we stopped it", dev(complete, func(f *plan.Finished) { f.Exit.Stopped = true }), forward, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := plan.Route(c.fin)
			if !slices.Equal(ops(got), c.want) {
				t.Fatalf("%s: decided %q, want %q\n%+v", c.line, ops(got), c.want, got)
			}
			text := textOf(got, state.OpComment)
			if text == "" {
				text = textOf(got, state.OpRetry)
			}
			if !strings.Contains(text, c.text) {
				t.Fatalf("%s: says %q, want %q in it", c.line, text, c.text)
			}
		})
	}
}

// TestRouteReviewer holds a verdict to dispatcher-system.md, Routing a
// reviewer's verdict.
func TestRouteReviewer(t *testing.T) {
	t.Parallel()
	rev := func(final string, edits ...func(*plan.Finished)) *plan.Finished {
		return over(board.KindReviewer, final, edits...)
	}
	toOwner := []string{"state human-review from in-progress", "comment", "release", "forget"}
	back := []string{"state changes-requested from in-progress", "comment", "release", "forget"}
	again := []string{"comment", "retry"}
	request := onPR(reviewed("v1", "ann", "please\nrename it", board.ReviewChangesRequested))
	cases := []struct {
		line string
		name string
		fin  *plan.Finished
		want []string
		text string
	}{
		{"PR already MERGED", "merged", rev(pass, onPR(merged(5))), []string{"release", "notice", "forget"}, ""},
		{"PASS", "pass", rev(pass), toOwner, "VERDICT: PASS at aaaaaaaa. Pull request #7 waits for your merge."},
		{"PASS: reviews of the bot are filtered", "the bot's own review", rev(pass, onPR(reviewed("v0", "rev[bot]", "nit", board.ReviewComment))), toOwner, ""},
		{"PASS: the rest with a body are the owner's", "an approval without words", rev(pass, onPR(reviewed("v0", "ann", "  ", board.ReviewComment))), toOwner, ""},
		{"PASS with an unaddressed owner change request", "overridden", rev(pass, request), back, "> please\n> rename it"},
		{"PASS with an unaddressed owner change request", "overridden by a comment", rev(pass, onPR(reviewed("v1", "ann", "rename", board.ReviewComment))), back, "> rename"},
		{"PASS with an unaddressed owner change request", "overridden by bare changes requested", rev(pass, onPR(reviewed("v1", "ann", "", board.ReviewChangesRequested))), back, "overridden"},
		{"design 8: that a verified run's prompt carried", "addressed", rev(pass, request, issue(said(20, "dispatcher", board.WithMark("#7 is ready for review.", board.Mark{Run: "r0", Kind: board.KindDeveloper, Carried: []string{"v1"}})))), toOwner, ""},
		{"design 8: verified", "carried by a failed run", rev(pass, request, issue(said(20, "dispatcher", board.WithMark("Try 1", board.Mark{Run: "r0", Kind: board.KindDeveloper, Try: 1, Carried: []string{"v1"}})))), back, ""},
		{"design 8: of a developer run", "carried by a review", rev(pass, request, issue(said(20, "dispatcher", board.WithMark("x", board.Mark{Run: "r0", Kind: board.KindReviewer, Carried: []string{"v1"}})))), back, ""},
		{"design 10: read only from our own roles", "a mark in an owner's comment", rev(pass, request, issue(said(20, "owner", board.WithMark("x", board.Mark{Run: "r0", Kind: board.KindDeveloper, Carried: []string{"v1"}})))), back, ""},
		{"CHANGES_REQUESTED", "changes", rev(changes), back, "VERDICT: CHANGES_REQUESTED at aaaaaaaa"},
		{"design 7: a verdict counts for the head it was given on", "head moved, pass", rev(pass, onPR(func(p *board.PullRequest) { p.HeadSHA = "bbbb" })), []string{"assign reviewer", "forget"}, ""},
		{"design 7: a verdict counts for the head it was given on", "head moved, changes", rev(changes, onPR(func(p *board.PullRequest) { p.HeadSHA = "bbbb" })), []string{"assign reviewer", "forget"}, ""},
		{"QUESTION: verify parking writes", "all three written", rev(asks, issue(wrote("reviewer", "keep?"), inColumn(question, "reviewer"), released)), []string{"forget"}, ""},
		{"QUESTION: verify parking writes", "state and release missing", rev(asks, issue(wrote("reviewer", "keep?"))), []string{"state question from in-progress", "release", "forget"}, ""},
		{"QUESTION: verify parking writes", "nothing written", rev(asks), again, "question without writing one"},
		{"a reviewer's comment parks nothing by itself", "pass with its comment", rev(pass, issue(wrote("reviewer", "short"))), toOwner, ""},
		{"no verdict / failed: retry once", "no verdict", rev("looks good"), again, "VERDICT"},
		{"no verdict / failed: retry once", "died", rev("", died("exit status 2")), again, "exit status 2"},
		{"no verdict / failed: retry once", "pull request closed", rev(pass, onPR(shut)), again, "not open any more"},
		{"design 6: a worker's own release is no supersession", "failed, and released", rev("bye", issue(released)), []string{"comment", "assign reviewer", "forget"}, "Try 1"},
		{"design 6: a worker's own release is no supersession", "passed, and released", rev(pass, issue(released)), []string{"state human-review from in-progress", "comment", "forget"}, ""},
		{"then needs human attention, leave delegated to the reviewer", "failed twice", rev("", died("exit status 2"), try(2)), []string{"comment", "assign reviewer", "notice", "forget"}, "needs human attention: AI review failed twice - exit status 2"},
		{"then needs human attention", "failed three times", rev("", died("x"), try(3)), []string{"comment", "assign reviewer", "notice", "forget"}, "AI review failed 3 times"},
		{"design 4: drains consume nothing", "stopped by us", rev("", died("stopped"), func(f *plan.Finished) { f.Exit.Stopped = true }), []string{"assign reviewer", "forget"}, ""},
		{"No cap on review rounds", "the tenth round", rev(changes, func(f *plan.Finished) { f.Issue.Comments = make([]board.Comment, 10) }), back, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := plan.Route(c.fin)
			if !slices.Equal(ops(got), c.want) {
				t.Fatalf("%s: decided %q, want %q\n%+v", c.line, ops(got), c.want, got)
			}
			if text := textOf(got, state.OpComment); !strings.Contains(text, c.text) {
				t.Fatalf("%s: says %q, want %q in it", c.line, text, c.text)
			}
		})
	}
}

// TestOwnerAndOthersComeFirst: rows that were moved, taken over or settled
// before are not routed (Transitions; design.md, sections 4 and 6).
func TestOwnerAndOthersComeFirst(t *testing.T) {
	t.Parallel()
	theirs := issue(func(i *board.Issue) { i.Claim = &board.Claim{Session: "other", Stamp: ago(1)} })
	marked := func(k board.Kind) func(*plan.Finished) {
		return func(f *plan.Finished) {
			m := board.Mark{Run: "run-DSP-1", Kind: k}
			if f.Exit.Problem != "" {
				m.Try = f.Run.Attempt
			}
			issue(wrote("dispatcher", board.WithMark("x", m)))(f)
		}
	}
	cases := []struct {
		name string
		fin  *plan.Finished
		want []string
	}{
		{"superseded", over(board.KindDeveloper, complete, theirs), []string{"notice", "forget"}},
		{"superseded, although merged", over(board.KindDeveloper, complete, theirs, onPR(merged(1))), []string{"notice", "forget"}},
		{"superseded by a reviewer", over(board.KindReviewer, pass, theirs), []string{"notice", "forget"}},
		{"given to another agent", over(board.KindDeveloper, complete, issue(delegated("another"))), []string{"notice", "forget"}},
		{"given to another agent, claim gone", over(board.KindReviewer, pass, issue(released, delegated("another"))), []string{"notice", "forget"}},
		{"moved by the owner to Backlog", over(board.KindDeveloper, complete, issue(inColumn(backlog, "owner"))), []string{"release", "forget"}},
		{"moved by the owner to Ready", over(board.KindDeveloper, "", died("x"), issue(inColumn(ready, "owner"))), []string{"release", "forget"}},
		{"moved by the owner during a review", over(board.KindReviewer, pass, issue(inColumn(rework, "owner"))), []string{"release", "forget"}},
		{"moved by the owner to a state without a role", over(board.KindReviewer, pass, issue(inColumn(board.RoleNone, "owner"))), []string{"release", "forget"}},
		{"moved by review sync, its release cut off", over(board.KindReviewer, pass, issue(inColumn(rework, "automation"))), []string{"release", "forget"}},
		{"moved, nobody knows by whom", over(board.KindDeveloper, complete, issue(inColumn(ready, ""))), []string{"release", "forget"}},
		{"moved and released", over(board.KindReviewer, pass, issue(inColumn(rework, "automation"), released)), []string{"forget"}},
		{"closed", over(board.KindDeveloper, complete, issue(inColumn(done, "automation"), released)), []string{"forget"}},
		{"taken by a person", over(board.KindDeveloper, complete, issue(released, func(i *board.Issue) { i.Assignee = "ann" })), []string{"forget"}},
		{"parked by the owner himself", over(board.KindDeveloper, complete, issue(inColumn(question, "owner"))), []string{"release", "forget"}},

		{"a settlement cut before its forget: assigned", over(board.KindDeveloper, complete, issue(func(i *board.Issue) { i.Claim, i.Delegate = nil, "reviewer" })), []string{"forget"}},
		{"a settlement cut before its forget: given up", over(board.KindDeveloper, "", died("x"), try(2), issue(released), marked(board.KindDeveloper)), []string{"forget"}},
		{"a released review, its settlement cut before the assign", over(board.KindReviewer, "", died("x"), try(2), issue(released), marked(board.KindReviewer)), []string{"comment", "assign reviewer", "notice", "forget"}},
		{"a released review, its settlement cut after the move", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher"), released)), []string{"state human-review from in-progress", "comment", "forget"}},
		{"a settlement cut before its forget: passed", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher"), released), marked(board.KindReviewer)), []string{"forget"}},
		{"a settlement cut after its move: passed", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher"))), []string{"state human-review from in-progress", "comment", "release", "forget"}},
		{"a settlement cut after its move: sent back", over(board.KindReviewer, changes, issue(inColumn(rework, "dispatcher"))), []string{"state changes-requested from in-progress", "comment", "release", "forget"}},
		{"passed, cut, and then the owner asked for more", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher")), onPR(reviewed("v1", "ann", "rename", board.ReviewChangesRequested))), []string{"state human-review from in-progress", "comment", "release", "forget"}},
		{"passed, cut, and then the head moved", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher")), onPR(func(p *board.PullRequest) { p.HeadSHA = "bbbb" })), []string{"state human-review from in-progress", "comment", "release", "forget"}},
		{"sent back, cut, and the report lost", over(board.KindReviewer, "", issue(inColumn(rework, "dispatcher"))), []string{"state changes-requested from in-progress", "comment", "release", "forget"}},
		{"passed, cut, and the pull request gone", over(board.KindReviewer, pass, issue(inColumn(review, "dispatcher")), noPR), []string{"release", "forget"}},
		{"an abort cut after its move", over(board.KindDeveloper, "", died("stopped"), issue(inColumn(ready, "dispatcher"))), []string{"release", "forget"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOps(t, plan.Route(c.fin), c.want...)
		})
	}
}

// TestCarriedRequests: what the prompt of a developer carried stands in the
// comment that hands its work to the reviewer, and counts from then on.
func TestCarriedRequests(t *testing.T) {
	t.Parallel()
	f := over(board.KindDeveloper, complete, onPR(reviewed("v1", "ann", "rename", board.ReviewChangesRequested)), func(f *plan.Finished) { f.Run.Carried = []string{"v1"} })
	if open := plan.OwnerRequests(&f.Issue, f.PR); len(open) != 1 || open[0].ID != "v1" {
		t.Fatalf("open requests: %+v", open)
	}
	text := textOf(plan.Route(f), state.OpComment)
	m, ok := board.ParseMark(text)
	if !ok || !slices.Equal(m.Carried, []string{"v1"}) || m.Try != 0 || m.Kind != board.KindDeveloper || m.Head != f.PR.HeadSHA || m.Run != f.Run.ID {
		t.Fatalf("the comment's machine line is %+v of %q", m, text)
	}
	said(1, board.ActorDispatcher, text)(&f.Issue)
	if open := plan.OwnerRequests(&f.Issue, f.PR); len(open) != 0 {
		t.Fatalf("still open: %+v", open)
	}
	if plan.OwnerRequests(&f.Issue, nil) != nil {
		t.Error("requests without a pull request")
	}
}

// TestNobodyElseIsRouted: a kind without a route fails its try, it is never
// passed on.
func TestNobodyElseIsRouted(t *testing.T) {
	t.Parallel()
	wantOps(t, plan.Route(over("stranger", complete)), "comment", "retry")
}
