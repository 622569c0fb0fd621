package loop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

func (p *process) send(k state.CommandKind) {
	p.w.t.Helper()
	p.ask(state.Command{Kind: k})
}

// ask sends a command that the loop must take, and answers what it did.
func (p *process) ask(c state.Command) state.Done {
	p.w.t.Helper()
	done, err := p.e.Send(p.w.t.Context(), c)
	p.w.must(err)
	return done
}

// TestCaps: as many workers as the caps allow, and no more; the status says so.
func TestCaps(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for range 4 {
			w.on(w.ready("long"), board.KindDeveloper, endless)
		}
		p := w.start()
		time.Sleep(10 * time.Minute)
		s := p.e.Snapshot()
		if w.live() != 2 || s.Slots.Developers != 2 || !strings.HasPrefix(s.Status, "at a cap: developer 2 of 2 (DSP-1, DSP-2); 2 waiting") {
			t.Fatalf("%d live, slots %+v, status %q", w.live(), s.Slots, s.Status)
		}
		if w.issue("DSP-3").Claim != nil {
			t.Error("a row without a worker is claimed")
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestPauseAndResume: nothing new starts, what runs goes on to its end, and a
// restart stays paused.
func TestPauseAndResume(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first, second := w.ready("first"), w.ready("second")
		w.on(second, board.KindDeveloper, failing, completing)
		p := w.start(forever)
		time.Sleep(15 * time.Second) // the second has failed, its retry waits
		p.send(state.CommandPause)
		p.send(state.CommandPause)
		third := w.ready("third")
		time.Sleep(10 * time.Minute)
		if w.live() != 0 || w.starts(third, board.KindDeveloper) != 0 || w.starts(first, board.KindReviewer) != 0 || w.starts(second, board.KindDeveloper) != 1 {
			t.Fatalf("a paused loop started something: %v", w.board.log)
		}
		w.wantRow(first, board.RoleInProgress, board.DelegateReviewer)
		if s := p.e.Snapshot(); s.Mode != state.ModePaused || !strings.Contains(s.Status, "blocked on you: the loop is paused") {
			t.Fatalf("mode %s, status %q", s.Mode, s.Status)
		}
		p.leave()
		if end := w.start().wait(); !end.Paused || end.Idle {
			t.Fatalf("a paused loop that ends when idle ended %+v", end)
		}
		p = w.start(forever)
		time.Sleep(time.Minute)
		p.send(state.CommandResume)
		time.Sleep(10 * time.Minute)
		for _, ref := range []board.Ref{first, second, third} {
			w.wantRow(ref, board.RoleHumanReview, "")
		}
		p.leave()
	})
}

// TestUntilIdleWaitsForTimers: an armed retry and a pending verification are
// waited for.
func TestUntilIdleWaitsForTimers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("fails once")
		w.on(ref, board.KindDeveloper, failing, completing)
		if end := w.start().wait(); !end.Idle {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestDrain: nothing new starts, what runs is settled, an armed retry is given
// back to its queue with its count, and the loop ends.
func TestDrain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		runs, fails, waits := w.ready("runs"), w.ready("fails"), w.ready("waits")
		w.on(fails, board.KindDeveloper, failing, failing, completing)
		p := w.start(forever)
		time.Sleep(11 * time.Second)
		p.send(state.CommandDrain)
		p.send(state.CommandDrain)
		end := p.wait()
		if !end.Drained || end.Aborted || end.Left != 0 {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(runs, board.RoleInProgress, board.DelegateReviewer)
		w.wantRow(fails, board.RoleInProgress, board.DelegateDeveloper)
		if i := w.issue(waits); i.Claim != nil && w.starts(waits, board.KindReviewer) != 0 || len(w.saved()) != 0 || len(w.held()) != 0 {
			t.Fatalf("left %v %v", w.saved(), w.held())
		}
		w.start().wait()
		w.wantRow(runs, board.RoleHumanReview, "")
		w.wantRow(fails, board.RoleInProgress, "")
		if n := w.starts(fails, board.KindDeveloper); n != 2 {
			t.Fatalf("the tries before the drain were forgotten: %d workers", n)
		}
	})
}

