package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

func statusOf(f *plan.Facts) string {
	rows := plan.Rows(f)
	return plan.Status(f, rows, plan.Needs(f, rows))
}

// TestStatus: each firing ends in exactly one of three texts
// (dispatcher-system.md, Status text).
func TestStatus(t *testing.T) {
	t.Parallel()
	heads := []string{"at a cap", "out of work", "blocked on you"}
	dev := func(refs ...board.Ref) []state.Run {
		var out []state.Run
		for _, r := range refs {
			out = append(out, running(r, board.KindDeveloper))
		}
		return out
	}
	cases := []struct {
		name  string
		facts *plan.Facts
		runs  []state.Run
		mode  state.Mode
		want  string
	}{
		{"at a cap", facts([]board.Issue{row("DSP-1", work), row("DSP-2", work), row("DSP-3", ready)}), dev("DSP-1", "DSP-2"), "", "at a cap: developer 2 of 2 (DSP-1, DSP-2); 1 waiting"},
		{"at a cap, and a question", facts([]board.Issue{row("DSP-1", work), row("DSP-2", work), row("DSP-3", ready), row("DSP-4", question, said(9, board.ActorDeveloper, "a or b?\nmore"))}), dev("DSP-1", "DSP-2"), "", "at a cap: developer 2 of 2 (DSP-1, DSP-2); 1 waiting · question on DSP-4: a or b?"},
		{"nothing on the board", facts(nil), nil, "", "out of work"},
		{"all done", facts([]board.Issue{row("DSP-1", done)}), nil, "", "out of work"},
		{"nothing qualifies", facts([]board.Issue{row("DSP-1", backlog), row("DSP-2", ready, blockedBy("DSP-1", true)), row("DSP-3", backlog)}), nil, "", "out of work; waiting: 2 backlog, 1 blocked"},
		{"running, nothing else", facts([]board.Issue{row("DSP-1", work)}), dev("DSP-1"), "", "out of work: developer 1 of 2 (DSP-1)"},
		{"running, and a review waits", facts([]board.Issue{row("DSP-1", work), row("DSP-2", review)}, pull(2, "DSP-2")), dev("DSP-1"), "", "out of work: developer 1 of 2 (DSP-1); waiting: 1 in review"},
		{"blocked on the owner", facts([]board.Issue{row("DSP-1", review), row("DSP-2", backlog)}, pull(1, "DSP-1"), pull(9, "DSP-9"), pull(8, "DSP-8", shut)), nil, "", "blocked on you: 2 pull requests open"},
		{"blocked on one pull request", facts([]board.Issue{row("DSP-1", review)}, pull(1, "DSP-1")), nil, "", "blocked on you: 1 pull request open"},
		{"blocked on an answer", facts([]board.Issue{row("DSP-1", question, said(9, board.ActorReviewer, "keep it?"))}), nil, "", "blocked on you: 0 pull requests open · question on DSP-1: keep it?"},
		{"given up", facts([]board.Issue{row("DSP-1", work, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, "")))}), nil, "", "blocked on you: 0 pull requests open · DSP-1 needs human attention: 2 failed dispatcher attempts - no report"},
		{"to confirm", facts([]board.Issue{row("DSP-1", ready, labelled("Confirm with user"))}), nil, "", "out of work; waiting: 1 to confirm · DSP-1 waits for your confirmation"},
		{"verifying", facts([]board.Issue{row("DSP-1", work)}), func() []state.Run { r := dev("DSP-1"); r[0].Phase = state.PhaseVerifying; return r }(), "", "out of work: DSP-1 verifying; waiting: 1 verifying"},
		{"retrying", facts([]board.Issue{row("DSP-1", work)}), func() []state.Run {
			r := dev("DSP-1")
			r[0].Phase, r[0].NotBefore = state.PhaseRetrying, noon
			return r
		}(), "", "out of work: DSP-1 tries again at 12:00:00Z; waiting: 1 retry"},
		{"paused with work", facts([]board.Issue{row("DSP-1", ready)}), nil, state.ModePaused, "blocked on you: the loop is paused; 1 waiting"},
		{"paused with work and a worker", facts([]board.Issue{row("DSP-1", work), row("DSP-2", ready)}), dev("DSP-1"), state.ModePaused, "blocked on you: the loop is paused; developer 1 of 2 (DSP-1); 1 waiting"},
		{"draining with a worker", facts([]board.Issue{row("DSP-1", work), row("DSP-2", ready)}), dev("DSP-1"), state.ModeDraining, "blocked on you: the loop is draining; developer 1 of 2 (DSP-1); 1 waiting"},
		{"paused without work", facts([]board.Issue{row("DSP-1", backlog)}), nil, state.ModePaused, "out of work; waiting: 1 backlog"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.facts.Runs = c.runs
			if c.mode != "" {
				c.facts.Mode = c.mode
			}
			got := statusOf(c.facts)
			if got != c.want {
				t.Fatalf("\n got %q\nwant %q", got, c.want)
			}
			n := 0
			for _, h := range heads {
				n += strings.Count(got, h)
			}
			if n != 1 {
				t.Fatalf("%q is %d of the three texts", got, n)
			}
		})
	}
}

