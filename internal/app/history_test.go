package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/loop/state"
)

func TestEventText(t *testing.T) {
	t.Parallel()
	states := map[string]string{"ready": "Ready", "inProgress": "In Progress"}
	for want, e := range map[string]native.Event{
		"Ready → In Progress, by dispatcher":      {Type: "state", Actor: board.ActorDispatcher, Fields: map[string]any{"from": "ready", "to": "inProgress"}},
		"gone → Ready, by anna":                   {Type: "state", Actor: board.ActorOwner, Name: "anna", Fields: map[string]any{"from": "gone", "to": "ready"}},
		"dispatcher claimed it for a developer":   {Type: "claim", Actor: board.ActorDispatcher, Fields: map[string]any{"kind": "developer"}},
		"dispatcher passed it on to the reviewer": {Type: "assign", Actor: board.ActorDispatcher, Fields: map[string]any{"to": "reviewer"}},
		"developer ticked box 2":                  {Type: "tick", Actor: board.ActorDeveloper, Fields: map[string]any{"n": 2.0, "set": true}},
		"owner cleared box 1":                     {Type: "tick", Actor: board.ActorOwner, Fields: map[string]any{"n": 1.0, "set": false}},
		"owner took the label Later away":         {Type: "label", Actor: board.ActorOwner, Fields: map[string]any{"removed": "Later"}},
		"owner put on the blocker A-2":            {Type: "block", Actor: board.ActorOwner, Fields: map[string]any{"added": "A-2"}},
		"owner created it":                        {Type: "created", Actor: board.ActorOwner},
		"owner something-new":                     {Type: "something-new", Actor: board.ActorOwner},
	} {
		if got := eventText(&e, states); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestRunHistory: what the loop's own log tells of a run is not told twice.
func TestRunHistory(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)
	run := RunInfo{Ref: "A-1", Kind: "developer", Try: 1, Started: began, Ended: began.Add(time.Hour), Outcome: "success", CostUSD: 0.5}
	entry := func(after time.Duration, text string) state.Entry {
		return state.Entry{At: began.Add(after), Ref: "A-1", Text: text}
	}
	both := []state.Entry{entry(0, "developer try 1 started"), entry(time.Hour, "developer try 1 ended: success, $0.50")}
	for name, c := range map[string]struct {
		told, want []state.Entry
	}{
		"an earlier loop's":      {nil, both},
		"another try's":          {[]state.Entry{entry(0, "developer try 2 started")}, both},
		"told, its end too":      {[]state.Entry{entry(time.Second, "developer try 1 started"), entry(time.Hour, "developer try 1: complete")}, nil},
		"only its begin told":    {[]state.Entry{entry(time.Second, "developer try 1 started")}, both[1:]},
		"the same text long ago": {[]state.Entry{entry(-24*time.Hour, "developer try 1 started")}, both},
	} {
		if diff := cmp.Diff(c.want, runHistory(&run, c.told)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
