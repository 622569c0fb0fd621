package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// started are dispatches in one line each.
func started(ds []state.Dispatch) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%s:%s", d.Kind.ClaimWord(), d.Issue.Ref))
	}
	return out
}

// TestTopUp holds the order and the caps to dispatcher-system.md, One firing 4
// and Caps.
func TestTopUp(t *testing.T) {
	t.Parallel()
	board1 := func() *plan.Facts {
		return facts([]board.Issue{
			row("DSP-1", ready), row("DSP-2", ready), row("DSP-3", rework), row("DSP-4", work),
			row("DSP-5", work, delegated("reviewer")), row("DSP-6", work, delegated("reviewer")), row("DSP-7", work, delegated("reviewer")),
			row("DSP-8", backlog),
		}, pull(3, "DSP-3"), pull(5, "DSP-5"), pull(6, "DSP-6"), pull(7, "DSP-7"))
	}
	busy := func(k board.Kind, refs ...board.Ref) func(*plan.Facts) {
		return func(f *plan.Facts) {
			for _, r := range refs {
				f.Runs = append(f.Runs, running(r, k))
			}
		}
	}
	caps := func(c plan.Caps) func(*plan.Facts) { return func(f *plan.Facts) { f.Settings.Caps = c } }
	cases := []struct {
		line  string
		name  string
		edits []func(*plan.Facts)
		want  []string
	}{
		{"One firing 4: reviewer queue first (cap 2), then developer tiers (cap 2)", "reviewers, tier 1, tier 2", nil, []string{"review:DSP-5", "review:DSP-6", "dev:DSP-4", "dev:DSP-3"}},
		{"Eligibility 6: board order ranks within a tier only", "all developers", []func(*plan.Facts){caps(plan.Caps{Developers: 9, Reviewers: 0, Total: 9})}, []string{"dev:DSP-4", "dev:DSP-3", "dev:DSP-1", "dev:DSP-2"}},
		{"Caps: 2 developers", "one developer busy", []func(*plan.Facts){busy(board.KindDeveloper, "X-1")}, []string{"review:DSP-5", "review:DSP-6", "dev:DSP-4"}},
		{"Caps: 2 reviewers", "reviewers busy", []func(*plan.Facts){busy(board.KindReviewer, "X-1", "X-2")}, []string{"dev:DSP-4", "dev:DSP-3"}},
		{"Caps: 5 total", "total", []func(*plan.Facts){caps(plan.Caps{Developers: 9, Reviewers: 9, Total: 3})}, []string{"review:DSP-5", "review:DSP-6", "review:DSP-7"}},
		{"Caps: 5 total", "total used up by cleaners", []func(*plan.Facts){caps(plan.Caps{Developers: 2, Reviewers: 2, Cleaners: 1, Total: 1}), busy(board.KindCleaner, "X-1")}, nil},
		{"Caps: more runs than slots after a change of the caps", "over the cap", []func(*plan.Facts){busy(board.KindDeveloper, "X-1", "X-2", "X-3")}, []string{"review:DSP-5", "review:DSP-6"}},
		{"design 7: verifying frees its slot", "verifying", []func(*plan.Facts){busy(board.KindDeveloper, "X-1", "X-2"), func(f *plan.Facts) { f.Runs[0].Phase = state.PhaseVerifying }}, []string{"review:DSP-5", "review:DSP-6", "dev:DSP-4"}},
		{"design 4: a retry waits without a slot", "retrying", []func(*plan.Facts){busy(board.KindDeveloper, "X-1", "X-2"), func(f *plan.Facts) { f.Runs[0].Phase = state.PhaseRetrying }}, []string{"review:DSP-5", "review:DSP-6", "dev:DSP-4"}},
		{"design 5: a claim under way holds its slot", "claiming", []func(*plan.Facts){busy(board.KindDeveloper, "DSP-4", "X-2"), func(f *plan.Facts) { f.Runs[0].Phase = state.PhaseClaiming }}, []string{"review:DSP-5", "review:DSP-6"}},
		{"failures.md 14: one bad row starves nobody", "a row that this firing tried", []func(*plan.Facts){caps(plan.Caps{Developers: 1, Reviewers: 1, Total: 2}), func(f *plan.Facts) { f.Skip = map[board.Ref]bool{"DSP-4": true, "DSP-5": true} }}, []string{"review:DSP-6", "dev:DSP-3"}},
		{"design 5: pause", "paused", []func(*plan.Facts){func(f *plan.Facts) { f.Mode = state.ModePaused }}, nil},
		{"Stopping: drain tops nothing up", "draining", []func(*plan.Facts){func(f *plan.Facts) { f.Mode = state.ModeDraining }}, nil},
		{"Stopping: abort", "aborting", []func(*plan.Facts){func(f *plan.Facts) { f.Mode = state.ModeAborting }}, nil},
		{"Stopping", "stopped", []func(*plan.Facts){func(f *plan.Facts) { f.Mode = state.ModeStopped }}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := board1()
			for _, e := range c.edits {
				e(f)
			}
			if got := started(plan.TopUp(f)); !slices.Equal(got, c.want) {
				t.Fatalf("%s: starts %v, want %v", c.line, got, c.want)
			}
		})
	}
}

