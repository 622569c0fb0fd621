package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// A row that its owner has just touched is left alone until the grace is over,
// by every rule that would start something on it, and delays no other row.
func TestTouchedRowsRest(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", ready), row("DSP-2", ready)})
	f.Touched = map[board.Ref]plan.Touch{"DSP-1": {Did: "moved", Until: f.Now.Add(6500 * time.Millisecond)}}
	if ds := plan.TopUp(f); len(ds) != 1 || ds[0].Issue.Ref != "DSP-2" {
		t.Errorf("starts %+v, want DSP-2 alone", ds)
	}
	rows := plan.Rows(f)
	if r := rows[0]; r.Hold != plan.HoldTouched || r.Waits != "you just moved it; 0:07" || !r.Next {
		t.Errorf("the touched row shows %+v", r)
	}
	if plan.Idle(f, nil) {
		t.Error("a loop with a touched row is idle")
	}
	says := plan.Explain(f, &f.Rows[0])
	if last := says[len(says)-1]; !last.Held || !strings.Contains(last.Says, "you just moved it") {
		t.Errorf("why says %+v", last)
	}
	f.Now = f.Now.Add(7 * time.Second)
	if ds := plan.TopUp(f); len(ds) != 2 {
		t.Errorf("after the grace it starts %+v", ds)
	}
	if !plan.Idle(f, nil) {
		t.Error("not idle after the grace")
	}
}

// What could not be worked anyway says why, and not that it was touched.
func TestTouchedRowsSayWhatHoldsThem(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", backlog)})
	f.Touched = map[board.Ref]plan.Touch{"DSP-1": {Did: "moved", Until: f.Now.Add(time.Second)}}
	if r := plan.Rows(f)[0]; r.Hold != plan.HoldBacklog {
		t.Errorf("it shows %+v", r)
	}
}

// What the owner wants first is worked before the order of the board and
// before better tiers, within the caps.
func TestFirstBeforeTheOrderOfTheBoard(t *testing.T) {
	t.Parallel()
	f := facts([]board.Issue{row("DSP-1", ready), row("DSP-2", ready), row("DSP-3", ready)})
	f.Settings.Caps.Developers = 1
	f.First = map[board.Ref]bool{"DSP-3": true}
	if ds := plan.TopUp(f); len(ds) != 1 || ds[0].Issue.Ref != "DSP-3" {
		t.Errorf("starts %+v, want DSP-3", ds)
	}
	if rows := plan.Rows(f); rows[2].Hold != plan.HoldNext || rows[0].Hold == plan.HoldNext {
		t.Errorf("next is not DSP-3: %+v", rows)
	}
}
