package plan_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

var (
	anyRole     = rapid.SampledFrom(append(board.Roles(), board.RoleNone))
	anyDelegate = rapid.SampledFrom([]board.Delegate{"", "", "developer", "reviewer", "codegen"})
	anyActor    = rapid.SampledFrom([]board.ActorKind{"", board.ActorOwner, board.ActorDispatcher, board.ActorAutomation, board.ActorDeveloper, board.ActorReviewer})
	anyKind     = rapid.SampledFrom([]board.Kind{board.KindDeveloper, board.KindReviewer, board.KindCleaner})
	anyPhase    = rapid.SampledFrom([]state.Phase{state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting, state.PhaseRunning, state.PhaseEnded, state.PhaseVerifying, state.PhaseRetrying})
	anyMinute   = rapid.Custom(func(t *rapid.T) time.Time { return ago(rapid.IntRange(-5, 120).Draw(t, "minutes ago")) })
	anyBody     = rapid.Custom(func(t *rapid.T) string {
		m := board.Mark{Run: "an older run", Kind: anyKind.Draw(t, "kind"), Try: rapid.IntRange(0, 2).Draw(t, "try"), Head: rapid.SampledFrom([]string{"", "aaaaaaaaaaaa", "old"}).Draw(t, "head"), Carried: rapid.SampledFrom([][]string{nil, {"v1"}}).Draw(t, "carried")}
		return rapid.SampledFrom([]string{"a note", "a or b?", board.AttentionText("x"), board.HeldText("y"), board.ClearedText(""), board.WithMark("z", m), board.WithMark(board.AttentionText("w"), m)}).Draw(t, "body")
	})
)

// anyIssue is a row that boards can hold, sense or not.
func anyIssue(ref board.Ref) *rapid.Generator[board.Issue] {
	return rapid.Custom(func(t *rapid.T) board.Issue {
		role := anyRole.Draw(t, "role")
		i := row(ref, role, delegated(anyDelegate.Draw(t, "delegate")), func(i *board.Issue) {
			i.StateBy, i.StateSince, i.PrevRole = anyActor.Draw(t, "moved by"), anyMinute.Draw(t, "moved"), anyRole.Draw(t, "from")
		})
		switch rapid.IntRange(0, 9).Draw(t, "claim") {
		case 0, 1, 2, 3:
			i.Claim = &board.Claim{Kind: anyKind.Draw(t, "claim kind"), Session: "run-" + string(ref), Run: "run-" + string(ref), Stamp: ago(1)}
		case 4:
			i.Claim = &board.Claim{Session: "other", Stamp: anyMinute.Draw(t, "stamp")}
		}
		i.Assignee = rapid.SampledFrom([]string{"", "", "", "ann"}).Draw(t, "assignee")
		i.Labels = rapid.SampledFrom([][]string{nil, nil, {"Confirm with user"}, {"agent:fast"}, {"agent:nobody"}}).Draw(t, "labels")
		if rapid.IntRange(0, 9).Draw(t, "blocked") == 0 {
			i.Blockers = []board.Blocker{{Ref: "DSP-99", Open: rapid.Bool().Draw(t, "open")}}
		}
		if rapid.IntRange(0, 9).Draw(t, "child") == 0 {
			i.Parent = "DSP-2"
		}
		if rapid.IntRange(0, 19).Draw(t, "broken") == 0 {
			i.Unreadable = "cut"
		}
		i.Body = rapid.SampledFrom([]string{"", "- [x] a", "- [ ] a"}).Draw(t, "boxes")
		i.PRs = rapid.SampledFrom([][]string{nil, {"#1"}, {"https://forge.test/3"}}).Draw(t, "links")
		for n := range rapid.IntRange(0, 4).Draw(t, "comments") {
			i.Comments = append(i.Comments, board.Comment{ID: fmt.Sprint(n), Role: anyActor.Draw(t, "who"), Body: anyBody.Draw(t, "body"), At: ago(50 - n), Run: rapid.SampledFrom([]string{"", "run-DSP-1"}).Draw(t, "by run")})
		}
		return i
	})
}

