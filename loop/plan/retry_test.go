package plan_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestRetryWait: min(10s·2^(n-1), 300s) (design.md, section 4, retry).
func TestRetryWait(t *testing.T) {
	t.Parallel()
	r := plan.Retry{First: 10 * time.Second, Max: 300 * time.Second}
	for n, want := range map[int]time.Duration{
		-3: 10 * time.Second, 0: 10 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 3: 40 * time.Second, 4: 80 * time.Second, 5: 160 * time.Second,
		6: 300 * time.Second, 7: 300 * time.Second, 1 << 40: 300 * time.Second,
	} {
		if got := r.Wait(n); got != want {
			t.Errorf("after try %d it waits %s, want %s", n, got, want)
		}
	}
	if got := (plan.Retry{First: 10 * time.Minute, Max: time.Minute}).Wait(1); got != time.Minute {
		t.Errorf("a first wait above the bound is %s", got)
	}
	if got := (plan.Retry{}).Wait(9); got != 0 {
		t.Errorf("no wait configured, and it waits %s", got)
	}
}

// TestTries counts failed tries from the board alone (design.md, section 4:
// counted per issue and kind, reset by any forward route or owner's act).
func TestTries(t *testing.T) {
	t.Parallel()
	failedTry := func(k board.Kind, n int) string {
		return board.WithMark("Try did not finish", board.Mark{Run: "r", Kind: k, Try: n, Head: "h1"})
	}
	forward := func(k board.Kind) string { return board.WithMark("went on", board.Mark{Run: "r", Kind: k}) }
	dev, rev := board.KindDeveloper, board.KindReviewer
	cases := []struct {
		name  string
		issue board.Issue
		kind  board.Kind
		head  string
		want  int
	}{
		{"never tried", row("DSP-1", ready), dev, "", 0},
		{"failed once", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1))), dev, "", 1},
		{"failed twice", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), said(8, "dispatcher", failedTry(dev, 2))), dev, "", 2},
		{"workers' words between", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), said(8, "developer", "note"), said(7, "dispatcher", "note")), dev, "", 1},
		{"forward since", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), said(8, "dispatcher", forward(dev))), dev, "", 0},
		{"another kind went forward since", row("DSP-1", rework, said(9, "dispatcher", failedTry(dev, 1)), said(8, "dispatcher", forward(rev))), dev, "", 0},
		{"another kind failed since", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), said(8, "dispatcher", failedTry(rev, 2))), dev, "", 1},
		{"the other kind's tries are its own", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1))), rev, "", 0},
		{"owner replied since", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 2)), said(8, "owner", "go on")), dev, "", 0},
		{"owner moved it since", row("DSP-1", ready, said(9, "dispatcher", failedTry(dev, 2)), movedBy("owner", 8, work)), dev, "", 0},
		{"owner moved it before", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), movedBy("owner", 10, ready)), dev, "", 1},
		{"owner cleared the hold since", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1)), said(8, "dispatcher", board.WithMark(board.ClearedText("go on"), board.Mark{}))), dev, "", 0},
		{"a mark that somebody quotes", row("DSP-1", work, said(9, "developer", failedTry(dev, 2))), dev, "", 0},
		{"review failed on this head", row("DSP-1", work, said(9, "dispatcher", failedTry(rev, 2))), rev, "h1", 2},
		{"review failed on an older head", row("DSP-1", work, said(9, "dispatcher", failedTry(rev, 2))), rev, "h2", 0},
		{"development failed on an older head", row("DSP-1", work, said(9, "dispatcher", failedTry(dev, 1))), dev, "h2", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := plan.Tries(&c.issue, c.kind, c.head); got != c.want {
				t.Fatalf("%d tries, want %d", got, c.want)
			}
		})
	}
}

