package plan_test

import (
	"slices"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// behind is a pull request that merges cleanly and lacks so many commits.
func behind(n int) func(*board.PullRequest) {
	return func(p *board.PullRequest) {
		p.Behind, p.BaseSHA = n, "bbbbbbbbbbbb"
		if p.Mergeable == "" {
			p.Mergeable = board.MergeClean
		}
	}
}

func merges(m board.Mergeable) func(*board.PullRequest) {
	return func(p *board.PullRequest) { p.Mergeable = m }
}

// idleBranches says that no branch of a pull request is checked out.
func idleBranches(f *plan.Facts) *plan.Facts {
	f.CheckedOut = map[string]bool{"main": true}
	return f
}

// TestFreshen: each line of dispatcher-system.md, Maintenance, Freshen PRs, and
// of design.md, section 7, on reviews.
func TestFreshen(t *testing.T) {
	t.Parallel()
	waiting := []board.Issue{row("DSP-1", review)}
	reviewing := func(session string, minutes int) []board.Issue {
		return []board.Issue{row("DSP-1", work, delegated(board.DelegateReviewer), func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: board.KindReviewer, Session: session, Stamp: ago(minutes)}
		})}
	}
	of := func(k board.Kind, p state.Phase) func(*plan.Facts) {
		return func(f *plan.Facts) {
			r := running("DSP-1", k)
			r.Phase = p
			f.Runs = []state.Run{r}
		}
	}
	cases := []struct {
		line  string
		rows  []board.Issue
		pr    board.PullRequest
		edit  func(*plan.Facts)
		fresh bool
	}{
		{"behind main", waiting, pull(1, "DSP-1", behind(2)), nil, true},
		{"behind by nothing", waiting, pull(1, "DSP-1", behind(0)), nil, false},
		{"Skip PRs not authored by the developer app", waiting, pull(1, "DSP-1", behind(2), foreign), nil, false},
		{"branches checked out in any local worktree", waiting, pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.CheckedOut["task/dsp-1-work"] = true }, false},
		{"what is checked out is not known", waiting, pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.CheckedOut = nil }, false},
		{"drafts", waiting, pull(1, "DSP-1", behind(2), draft), nil, false},
		{"conflicting ones go to the cleaner", waiting, pull(1, "DSP-1", merges(board.MergeConflict), behind(2)), nil, false},
		{"re-query mergeable if UNKNOWN", waiting, pull(1, "DSP-1", merges(board.MergeUnknown), behind(2)), nil, false},
		{"merged ones", waiting, pull(1, "DSP-1", behind(2), merged(1)), nil, false},
		{"closed ones", waiting, pull(1, "DSP-1", behind(2), shut), nil, false},
		{"whose review is running", reviewing("run-DSP-1", 1), pull(1, "DSP-1", behind(2)), of(board.KindReviewer, state.PhaseRunning), false},
		{"whose review began after the row was read", waiting, pull(1, "DSP-1", behind(2)), of(board.KindReviewer, state.PhaseRunning), false},
		{"whose review is starting", reviewing("run-DSP-1", 1), pull(1, "DSP-1", behind(2)), of(board.KindReviewer, state.PhaseClaiming), false},
		{"whose review has ended and is not settled", reviewing("run-DSP-1", 1), pull(1, "DSP-1", behind(2)), of(board.KindReviewer, state.PhaseEnded), false},
		{"whose checks are being verified", reviewing("run-DSP-1", 1), pull(1, "DSP-1", behind(2)), of(board.KindDeveloper, state.PhaseVerifying), false},
		{"under another session's review", reviewing("other", 10), pull(1, "DSP-1", behind(2)), nil, false},
		{"whose reviewer is long gone", reviewing("other", 100), pull(1, "DSP-1", behind(2)), nil, true},
		{"whose reviewer's claim is stale but lives", reviewing("other", 100), pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.Lives = map[board.Ref]bool{"DSP-1": true} }, false},
		{"queued for review", []board.Issue{row("DSP-1", work, delegated(board.DelegateReviewer))}, pull(1, "DSP-1", behind(2)), nil, true},
		{"whose review was given up at this head: our update is no new work", []board.Issue{row("DSP-1", work, delegated(board.DelegateReviewer), movedBy(board.ActorDispatcher, 20, ready),
			said(9, board.ActorDispatcher, gaveUpText(board.KindReviewer, "aaaaaaaaaaaa")))}, pull(1, "DSP-1", behind(2)), nil, false},
		{"whose review was given up at another head", []board.Issue{row("DSP-1", work, delegated(board.DelegateReviewer), movedBy(board.ActorDispatcher, 20, ready),
			said(9, board.ActorDispatcher, gaveUpText(board.KindReviewer, "cccccccccccc")))}, pull(1, "DSP-1", behind(2)), nil, true},
		{"without an issue", nil, pull(1, "DSP-1", behind(2)), nil, true},
		{"of another milestone, under review", nil, pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.Others = reviewing("other", 1) }, false},
		{"paused", waiting, pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.Mode = state.ModePaused }, false},
		{"draining", waiting, pull(1, "DSP-1", behind(2)), func(f *plan.Facts) { f.Mode = state.ModeDraining }, false},
		{"refused three times at this head and base", waiting, pull(1, "DSP-1", behind(2)), refusedAt("aaaaaaaaaaaa", "bbbbbbbbbbbb", 3), false},
		{"refused twice", waiting, pull(1, "DSP-1", behind(2)), refusedAt("aaaaaaaaaaaa", "bbbbbbbbbbbb", 2), true},
		{"refused before the head moved", waiting, pull(1, "DSP-1", behind(2)), refusedAt("cccccccccccc", "bbbbbbbbbbbb", 3), true},
		{"refused before main moved", waiting, pull(1, "DSP-1", behind(2)), refusedAt("aaaaaaaaaaaa", "cccccccccccc", 3), true},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			f := idleBranches(facts(c.rows, c.pr))
			if c.edit != nil {
				c.edit(f)
			}
			if got := len(plan.Freshen(f)) == 1; got != c.fresh {
				t.Errorf("brought up to date: %v, want %v (%q)", got, c.fresh, plan.StaysBehind(f, &c.pr, nil))
			}
			// The loop ends by itself only when nothing of this is left.
			f.Runs = nil
			if len(plan.Freshen(f)) > 0 && plan.Idle(f, nil) {
				t.Error("idle, although something is to be brought up to date")
			}
		})
	}
}