// TestAbort plays the restore table on a running loop: workers are stopped,
// each row goes back as the table says, no try is used up.
func TestAbort(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		pushing := func(a *agent) string {
			a.push()
			return endless(a)
		}
		bare, pushed, fromMerged := w.ready("no pull request"), w.ready("pull request"), w.ready("merged")
		reviewed, parked, moved := w.ready("in review"), w.ready("parked"), w.ready("moved by the owner")
		retrying, verifying := w.ready("retry armed"), w.ready("verifying")
		other := w.ready("another session's")
		w.on(bare, board.KindDeveloper, endless, completing)
		w.on(pushed, board.KindDeveloper, pushing, completing)
		w.on(fromMerged, board.KindDeveloper, pushing)
		w.on(reviewed, board.KindReviewer, endless, passing)
		w.on(parked, board.KindDeveloper, func(a *agent) string { a.ask("a or b?"); return endless(a) })
		w.on(moved, board.KindDeveloper, endless)
		w.on(retrying, board.KindDeveloper, func(a *agent) string { a.fail("limit"); return "" })
		w.board.Edit(other, func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Stamp: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}
			i.Delegate = board.DelegateDeveloper
		})
		w.checks = func(p *board.PullRequest) (board.CheckState, error) {
			if p.Issues[0] == verifying {
				return board.ChecksPending, nil
			}
			return board.ChecksGreen, nil
		}
		p := w.start(forever, slots(9))
		time.Sleep(70 * time.Second)
		w.merge(fromMerged)
		w.must(w.owner().SetState(t.Context(), moved, board.RoleBacklog))
		p.send(state.CommandAbort)
		p.send(state.CommandAbort)
		end := p.wait()
		if !end.Aborted || end.Left != 0 || w.live() != 0 {
			t.Fatalf("ended %+v, %d workers live", end, w.live())
		}
		w.wantRow(bare, board.RoleReady, "")
		w.wantRow(pushed, board.RoleChangesRequested, "")
		w.wantRow(fromMerged, board.RoleInProgress, "")
		w.wantRow(reviewed, board.RoleInProgress, board.DelegateReviewer)
		w.wantRow(parked, board.RoleQuestion, "")
		w.wantRow(moved, board.RoleBacklog, "")
		w.wantRow(retrying, board.RoleInProgress, "")
		w.wantRow(verifying, board.RoleChangesRequested, "")
		if c := w.issue(other).Claim; c == nil || c.Session != "theirs" {
			t.Errorf("another session's row was touched: %+v", c)
		}
		if len(w.saved()) != 0 || len(w.held()) != 0 {
			t.Errorf("left %v, locked %v", w.saved(), w.held())
		}
		if len(w.costs) < 6 {
			t.Errorf("%d runs were counted", len(w.costs))
		}
		w.start().wait()
		w.wantRow(fromMerged, board.RoleDone, "")
		for _, ref := range []board.Ref{bare, pushed, reviewed} {
			for _, note := range w.notes(ref) {
				if strings.Contains(note, "did not finish") {
					t.Errorf("%s: the stop used a try up: %q", ref, note)
				}
			}
		}
	})
}

// TestAbortCutAnywhere kills an abort before and after each of its effects:
// the next loop finds every row, and no try is used up.
func TestAbortCutAnywhere(t *testing.T) {
	t.Parallel()
	k, more := 1, true
	for ; more; k++ {
		for _, after := range []bool{false, true} {
			more = abortCut(t, k, after)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("cut at %d boundaries", 2*(k-1))
}

// TestLeaveAndComeBack: workers go on without the loop, and the next one
// re-adopts them as if nothing had happened.
func TestLeaveAndComeBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.work(30 * time.Minute); return completing(a) })
		p := w.start()
		time.Sleep(time.Minute)
		if end := p.leave(); end.Left != 1 || w.live() != 1 {
			t.Fatalf("ended %+v, %d live", end, w.live())
		}
		claim := w.issue(ref).Claim
		time.Sleep(time.Minute)
		p = w.start()
		time.Sleep(time.Second)
		s := p.e.Snapshot()
		if len(s.Workers) != 1 || s.Workers[0].Run.Session != claim.Session {
			t.Fatalf("workers %+v", s.Workers)
		}
		p.wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.starts(ref, board.KindDeveloper); n != 1 {
			t.Fatalf("%d workers", n)
		}
	})
}