var anyPull = rapid.Custom(func(t *rapid.T) board.PullRequest {
	n := rapid.IntRange(1, 6).Draw(t, "number")
	p := board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), URL: rapid.SampledFrom([]string{"", "https://forge.test/3"}).Draw(t, "url"),
		State: rapid.SampledFrom([]board.PullState{board.PullOpen, board.PullOpen, board.PullMerged, board.PullClosed}).Draw(t, "state"),
		Draft: rapid.Bool().Draw(t, "draft"), ByAgent: rapid.IntRange(0, 4).Draw(t, "foreign") > 0, Author: "x",
		Base:      rapid.SampledFrom([]string{"main", "main", "next"}).Draw(t, "base"),
		Head:      rapid.SampledFrom([]string{"task/dsp-1-a", "task/dsp-1-b-c", "task/dsp-10-a", "task/dsp-", "task/-", "other", ""}).Draw(t, "head"),
		HeadSHA:   rapid.SampledFrom([]string{"aaaaaaaaaaaa", "bbbb"}).Draw(t, "sha"),
		Checks:    rapid.SampledFrom([]board.CheckState{board.ChecksNone, board.ChecksGreen, board.ChecksPending, board.ChecksRed, board.ChecksUnknown}).Draw(t, "checks"),
		Issues:    rapid.SampledFrom([][]board.Ref{nil, {"DSP-1"}, {"dsp-2", "DSP-3"}}).Draw(t, "fixes"),
		Mergeable: board.MergeUnknown,
	}
	if p.State == board.PullMerged {
		p.MergedAt = anyMinute.Draw(t, "merged")
	}
	if rapid.IntRange(0, 3).Draw(t, "reviewed") == 0 {
		p.Reviews = []board.Review{{ID: "v1", Author: "ann", Body: "rename", State: board.ReviewChangesRequested}}
	}
	return p
})

var anyFacts = rapid.Custom(func(t *rapid.T) *plan.Facts {
	f := facts(nil)
	for n := range rapid.IntRange(0, 12).Draw(t, "rows") {
		f.Rows = append(f.Rows, anyIssue(board.Ref(fmt.Sprintf("DSP-%d", n+1))).Draw(t, "row"))
	}
	for n := range rapid.IntRange(0, 6).Draw(t, "pulls") {
		p := anyPull.Draw(t, "pull")
		p.Number, p.Name = n+1, fmt.Sprintf("#%d", n+1)
		f.Pulls = append(f.Pulls, p)
	}
	for range rapid.IntRange(0, 4).Draw(t, "runs") {
		r := running(board.Ref(fmt.Sprintf("DSP-%d", rapid.IntRange(1, 14).Draw(t, "run on"))), anyKind.Draw(t, "kind"))
		r.Phase = anyPhase.Draw(t, "phase")
		f.Runs = append(f.Runs, r)
	}
	f.Mode = rapid.SampledFrom([]state.Mode{state.ModeRunning, state.ModeRunning, state.ModeRunning, state.ModePaused, state.ModeDraining, state.ModeAborting, state.ModeStopped}).Draw(t, "mode")
	f.Settings.Caps = plan.Caps{Developers: rapid.IntRange(0, 4).Draw(t, "developers"), Reviewers: rapid.IntRange(0, 4).Draw(t, "reviewers"), Cleaners: 1, Total: rapid.IntRange(0, 6).Draw(t, "total")}
	return f
})