// TestStatusNamesEveryHold: the line counts the reasons in words.
func TestStatusNamesEveryHold(t *testing.T) {
	t.Parallel()
	for hold, word := range map[string]string{
		plan.HoldNoRole: "without a role", plan.HoldNoPull: "without a pull request", plan.HoldForeignPR: "with another's pull request",
		plan.HoldNoReply: "without your reply", plan.HoldUnknown: "for an unknown agent", plan.HoldHuman: "with a person",
		plan.HoldAgent: "with another agent", plan.HoldParent: "part of others", plan.HoldClaim: "in another session",
		plan.HoldSlots: "ready to start", plan.HoldReview: "in review", plan.HoldAttention: "need attention", plan.HoldDraft: "draft",
		plan.HoldUnreadable: "unreadable", plan.HoldOwner: "held", plan.HoldMerged: "merged",
	} {
		rows := []state.Row{{Hold: hold}}
		if got := plan.Status(facts(nil), rows, nil); got != "out of work; waiting: 1 "+word {
			t.Errorf("%s: %q", hold, got)
		}
	}
}

// TestNeeds: what waits for a person, standing work first, the oldest first
// (dispatcher-system.md, Status text: Question rows in full, Confirm with user
// rows).
func TestNeeds(t *testing.T) {
	t.Parallel()
	since := func(minutes int) func(*board.Issue) {
		return func(i *board.Issue) { i.StateSince = ago(minutes) }
	}
	f := facts([]board.Issue{
		row("DSP-1", ready, labelled("Confirm with user")),
		row("DSP-2", review, since(9)),
		row("DSP-3", review, since(30)),
		row("DSP-4", work, said(10, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))),
		row("DSP-5", question, since(7), said(9, board.ActorDeveloper, "a or b?\n\nbecause")),
		row("DSP-6", question, since(8)),
		row("DSP-7", backlog),
		row("DSP-8", rework),
		row("DSP-9", ready, func(i *board.Issue) { i.Unreadable = "cut" }),
		row("DSP-10", work),
		row("DSP-11", work, claimed("other", 97)), // its worker lives, so that the loop never takes it
		row("DSP-12", work, claimed("other", 1)),
		row("DSP-13", work, claimed("other", 97)), // the loop takes it by itself
	}, pull(2, "DSP-2"))
	f.Runs, f.Lives = []state.Run{running("DSP-10", board.KindDeveloper)}, map[board.Ref]bool{"DSP-11": true}
	needs := plan.Needs(f, plan.Rows(f))
	var got []string
	for _, n := range needs {
		got = append(got, string(n.Kind)+" "+string(n.Ref))
	}
	want := []string{
		"question DSP-6", "question DSP-5", "attention DSP-4", "attention DSP-8", "attention DSP-9",
		"review DSP-3", "review DSP-2", "stale DSP-11", "confirm DSP-1",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q\nwant %q", got, want)
	}
	if needs[1].Text != "a or b?\n\nbecause" || needs[1].Title != "Title of DSP-5" || !needs[1].Since.Equal(ago(7)) {
		t.Errorf("the question is not in full: %+v", needs[1])
	}
	if needs[0].Text != "parked without a question; see its comments" {
		t.Errorf("a question that nobody wrote reads %q", needs[0].Text)
	}
	if needs[6].PR != "#2" {
		t.Errorf("the review names %q", needs[6].PR)
	}
}

// TestIdle: what ends a loop by itself (design.md, section 5).
func TestIdle(t *testing.T) {
	t.Parallel()
	with := func(p state.Phase) []state.Run {
		r := running("DSP-1", board.KindDeveloper)
		r.Phase = p
		return []state.Run{r}
	}
	cases := []struct {
		name string
		rows []board.Issue
		runs []state.Run
		edit func(*plan.Facts)
		want bool
	}{
		{name: "empty board", want: true},
		{name: "only the owner's rows", rows: []board.Issue{row("DSP-1", backlog), row("DSP-2", question), row("DSP-3", review), row("DSP-4", done)}, want: true},
		{name: "an eligible row", rows: []board.Issue{row("DSP-1", ready)}},
		{name: "an eligible row that no slot exists for", rows: []board.Issue{row("DSP-1", ready)}, edit: func(f *plan.Facts) { f.Settings.Caps.Developers = 0 }, want: true},
		{name: "a worker", runs: with(state.PhaseRunning)},
		{name: "an unsettled run", runs: with(state.PhaseEnded)},
		{name: "a pending verification", runs: with(state.PhaseVerifying)},
		{name: "an armed retry", runs: with(state.PhaseRetrying)},
		{name: "another session's row", rows: []board.Issue{row("DSP-1", work, claimed("other", 1))}, want: true},
	}
	for _, c := range cases {
		f := facts(c.rows)
		f.Runs = c.runs
		if c.edit != nil {
			c.edit(f)
		}
		if got := plan.Idle(f, plan.Rows(f)); got != c.want {
			t.Errorf("%s: idle %v", c.name, got)
		}
	}
}

// TestDrained: a drain ends when what ran is settled; an armed retry is given
// back, not waited for.
func TestDrained(t *testing.T) {
	t.Parallel()
	for p, want := range map[state.Phase]bool{
		state.PhaseClaiming: false, state.PhaseClaimed: false, state.PhaseStarting: false, state.PhaseRunning: false,
		state.PhaseEnded: false, state.PhaseVerifying: false, state.PhaseRetrying: true,
	} {
		if got := plan.Drained([]state.Run{{Phase: p}}); got != want {
			t.Errorf("%s: drained %v", p, got)
		}
	}
	if !plan.Drained(nil) {
		t.Error("nothing runs, and it is not drained")
	}
}