// TestEndedMeanwhile: a worker that ended while no loop ran is settled by the
// next one.
func TestEndedMeanwhile(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("short")
		p := w.start()
		time.Sleep(30 * time.Second)
		p.leave()
		time.Sleep(time.Hour)
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.starts(ref, board.KindDeveloper) != 1 {
			t.Fatal("it was worked again")
		}
	})
}

// TestSendAfterTheEnd: a command to a loop that has ended says so, also one
// that is in the queue when it ends.
func TestSendAfterTheEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.ready("nothing to do", in(board.RoleBacklog))
		p := w.start()
		p.wait()
		if _, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandPause}); err == nil || !strings.Contains(err.Error(), "the loop has ended") {
			t.Fatalf("answered %v", err)
		}
		p = w.start(forever)
		if _, err := p.e.Send(t.Context(), state.Command{Kind: "dance"}); err == nil || !strings.Contains(err.Error(), "dance") {
			t.Fatalf("answered %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.e.Send(ctx, state.Command{Kind: state.CommandAnswer, Ref: "DSP-1"}); err == nil {
			t.Fatal("a caller that went away is answered")
		}
		p.leave()
	})
}

// TestAnswerAtTheEnd: an answer is reported as taken only when it is written.
func TestAnswerAtTheEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks")
		w.on(ref, board.KindDeveloper, asking)
		p := w.start(forever)
		time.Sleep(2 * time.Minute)
		let := p.hold("answer")
		said := make(chan error, 1)
		go func() {
			_, err := p.e.Send(context.Background(), answer(ref, "take a"))
			said <- err
		}()
		time.Sleep(time.Second)
		p.cancel()
		time.Sleep(time.Second)
		select {
		case err := <-said:
			t.Fatalf("reported %v before it was written", err)
		default:
		}
		let()
		if err := <-said; err != nil {
			t.Fatal(err)
		}
		w.wantRow(ref, board.RoleReady, "")
		p.wait()
	})
}

// TestAnswerRefused: what the board refuses is told to the caller and stays as
// a notice until it is acknowledged.
func TestAnswerRefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks nothing", in(board.RoleBacklog))
		p := w.start(forever)
		time.Sleep(time.Second)
		if _, err := p.e.Send(t.Context(), answer(ref, "take a")); err == nil || !strings.Contains(err.Error(), "asks nothing") {
			t.Fatalf("answered %v", err)
		}
		time.Sleep(time.Second)
		n := p.e.Snapshot().Notices
		if len(n) != 1 || n[0].Ref != ref {
			t.Fatalf("notices %+v", n)
		}
		p.ask(state.Command{Kind: state.CommandAck, ID: n[0].ID})
		time.Sleep(time.Second)
		if n := p.e.Snapshot().Notices; len(n) != 0 {
			t.Fatalf("after the acknowledgement: %+v", n)
		}
		p.leave()
	})
}

// TestStopWhileStarting: a stop during the first recovery or in the middle of
// a dispatch is safe, and bounded.
func TestStopWhileStarting(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first")
		p := w.start(forever)
		let := p.hold("worktree")
		time.Sleep(time.Second)
		began := time.Now()
		p.cancel()
		p.wait()
		let()
		if took := time.Since(began); took > 21*time.Second {
			t.Fatalf("the end took %s", took)
		}
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		if w.starts(ref, board.KindDeveloper) != 1 {
			t.Fatalf("%d workers", w.starts(ref, board.KindDeveloper))
		}
	})
}