// TestTopUpHolds: whatever the facts, no cap is passed, nothing that a rule
// holds is started, nothing twice, and the same facts give the same answer.
func TestTopUpHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Draw(t, "facts")
		ds := plan.TopUp(f)
		if again := plan.TopUp(f); !reflect.DeepEqual(ds, again) {
			t.Fatalf("the same facts start %v and then %v", started(ds), started(again))
		}
		busy, all := map[board.Kind]int{}, 0
		for _, r := range f.Runs {
			if r.Alive() {
				busy[r.Kind]++
				all++
			}
		}
		room := map[board.Kind]int{}
		for _, k := range board.Kinds() {
			room[k] = max(0, f.Settings.Caps.Of(k)-busy[k])
		}
		seen := map[board.Ref]bool{}
		for _, d := range ds {
			room[d.Kind]--
			if room[d.Kind] < 0 {
				t.Fatalf("more %ss than allowed: %v", d.Kind, started(ds))
			}
			if j := plan.Judge(f, &d.Issue); j.Hold != "" || j.Kind != d.Kind {
				t.Fatalf("%s is started although %q", d.Issue.Ref, j.Waits)
			}
			if seen[d.Issue.Ref] {
				t.Fatalf("%s is started twice", d.Issue.Ref)
			}
			seen[d.Issue.Ref] = true
		}
		if len(ds) > max(0, f.Settings.Caps.Total-all) || len(ds) > 0 && f.Mode != state.ModeRunning {
			t.Fatalf("starts %v in mode %s", started(ds), f.Mode)
		}
	})
}

// TestRowsAgreeWithTheRules: the screen shows what the rules say, row by row,
// and the status is always one of its three texts.
func TestRowsAgreeWithTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Draw(t, "facts")
		rows := plan.Rows(f)
		for n := range f.Rows {
			j := plan.Judge(f, &f.Rows[n])
			if want := plan.PullOf(&f.Rows[n], f.Pulls); j.PR != want {
				t.Fatalf("%s: the rules see %+v, PullOf %+v", f.Rows[n].Ref, j.PR, want)
			}
			r := rows[n]
			if j.Hold != "" && (r.Hold != j.Hold || r.Waits != j.Waits || r.Next) {
				t.Fatalf("%s: judged %q, shown %q", r.Issue.Ref, j.Hold, r.Hold)
			}
			if r.Hold == "" || r.Waits == "" && r.Hold != plan.HoldClosed && r.Hold != plan.HoldWorked {
				t.Fatalf("%s waits without a reason: %+v", r.Issue.Ref, r)
			}
		}
		text := plan.Status(f, rows, plan.Needs(f, rows))
		if !slices.ContainsFunc([]string{"at a cap", "out of work", "blocked on you"}, func(h string) bool { return len(text) >= len(h) && text[:len(h)] == h }) {
			t.Fatalf("the status reads %q", text)
		}
	})
}

var anyFinished = rapid.Custom(func(t *rapid.T) *plan.Finished {
	k := anyKind.Draw(t, "kind")
	r := running("DSP-1", k)
	r.Attempt, r.Phase, r.ClaimedAt = rapid.IntRange(1, 3).Draw(t, "try"), state.PhaseEnded, anyMinute.Draw(t, "claimed")
	r.Head = rapid.SampledFrom([]string{"", "aaaaaaaaaaaa"}).Draw(t, "judged")
	r.PriorRole = rapid.SampledFrom([]board.Role{ready, rework, work}).Draw(t, "prior")
	if rapid.Bool().Draw(t, "verifying") {
		r.Phase, r.VerifyingSince = state.PhaseVerifying, anyMinute.Draw(t, "since")
	}
	// The engine routes nothing on a row that it cannot read.
	issue := anyIssue("DSP-1").Draw(t, "issue")
	issue.Unreadable = ""
	final := rapid.SampledFrom([]string{"", "bye", complete, incomplete, pass, changes, asks}).Draw(t, "final")
	f := &plan.Finished{Now: noon, Run: r, Report: report.Parse(k, final), Issue: issue, Settings: settings()}
	f.Exit = state.WorkerExit{Final: final, Stopped: rapid.IntRange(0, 4).Draw(t, "stopped") == 0, Problem: rapid.SampledFrom([]string{"", "", "killed"}).Draw(t, "problem")}
	if rapid.IntRange(0, 9).Draw(t, "limit") == 0 {
		f.Exit.LimitUntil = anyMinute.Draw(t, "until")
	}
	if rapid.IntRange(0, 3).Draw(t, "pull") > 0 {
		p := anyPull.Draw(t, "pull request")
		f.PR = &p
	}
	return f
})