// TestFailedTriesLead: a failing worker is tried MaxAttempts times, waits
// longer each time, and then its row rests with the reason until its owner
// acts.
func TestFailedTriesLeadToAttention(t *testing.T) {
	t.Parallel()
	f := over(board.KindDeveloper, "", died("exit status 1"))
	f.Settings.Retry.MaxAttempts = 3
	var waits []time.Duration
	for range 3 {
		f.Run.Attempt = plan.Tries(&f.Issue, board.KindDeveloper, "") + 1
		ds := plan.Route(f)
		said(3-len(waits), board.ActorDispatcher, textOf(ds, state.OpComment))(&f.Issue)
		for _, d := range ds {
			if d.Op == state.OpRetry {
				waits = append(waits, d.At.Sub(f.Now))
			}
		}
	}
	if len(waits) != 2 || waits[0] != 10*time.Second || waits[1] != 20*time.Second {
		t.Errorf("waited %v", waits)
	}
	released(&f.Issue)
	rows := facts([]board.Issue{f.Issue})
	if j := plan.Judge(rows, &rows.Rows[0]); j.Hold != plan.HoldAttention {
		t.Fatalf("after the last try it is %+v", j)
	}
	said(0, board.ActorOwner, "try again")(&rows.Rows[0])
	if j := plan.Judge(rows, &rows.Rows[0]); j.Hold != "" || plan.Tries(&rows.Rows[0], board.KindDeveloper, "") != 0 {
		t.Fatalf("after the owner's word it is %+v", j)
	}
}

// TestFailedStart: a start that never came to life is a failed try too.
func TestFailedStart(t *testing.T) {
	t.Parallel()
	wantOps(t, plan.Failed(over(board.KindDeveloper, ""), "make the worktree: disk full"), "comment", "retry")
	wantOps(t, plan.Failed(over(board.KindDeveloper, "", try(2)), "make the worktree: disk full"), "comment", "release", "notice", "forget")
}

// TestLimitUsesNothingUp: the same try starts again when the limit resets.
func TestLimitUsesNothingUp(t *testing.T) {
	t.Parallel()
	until := noon.Add(time.Hour)
	ds := plan.Route(over(board.KindReviewer, "", died("limit"), try(2), func(f *plan.Finished) { f.Exit.LimitUntil = until }))
	wantOps(t, ds, "retry")
	if ds[0].PutOff != state.PutOffLimit || !ds[0].At.Equal(until) {
		t.Fatalf("got %+v", ds[0])
	}
}

// TestReset: an owner's move that ended a hold or a count is written down, so
// that the dispatcher's own move does not bring it back.
func TestReset(t *testing.T) {
	t.Parallel()
	gaveUp := said(20, board.ActorDispatcher, gaveUpText(board.KindDeveloper, ""))
	byOwner := movedBy(board.ActorOwner, 10, work)
	cases := []struct {
		name  string
		issue board.Issue
		want  bool
	}{
		{"given up, then moved", row("DSP-1", ready, gaveUp, byOwner), true},
		{"held, then moved", row("DSP-1", ready, said(20, board.ActorDispatcher, board.HeldText("")), byOwner), true},
		{"failed once, then moved", row("DSP-1", ready, said(20, board.ActorDispatcher, board.WithMark("Try 1", board.Mark{Kind: board.KindDeveloper, Try: 1})), byOwner), true},
		{"given up, and a reply", row("DSP-1", ready, gaveUp, said(15, board.ActorOwner, "go"), byOwner), false},
		{"nothing to end", row("DSP-1", ready, byOwner), false},
		{"not moved by the owner", row("DSP-1", ready, gaveUp, movedBy(board.ActorDispatcher, 10, work)), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, needed := plan.Reset(&c.issue, board.KindDeveloper, "")
			if needed != c.want {
				t.Fatalf("written down: %v", needed)
			}
			if !needed {
				return
			}
			said(5, board.ActorDispatcher, text)(&c.issue)
			movedBy(board.ActorDispatcher, 4, ready)(&c.issue)
			if tries := plan.Tries(&c.issue, board.KindDeveloper, ""); tries != 0 {
				t.Errorf("after our own move %d tries count again", tries)
			}
			if _, again := plan.Reset(&c.issue, board.KindDeveloper, ""); again {
				t.Error("it is written twice")
			}
			f := facts([]board.Issue{c.issue})
			if j := plan.Judge(f, &f.Rows[0]); j.Hold != "" {
				t.Errorf("after our own move it is held again: %s", j.Waits)
			}
		})
	}
}
