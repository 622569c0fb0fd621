package present

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
)

var now = time.Date(2026, 8, 27, 14, 17, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

func TestDescribeSaysWhyARowStands(t *testing.T) {
	t.Parallel()
	th := themes.For(true)
	signs := th.Styles().Signs
	green := &state.Pull{Ref: "A-1", PR: board.PullRequest{Name: "#35", Checks: board.ChecksGreen, CheckRuns: []board.Check{{State: board.ChecksGreen}, {State: board.ChecksGreen}}, Mergeable: board.MergeClean}}
	behind := &state.Pull{Ref: "A-1", PR: board.PullRequest{Name: "#36", Checks: board.ChecksRed, CheckRuns: []board.Check{{Name: "lint", State: board.ChecksRed}}, Behind: 3}}
	conflict := &state.Pull{Ref: "A-1", PR: board.PullRequest{Name: "#37", Mergeable: board.MergeConflict}}
	sent := &state.Pull{Ref: "A-1", PR: board.PullRequest{Name: "#38", Reviews: []board.Review{{State: board.ReviewChangesRequested}}}}
	worker := func(p state.Phase, f func(*state.Worker)) *state.Worker {
		w := &state.Worker{Run: state.Run{ID: "r", Kind: board.KindDeveloper, Attempt: 1, Phase: p, StartedAt: ago(12 * time.Minute)}, LastSign: now}
		if f != nil {
			f(w)
		}
		return w
	}
	for name, tc := range map[string]struct {
		row    state.Row
		worker *state.Worker
		pull   *state.Pull
		want   string
	}{
		"running": {state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseRunning, func(w *state.Worker) { w.Activity = "reads\x1b[2J" }), nil, "● dev 12m · reads␛[2J"},
		"quiet":   {state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseRunning, func(w *state.Worker) { w.LastSign = ago(11 * time.Minute) }), nil, "○ dev 12m · quiet for 11m"},
		"starting": {
			state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseStarting, nil), nil, "◐ dev starting",
		},
		"ended": {state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseEnded, nil), nil, "✓ dev finished · reading the result"},
		"verifying": {
			state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseVerifying, func(w *state.Worker) { w.Run.VerifyingSince = ago(3 * time.Minute) }), nil, "◐ verifying 3m · checks run",
		},
		"retrying": {
			state.Row{Run: "r", Issue: board.Issue{Role: board.RoleInProgress}}, worker(state.PhaseRetrying, func(w *state.Worker) { w.Run.NotBefore, w.Run.Failure = now.Add(20*time.Second), "exit 1" }), nil, "◐ try 2 in 0:20 · exit 1",
		},
		"other session":   {state.Row{Hold: "claim", Issue: board.Issue{Role: board.RoleInProgress, Claim: &board.Claim{Kind: board.KindReviewer, Stamp: ago(97 * time.Minute)}}}, nil, nil, "○ rev 97m · another session"},
		"a person":        {state.Row{Issue: board.Issue{Role: board.RoleInProgress, Assignee: "anna"}}, nil, nil, "● anna works it"},
		"given up":        {state.Row{Hold: "attention", Waits: "failed twice", Issue: board.Issue{Role: board.RoleInProgress, Claim: &board.Claim{}}}, nil, nil, "! failed twice"},
		"held":            {state.Row{Hold: "held", Waits: "held by owner", Issue: board.Issue{Role: board.RoleInProgress}}, nil, nil, "= held by owner"},
		"question":        {state.Row{Hold: "question", Issue: board.Issue{Role: board.RoleQuestion, StateSince: ago(14 * time.Minute)}}, nil, nil, "? asked 14m ago"},
		"review":          {state.Row{Issue: board.Issue{Role: board.RoleHumanReview, StateSince: ago(3 * time.Hour)}}, nil, green, "✓ #35 2/2 · 3h"},
		"review behind":   {state.Row{Issue: board.Issue{Role: board.RoleHumanReview, StateSince: ago(3 * time.Hour)}}, nil, behind, "✗ #36 lint · behind 3 · 3h"},
		"review conflict": {state.Row{Issue: board.Issue{Role: board.RoleHumanReview, StateSince: ago(3 * time.Hour)}}, nil, conflict, "✗ #37 conflicts with main · 3h"},
		"review alone":    {state.Row{Issue: board.Issue{Role: board.RoleHumanReview, StateSince: ago(3 * time.Hour)}}, nil, nil, "! waits for your review · 3h"},
		"changes":         {state.Row{Next: true, Hold: "next", Waits: "next developer", Issue: board.Issue{Role: board.RoleChangesRequested}}, nil, sent, "↑ next developer · round 2 · #38"},
		"next":            {state.Row{Next: true, Issue: board.Issue{Role: board.RoleReady}}, nil, nil, "↑ next in line"},
		"blocked":         {state.Row{Hold: "blocked", Waits: "blocked by A-2", Issue: board.Issue{Role: board.RoleReady, Blockers: []board.Blocker{{Ref: "A-2", Open: true}}}}, nil, nil, "⊘ blocked by A-2"},
		"unreadable":      {state.Row{Issue: board.Issue{Role: board.RoleReady, Unreadable: "cut in half"}}, nil, nil, "✗ unreadable: cut in half"},
		"done":            {state.Row{Issue: board.Issue{Role: board.RoleDone, StateSince: ago(50 * time.Hour)}}, nil, nil, "✓ done 2d ago"},
		"no reason":       {state.Row{Issue: board.Issue{Role: board.RoleReady}}, nil, nil, "= no reason known yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Describe(&tc.row, tc.worker, tc.pull, now, &signs)
			if got := s.Sign + " " + s.Text; got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestNeedsAreSummedUp(t *testing.T) {
	t.Parallel()
	need := func(k state.NeedKind, ref board.Ref) state.Need {
		return state.Need{Kind: k, Ref: ref, Since: ago(14 * time.Minute)}
	}
	for want, needs := range map[string][]state.Need{
		"": nil,
		"A-1 question, 14m · A-2 gave up, 14m · 1 to review": {need(state.NeedQuestion, "A-1"), need(state.NeedAttention, "A-2"), need(state.NeedReview, "A-3")},
		"3 questions · 2 to confirm":                         {need(state.NeedQuestion, "A-1"), need(state.NeedQuestion, "A-2"), need(state.NeedQuestion, "A-3"), need(state.NeedConfirm, "A-4"), need(state.NeedConfirm, "A-5")},
	} {
		if got := Needs(needs, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWorkersInWords(t *testing.T) {
	t.Parallel()
	w := &state.Worker{Run: state.Run{Ref: "A-1", Kind: board.KindDeveloper, Attempt: 2, StartedAt: ago(12 * time.Minute), Worktree: "/x/y/a-1"}, CostUSD: 0.43, Tokens: 48_000}
	if got, want := WorkerTitle(w, now), "A-1 developer · try 2 · 12m · $0.43 · 48k tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := WorkerPlace(w), "worktree a-1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	th := themes.For(true)
	signs := th.Styles().Signs
	w.Outcome, w.Run.EndedAt = "gave up: exit 1", ago(5*time.Minute)
	s := WorkerState(w, now, &signs)
	if s.Sign != "✗" || !strings.Contains(s.Text, "gave up: exit 1 · 5m ago") {
		t.Errorf("%+v", s)
	}
	if got, want := WorkerTitle(w, now), "A-1 developer · try 2 · ran 7m · $0.43 · 48k tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMergeInWords(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]board.PullRequest{
		"clean":                  {Mergeable: board.MergeClean},
		"clean · behind 2":       {Mergeable: board.MergeClean, Behind: 2},
		"conflict · behind 7":    {Mergeable: board.MergeConflict, Behind: 7},
		"unknown yet":            {Mergeable: board.MergeUnknown},
		"unknown yet · behind 1": {Behind: 1},
	} {
		if got, _ := Merge(&p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