// TestRouteIsTotal: every finished run has a route that ends it, arms a retry
// or keeps it for its checks; the route holds to the order of a settlement;
// and cut anywhere and carried out again, it comes to the same end.
func TestRouteIsTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := anyFinished.Draw(t, "finished")
		ds := plan.Route(f)
		if fault := settlementFault(f, ds); fault != "" {
			t.Fatalf("%s: %v", fault, ops(ds))
		}
		if again := plan.Route(f); !reflect.DeepEqual(ds, again) {
			t.Fatalf("the same facts route %v and then %v", ops(ds), ops(again))
		}
		whole := *f
		apply(&whole, ds)
		cut := *f
		apply(&cut, ds[:rapid.IntRange(0, len(ds)-1).Draw(t, "cut after")])
		rest := plan.Route(&cut)
		if fault := settlementFault(&cut, rest); fault != "" {
			t.Fatalf("after the cut %s: %v", fault, ops(rest))
		}
		apply(&cut, rest)
		if diff := cmp.Diff(whole.Issue, cut.Issue); diff != "" {
			t.Fatalf("whole %v, cut and again %v: (-whole +cut)\n%s", ops(ds), ops(rest), diff)
		}
	})
}

// settlementFault says what is wrong with a list of decisions.
func settlementFault(f *plan.Finished, ds []state.Decision) string {
	if len(ds) == 0 {
		return "nothing is decided"
	}
	last := ds[len(ds)-1].Op
	if last != state.OpForget && last != state.OpRetry && last != state.OpVerify {
		return "it ends with " + string(last)
	}
	given := false
	for n, d := range ds {
		if d.Ref != f.Run.Ref {
			return "it touches another row"
		}
		switch d.Op {
		case state.OpForget, state.OpRetry, state.OpVerify:
			if n != len(ds)-1 {
				return "something follows " + string(d.Op)
			}
		case state.OpRelease, state.OpAssign:
			given = true
		case state.OpSetState, state.OpComment, state.OpLinkPR:
			if given {
				return string(d.Op) + " comes after the row was given up"
			}
			if d.Op == state.OpSetState && d.Role != f.Issue.Role && board.MayMove(board.Actor{Kind: board.ActorDispatcher}, &f.Issue, d.Role, false) != nil {
				return "the dispatcher may not move it to " + d.Role.Word()
			}
		case state.OpNotice, state.OpDone:
		}
	}
	return ""
}

// apply carries decisions out on the row as the engine does: a move that is
// made already and a comment that is written already are passed over.
func apply(f *plan.Finished, ds []state.Decision) {
	i := &f.Issue
	i.Comments = slices.Clone(i.Comments)
	for _, d := range ds {
		switch d.Op {
		case state.OpSetState:
			if i.Role != d.Role {
				inColumn(d.Role, board.ActorDispatcher)(i)
			}
		case state.OpAssign:
			i.Delegate, i.Claim = d.Delegate, nil
		case state.OpRelease:
			i.Claim, i.Delegate, i.Assignee = nil, board.DelegateNone, ""
		case state.OpComment:
			m, _ := board.ParseMark(d.Text)
			written := slices.ContainsFunc(i.Comments, func(c board.Comment) bool {
				o, ok := board.ParseMark(c.Body)
				return ok && c.Role == board.ActorDispatcher && o.Run == m.Run && o.Try == m.Try
			})
			if !written {
				i.Comments = append(i.Comments, board.Comment{Role: board.ActorDispatcher, Body: d.Text, At: noon})
			}
		case state.OpLinkPR:
			if !slices.Contains(i.PRs, d.PR) {
				i.PRs = append(slices.Clone(i.PRs), d.PR)
			}
		case state.OpDone:
			inColumn(done, board.ActorAutomation)(i)
			i.Closed, i.Claim, i.Delegate, i.Assignee = true, nil, board.DelegateNone, ""
		case state.OpForget, state.OpRetry, state.OpVerify, state.OpNotice:
		}
	}
}