func refusedAt(head, base string, times int) func(*plan.Facts) {
	return func(f *plan.Facts) {
		f.Refused = map[string]plan.Refusal{"#1": {Head: head, Base: base, Times: times, Why: "no"}}
	}
}

// TestFreshenOrder: most behind first, at most five.
func TestFreshenOrder(t *testing.T) {
	t.Parallel()
	f := idleBranches(facts(nil,
		pull(1, "DSP-1", behind(1)), pull(2, "DSP-2", behind(9)), pull(3, "DSP-3", behind(3)), pull(4, "DSP-4", behind(3)),
		pull(5, "DSP-5", behind(2)), pull(6, "DSP-6", behind(7)), pull(7, "DSP-7", behind(1))))
	var got []int
	for _, p := range plan.Freshen(f) {
		got = append(got, p.Number)
	}
	if want := []int{2, 6, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// TestFreshenChangesNothing: what the facts hold stays as it is.
func TestFreshenChangesNothing(t *testing.T) {
	t.Parallel()
	f := idleBranches(facts(nil, pull(1, "DSP-1", behind(1)), pull(2, "DSP-2", behind(9))))
	plan.Freshen(f)
	if f.Pulls[0].Number != 1 || f.Pulls[1].Number != 2 {
		t.Errorf("the facts were reordered: %v", f.Pulls)
	}
}
