package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestReconcile: what becomes of a worker that runs.
func TestReconcile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	quiet := func(d time.Duration) func(*plan.Look) {
		return func(l *plan.Look) { l.Worker.LastOutput = ago(d) }
	}
	tool := func(busy bool, below int) func(*plan.Look) {
		return func(l *plan.Look) { l.Worker.Busy, l.Worker.Below = busy, below }
	}
	row := func(r board.Role, by board.ActorKind) func(*plan.Look) {
		return func(l *plan.Look) {
			l.Issue.Role, l.Issue.State, l.Issue.StateBy, l.Issue.Closed = r, r.DefaultName(), by, r.Closed()
		}
	}
	unknown := func(l *plan.Look) { l.Issue, l.PR = nil, nil }
	interrupted := func(d time.Duration) func(*plan.Look) { return func(l *plan.Look) { l.Run.StalledAt = ago(d) } }
	waits := func(l *plan.Look) { l.Worker.Waiting = true }
	pull := func(s board.PullState, at time.Time) func(*plan.Look) {
		return func(l *plan.Look) { l.PR = &board.PullRequest{Name: "#1", State: s, MergedAt: at} }
	}
	none, moved, stall := plan.ActNone, state.StoppedMoved, state.StoppedStall
	cases := []struct {
		source, name string
		edits        []func(*plan.Look)
		act          plan.Act
		stop         state.Stopped
		why          string
	}{
		{"board-dispatch.md, Reconcilers", "it works", nil, none, "", ""},
		{"", "quiet for less than the limit", []func(*plan.Look){quiet(9*time.Minute + 59*time.Second)}, none, "", ""},
		{"", "quiet for ten minutes", []func(*plan.Look){quiet(10 * time.Minute)}, plan.ActInterrupt, "", "no sign of life for 10 minutes"},
		{"", "quiet, a tool runs without a process", []func(*plan.Look){quiet(10 * time.Minute), tool(true, 0)}, plan.ActInterrupt, "", ""},
		{"", "quiet, processes live and no tool runs", []func(*plan.Look){quiet(10 * time.Minute), tool(false, 3)}, plan.ActInterrupt, "", ""},
		{"", "quiet while a tool with a living process runs", []func(*plan.Look){quiet(29 * time.Minute), tool(true, 1)}, none, "", ""},
		{"", "and that for half an hour", []func(*plan.Look){quiet(30 * time.Minute), tool(true, 1)}, plan.ActInterrupt, "", "30 minutes"},
		{"", "it never wrote, and started just now", []func(*plan.Look){quiet(9 * time.Hour), func(l *plan.Look) { l.Run.StartedAt = ago(time.Minute) }}, none, "", ""},
		{"failures.md 48", "the machine slept", []func(*plan.Look){quiet(9 * time.Hour), func(l *plan.Look) { l.Since = ago(time.Minute) }}, none, "", ""},
		{"", "it waits for a person", []func(*plan.Look){quiet(9 * time.Hour), waits}, none, "", ""},
		{"", "it asks its owner", []func(*plan.Look){quiet(9 * time.Hour), func(l *plan.Look) { l.Worker.Requests = []state.Request{{}} }}, none, "", ""},
		{"", "stall detection is off", []func(*plan.Look){quiet(9 * time.Hour), func(l *plan.Look) { l.Settings.Stall = plan.Stall{} }}, none, "", ""},
		{"", "unknown row, and quiet", []func(*plan.Look){unknown, quiet(10 * time.Minute)}, plan.ActInterrupt, "", ""},
		{"", "interrupted, within the grace", []func(*plan.Look){quiet(11 * time.Minute), interrupted(59 * time.Second)}, none, "", ""},
		{"", "interrupted, the grace is over", []func(*plan.Look){quiet(11 * time.Minute), interrupted(time.Minute)}, plan.ActStop, stall, "no sign of life for 10 minutes"},
		{"", "interrupted, and it listened", []func(*plan.Look){quiet(time.Second), waits, interrupted(2 * time.Second)}, plan.ActStop, stall, ""},
		{"", "interrupted, and it writes on", []func(*plan.Look){quiet(time.Second), interrupted(time.Minute)}, plan.ActSpare, "", ""},
		{"", "interrupted, and it only answered that", []func(*plan.Look){quiet(58 * time.Second), interrupted(time.Minute)}, plan.ActStop, stall, ""},

		{"failures.md 13", "proven gone", []func(*plan.Look){unknown, func(l *plan.Look) { l.Gone = true }}, plan.ActStop, moved, "no longer on the board"},
		{"failures.md 13", "unknown is not gone", []func(*plan.Look){unknown}, none, "", ""},
		{"failures.md 13", "unreadable is not moved", []func(*plan.Look){row(board.RoleNone, ""), func(l *plan.Look) { l.Issue.Unreadable = "cut" }}, none, "", ""},
		{"design.md, section 6", "another session's claim", []func(*plan.Look){func(l *plan.Look) { l.Issue.Claim = &board.Claim{Session: "theirs"} }}, plan.ActLost, "", ""},
		{"design.md, section 6", "released by its own worker", []func(*plan.Look){func(l *plan.Look) { l.Issue.Claim = nil }}, none, "", ""},
		{"dispatcher-system.md, Eligibility 3", "another agent is to work it", []func(*plan.Look){func(l *plan.Look) { l.Issue.Delegate = "another" }}, plan.ActStop, moved, "given to another agent, another"},
		{"dispatcher-system.md, Eligibility 2", "a person took it", []func(*plan.Look){func(l *plan.Look) { l.Issue.Assignee, l.Issue.Delegate, l.Issue.Claim = "ann", "", nil }}, plan.ActStop, moved, "ann has taken the row"},

		{"dispatcher-system.md, design rules", "the owner moved it", []func(*plan.Look){row(board.RoleBacklog, board.ActorOwner)}, plan.ActStop, moved, "moved to Backlog"},
		{"failures.md 40", "closed", []func(*plan.Look){row(board.RoleDone, board.ActorAutomation)}, plan.ActStop, moved, "closed"},
		{"dispatcher-system.md, Questions", "parked by its worker", []func(*plan.Look){row(board.RoleQuestion, board.ActorDeveloper), quiet(11 * time.Minute)}, none, "", ""},
		{"", "parked, and it hangs", []func(*plan.Look){row(board.RoleQuestion, board.ActorDeveloper), quiet(30 * time.Minute)}, plan.ActStop, moved, "it has asked its question"},
		{"", "parked by the owner", []func(*plan.Look){row(board.RoleQuestion, board.ActorOwner)}, plan.ActStop, moved, "moved to Question"},
		{"", "answered meanwhile", []func(*plan.Look){row(board.RoleReady, board.ActorOwner), func(l *plan.Look) { l.Issue.PrevRole = board.RoleQuestion }}, plan.ActStop, moved, "you answered"},

		{"failures.md 40", "merged", []func(*plan.Look){pull(board.PullMerged, ago(time.Minute))}, plan.ActStop, moved, "#1 is merged"},
		{"failures.md 40", "merged before the run began", []func(*plan.Look){pull(board.PullMerged, ago(9*time.Hour))}, none, "", ""},
		{"", "open", []func(*plan.Look){pull(board.PullOpen, time.Time{})}, none, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := plan.Look{
				Now:    now,
				Run:    state.Run{ID: "r", Session: "s", Ref: "DSP-1", Kind: board.KindDeveloper, ClaimedAt: ago(time.Hour), StartedAt: ago(time.Hour)},
				Worker: state.WorkerStatus{Phase: state.WorkerRunning, LastOutput: now},
				Issue: &board.Issue{
					Ref: "DSP-1", Role: board.RoleInProgress, StateBy: board.ActorDispatcher, Delegate: board.DelegateDeveloper,
					Claim: &board.Claim{Session: "s"},
				},
				Settings: plan.Settings{Stall: plan.Stall{After: 10 * time.Minute, ToolAfter: 30 * time.Minute, Grace: time.Minute}},
			}
			for _, e := range c.edits {
				e(&l)
			}
			got := plan.Reconcile(&l)
			if got.Act != c.act || got.Stop != c.stop || !strings.Contains(got.Why, c.why) {
				t.Errorf("%s: %+v; want %q %q %q", c.source, got, c.act, c.stop, c.why)
			}
		})
	}
}

// TestSlept: a gap in the running time is no silence of a worker.
func TestSlept(t *testing.T) {
	t.Parallel()
	now := time.Now()
	set := now.Add(time.Hour).Round(0) // the wall clock alone
	if plan.Slept(time.Time{}, now) || plan.Slept(now, now.Add(time.Hour)) || plan.Slept(now.Round(0), set) {
		t.Error("an hour that passed is taken for one that was slept through")
	}
}
