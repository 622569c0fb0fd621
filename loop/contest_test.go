package loop_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
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
		w.board.edit(ref, func(i *board.Issue) { i.Labels = append(i.Labels, "Confirm with user") })
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
		w.board.unsure = map[board.Ref]bool{ref: true}
		p := w.start(forever)
		time.Sleep(memoryLease - 5*time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}
