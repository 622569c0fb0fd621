package board_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

var actors = []board.Actor{
	{Kind: board.ActorOwner},
	{Kind: board.ActorDispatcher},
	{Kind: board.ActorAutomation},
	{Kind: board.ActorDeveloper, Ref: "DSP-1"},
	{Kind: board.ActorReviewer, Ref: "DSP-1"},
	{Kind: board.ActorCleaner, Ref: "DSP-1"},
}

// TestNobodyBreaksTheInvariants holds the whole table to the rules that stand
// above it: no agent takes a row out of Backlog or Question or out of a state
// without a role, and only automation closes an issue without a parent.
func TestNobodyBreaksTheInvariants(t *testing.T) {
	t.Parallel()
	for _, by := range actors {
		for _, from := range append(board.Roles(), board.RoleNone) {
			for _, to := range append(board.Roles(), board.RoleNone) {
				for _, parent := range []board.Ref{"", "DSP-1"} {
					i := &board.Issue{Ref: "DSP-1", Role: from, State: from.DefaultName(), Parent: parent, Closed: from.Closed()}
					if parent != "" {
						i.Ref = "DSP-2"
					}
					err := board.MayMove(by, i, to, to.Closed())
					if err != nil && !errors.Is(err, board.ErrForbidden) {
						t.Fatalf("%s %s to %s: %v does not say it is a refusal", by.Kind, from, to, err)
					}
					if err != nil || from == to && from != board.RoleNone || by.Kind == board.ActorOwner && !to.Closed() {
						continue
					}
					switch {
					case to.Closed() && parent == "" && by.Kind != board.ActorAutomation:
						t.Errorf("%s closes a parentless issue in %q", by.Kind, from)
					case by.Kind == board.ActorOwner || to.Closed() && by.Kind == board.ActorAutomation:
					case from == board.RoleBacklog || from == board.RoleQuestion || from == board.RoleNone || to == board.RoleNone:
						t.Errorf("%s moves a row from %q to %q", by.Kind, from, to)
					}
				}
			}
		}
	}
}

func TestMayMove(t *testing.T) {
	t.Parallel()
	own := board.Issue{Ref: "DSP-1"}
	other := board.Issue{Ref: "DSP-9"}
	child := board.Issue{Ref: "DSP-2", Parent: "dsp-1"}
	dev := board.Actor{Kind: board.ActorDeveloper, Ref: "DSP-1"}
	rev := board.Actor{Kind: board.ActorReviewer, Ref: "DSP-1"}
	loop := board.Actor{Kind: board.ActorDispatcher}
	auto := board.Actor{Kind: board.ActorAutomation}
	owner := board.Actor{Kind: board.ActorOwner}
	const (
		backlog, ready, rework, work = board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleInProgress
		question, review, done       = board.RoleQuestion, board.RoleHumanReview, board.RoleDone
	)
	cases := []struct {
		name     string
		by       board.Actor
		issue    board.Issue
		from, to board.Role
		refused  string // part of the reason; empty is allowed
	}{
		{"dispatch", loop, own, ready, work, ""},
		{"rework", loop, own, rework, work, ""},
		{"clean-up", loop, own, review, work, ""},
		{"pass", loop, own, work, review, ""},
		{"restore", loop, own, work, ready, ""},
		{"loop leaves backlog alone", loop, own, backlog, ready, "only the owner"},
		{"loop answers nothing", loop, own, question, ready, "only the owner"},
		{"loop closes nothing", loop, own, review, done, "merging its pull request"},
		{"owner closes nothing", owner, own, review, done, "merging its pull request"},
		{"owner decides", owner, own, backlog, ready, ""},
		{"owner reopens", owner, own, done, ready, ""},
		{"automation closes", auto, own, review, done, ""},
		{"automation moves nothing else", auto, own, ready, work, "may not move"},
		{"review sync", auto, own, review, rework, ""},
		{"worker parks", dev, own, work, question, ""},
		{"reviewer parks", rev, own, work, question, ""},
		{"worker hands over nothing", dev, own, work, review, "may not move"},
		{"worker and another's issue", dev, other, work, question, "its own issue"},
		{"developer's child", dev, child, ready, work, ""},
		{"developer's child done", dev, child, work, done, ""},
		{"child in backlog", dev, child, backlog, work, "only the owner"},
		{"child parked", dev, child, work, question, "sub-issue to in-progress or done"},
		{"reviewer and children", rev, child, work, done, "sub-issue to in-progress or done"},
		{"loop and children", loop, child, work, done, ""},
		{"twice is once", dev, own, question, question, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.issue.Role, c.issue.State = c.from, c.from.DefaultName()
			err := board.MayMove(c.by, &c.issue, c.to, c.to.Closed())
			if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, board.ErrForbidden) || !strings.Contains(err.Error(), c.refused)) {
				t.Fatalf("got %v, want %q", err, c.refused)
			}
		})
	}
	broken := board.Issue{Ref: "DSP-3", Role: ready, Unreadable: "cut"}
	if err := board.MayMove(loop, &broken, work, false); !errors.Is(err, board.ErrUnreadable) {
		t.Fatalf("an unreadable row: %v", err)
	}
}

func TestMayClaim(t *testing.T) {
	t.Parallel()
	loop, owner := board.Actor{Kind: board.ActorDispatcher}, board.Actor{Kind: board.ActorOwner}
	cases := []struct {
		name  string
		by    board.Actor
		issue board.Issue
		ok    bool
	}{
		{"ready", loop, board.Issue{Role: board.RoleReady}, true},
		{"another agent's", owner, board.Issue{Role: board.RoleReady, Delegate: "somebody"}, false},
		{"a person's", loop, board.Issue{Role: board.RoleReady, Assignee: "Ann"}, false},
		{"a person's, by the owner", owner, board.Issue{Role: board.RoleReady, Assignee: "Ann"}, true},
		{"backlog", loop, board.Issue{Role: board.RoleBacklog}, false},
		{"question", loop, board.Issue{Role: board.RoleQuestion}, false},
		{"no role", loop, board.Issue{State: "Odd"}, false},
		{"closed", owner, board.Issue{Role: board.RoleDone, Closed: true}, false},
		{"worker", board.Actor{Kind: board.ActorDeveloper}, board.Issue{Role: board.RoleReady}, false},
	}
	for _, c := range cases {
		if err := board.MayClaim(c.by, &c.issue); (err == nil) != c.ok || err != nil && !errors.Is(err, board.ErrForbidden) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestMayRun(t *testing.T) {
	t.Parallel()
	cases := map[string][]board.ActorKind{ // who may, of the workers
		"board issue":   {board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner},
		"board state":   {board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner},
		"pulls diff":    {board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner},
		"board tick":    {board.ActorDeveloper},
		"pr":            {board.ActorDeveloper},
		"commit":        {board.ActorDeveloper, board.ActorCleaner},
		"token":         {board.ActorDeveloper, board.ActorReviewer},
		"review":        {board.ActorReviewer},
		"board claim":   nil,
		"board poll":    nil,
		"board label":   nil,
		"pulls merge":   nil,
		"start":         nil,
		"board":         nil,
		"board comment": {board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner},
	}
	for command, who := range cases {
		for _, k := range []board.ActorKind{board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner} {
			want := false
			for _, w := range who {
				want = want || w == k
			}
			if got := board.MayRun(board.Actor{Kind: k}, command); got != want {
				t.Errorf("%s runs %q: %v", k, command, got)
			}
		}
		if !board.MayRun(board.Actor{Kind: board.ActorOwner}, command) {
			t.Errorf("the owner may not run %q", command)
		}
	}
}
