package loop_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/memory"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestRowThatChangesAfterThePoll is judged once more before it is claimed
// (dispatcher-system.md, One firing 4).
func TestRowThatChangesAfterThePoll(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := w.start(forever)
		time.Sleep(time.Minute)
		let := p.hold("issue")
		ref := w.ready("to confirm")
		time.Sleep(5 * time.Minute) // it is polled, and stands before its claim
		w.board.Edit(ref, func(i *board.Issue) { i.Labels = append(i.Labels, looptest.ConfirmLabel) })
		let()
		time.Sleep(5 * time.Minute)
		w.wantRow(ref, board.RoleReady, "")
		if w.issue(ref).Epoch != 0 {
			t.Error("it was claimed all the same")
		}
		p.leave()
	})
}

// TestClaimThatCameSecond: of two loops that saw a row free, the second leaves
// it to the first (dispatcher-system.md, Claims).
func TestClaimThatCameSecond(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := w.start(forever)
		time.Sleep(time.Minute)
		let := p.hold("claim")
		ref := w.ready("contested")
		time.Sleep(5 * time.Minute)
		_, err := w.as(board.Actor{Kind: board.ActorDispatcher}).Claim(t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs"})
		w.must(err)
		let()
		time.Sleep(5 * time.Minute)
		if i := w.issue(ref); i.Epoch != 1 || i.Claim == nil || i.Claim.Session != "theirs" {
			t.Errorf("the row is %+v", i.Claim)
		}
		if len(w.saved()) != 0 {
			t.Errorf("journal %v", w.saved())
		}
		p.leave()
	})
}

// TestClaimOfUnknownOutcome: a claim that was taken although its answer was
// lost is given back and taken anew, not left to go stale (design.md, section
// 6).
func TestClaimOfUnknownOutcome(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("no answer")
		w.board.Unsure = map[board.Ref]bool{ref: true}
		p := w.start(forever)
		time.Sleep(memory.Lease - 5*time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}

// TestSecondLook: where the board has no fence, a claim that a rival's late
// write replaced is found before the spawn or shortly after it; the worker is
// not started, or stopped, and the row is left to the rival with no try
// counted (design.md, section 6).
func TestSecondLook(t *testing.T) {
	seldom := func(o *loop.Options) {
		o.SecondLook, o.Poll, o.RestampAfter, o.HeartEvery = 15*time.Second, 10*time.Hour, 10*time.Hour, 10*time.Hour
	}
	steal := func(w *world, ref board.Ref) {
		_, err := w.as(board.Actor{Kind: board.ActorDispatcher}).Claim(context.Background(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "theirs", Run: "theirs", Steal: true})
		w.must(err)
	}
	lost := func(t *testing.T, w *world, p *process, ref board.Ref, workers int) {
		t.Helper()
		i := w.issue(ref)
		if w.live() != 0 || len(w.saved()) != 0 || len(w.workers) != workers {
			t.Errorf("%d live of %d workers, journal %v", w.live(), len(w.workers), w.saved())
		}
		if i.Claim == nil || i.Claim.Session != "theirs" || i.Role != board.RoleInProgress || len(i.Comments) != 0 {
			t.Errorf("the row is %+v", i)
		}
		p.leave()
	}
	t.Run("before the spawn", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			ref := w.ready("contested")
			p := w.start(forever, seldom)
			let := p.hold("prompt")
			time.Sleep(time.Minute)
			steal(w, ref)
			let()
			time.Sleep(time.Minute)
			lost(t, w, p, ref, 0)
		})
	})
	t.Run("after it", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			ref := w.ready("contested")
			w.on(ref, board.KindDeveloper, endless)
			p := w.start(forever, seldom)
			time.Sleep(5 * time.Second)
			if w.live() != 1 {
				t.Fatalf("%d live", w.live())
			}
			steal(w, ref)
			time.Sleep(16 * time.Second)
			lost(t, w, p, ref, 1)
		})
	})
	t.Run("after an answer that did not come", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			ref := w.ready("contested")
			w.on(ref, board.KindDeveloper, endless)
			p := w.start(forever, seldom)
			time.Sleep(5 * time.Second)
			steal(w, ref)
			p.fail("issue", errors.New("timeout"))
			time.Sleep(20 * time.Second)
			if w.live() != 1 {
				t.Errorf("%d live", w.live())
			}
			p.fail("issue", nil)
			time.Sleep(16 * time.Second)
			lost(t, w, p, ref, 1)
		})
	})
	t.Run("a claim that stands", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			ref := w.ready("ours")
			w.on(ref, board.KindDeveloper, endless)
			p := w.start(forever, seldom)
			time.Sleep(time.Minute)
			if w.live() != 1 || w.issue(ref).Claim == nil {
				t.Errorf("%d live, %+v", w.live(), w.issue(ref).Claim)
			}
			p.send(state.CommandAbort)
			p.wait()
		})
	})
}