// TestDispatchCarriesWhatAStartNeeds: the pull request, the agent, the board
// error to put right.
func TestDispatchCarriesWhatAStartNeeds(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", ready, labelled("agent:fast"))}, pull(7, "DSP-1"))
	ds := plan.TopUp(f)
	if len(ds) != 1 || ds[0].PR == nil || ds[0].PR.Name != "#7" || ds[0].Agent != "fast" || ds[0].SetFirst != rework || ds[0].Tier != 2 || ds[0].Why != "developer tier 2" {
		t.Fatalf("got %+v", ds)
	}
}

// TestRows: every row says why it is not running.
func TestRows(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{
		row("DSP-1", ready), row("DSP-2", ready), row("DSP-3", work), row("DSP-4", backlog), row("DSP-5", done),
		row("DSP-6", work, delegated("reviewer")),
	}, pull(6, "DSP-6"))
	f.Runs = []state.Run{running("DSP-3", board.KindDeveloper)}
	got := map[board.Ref]state.Row{}
	for _, r := range plan.Rows(f) {
		got[r.Issue.Ref] = r
	}
	cases := []struct {
		ref   board.Ref
		hold  string
		waits string
		next  bool
		run   string
	}{
		{"DSP-1", plan.HoldNext, "next developer", true, ""},
		{"DSP-2", plan.HoldSlots, "waits for a free developer", true, ""},
		{"DSP-3", plan.HoldWorked, "", false, "run-DSP-3"},
		{"DSP-4", plan.HoldBacklog, "in Backlog until you move it", false, ""},
		{"DSP-5", plan.HoldClosed, "", false, ""},
		{"DSP-6", plan.HoldNext, "next reviewer", true, ""},
	}
	for _, c := range cases {
		r := got[c.ref]
		if r.Hold != c.hold || r.Waits != c.waits || r.Next != c.next || r.Run != c.run {
			t.Errorf("%s: hold %q waits %q next %v run %q, want %+v", c.ref, r.Hold, r.Waits, r.Next, r.Run, c)
		}
	}
}

// TestWaitingForASlot: the words for eligible rows that do not start.
func TestWaitingForASlot(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		edit  func(*plan.Facts)
		hold  string
		waits string
		next  bool
	}{
		{"kind at its cap", func(f *plan.Facts) {
			f.Runs = []state.Run{running("X-1", board.KindDeveloper), running("X-2", board.KindDeveloper)}
		}, plan.HoldSlots, "2 of 2 developers busy", true},
		{"all slots taken", func(f *plan.Facts) {
			f.Settings.Caps.Total = 1
			f.Runs = []state.Run{running("X-1", board.KindReviewer)}
		}, plan.HoldSlots, "1 of 1 workers busy", true},
		{"no slot at all", func(f *plan.Facts) { f.Settings.Caps.Developers = 0 }, plan.HoldSlots, "no developer may run", false},
		{"paused", func(f *plan.Facts) { f.Mode = state.ModePaused }, plan.HoldPaused, "the loop is paused", true},
		{"draining", func(f *plan.Facts) { f.Mode = state.ModeDraining }, plan.HoldPaused, "the loop is draining", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := facts([]board.Issue{row("DSP-1", ready), row("DSP-2", ready)})
			c.edit(f)
			r := plan.Rows(f)[1]
			if r.Hold != c.hold || !strings.Contains(r.Waits, c.waits) || r.Next != c.next {
				t.Fatalf("hold %q waits %q next %v", r.Hold, r.Waits, r.Next)
			}
		})
	}
}

// TestFree is the same cap for a retry as for a new start.
func TestFree(t *testing.T) {
	t.Parallel()
	f := facts(nil)
	f.Runs = []state.Run{running("X-1", board.KindDeveloper), running("X-2", board.KindDeveloper)}
	if f.Free(board.KindDeveloper) || !f.Free(board.KindReviewer) {
		t.Error("the cap of a kind does not hold")
	}
	f.Settings.Caps.Total = 2
	if f.Free(board.KindReviewer) {
		t.Error("the cap of all workers does not hold")
	}
	f.Settings.Caps.Total, f.Mode = 9, state.ModePaused
	if f.Free(board.KindReviewer) {
		t.Error("a paused loop starts a retry")
	}
	if (plan.Caps{}).Of("nonsense") != 0 {
		t.Error("an unknown kind has slots")
	}
}

// TestTwoRunsOnARow: while a retry takes over the claim of the try before it,
// the newer one is the run.
func TestTwoRunsOnARow(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", work)})
	old, next := running("DSP-1", board.KindDeveloper), running("DSP-1", board.KindDeveloper)
	old.ID, old.Phase, next.ID = "old", state.PhaseRetrying, "next"
	f.Runs = []state.Run{old, next}
	if r := plan.Rows(f)[0]; r.Run != "next" || r.Hold != plan.HoldWorked {
		t.Fatalf("got %+v", r)
	}
}

// TestOpenPulls: every open pull request with the row it belongs to.
func TestOpenPulls(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", review), row("DSP-2", ready, func(i *board.Issue) { i.PRs = []string{"#2"} })},
		pull(1, "DSP-1"), pull(2, "OTHER-9"), pull(3, "OTHER-8"), pull(4, "DSP-1", shut), pull(5, "DSP-1", merged(3)))
	var got []string
	for _, p := range plan.OpenPulls(f) {
		got = append(got, p.PR.Name+" "+string(p.Ref))
	}
	if want := []string{"#1 DSP-1", "#2 DSP-2", "#3 "}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}
