package loop_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
)

// unreachable makes every worktree fail, or none again.
func (w *world) unreachable(away bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = nil
	if away {
		w.away = &loop.AwayError{Why: "the remote origin cannot be reached (connection refused)", Err: errors.New("exit status 128")}
	}
}

// TestRemoteAway: a remote that does not answer is no issue's failure. It is
// found once and told once, no try is counted, no row is claimed for it again
// before it answers, reviews go on, and then everything does.
func TestRemoteAway(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		reviewed := w.ready("reviewed")
		p := w.start(forever)
		time.Sleep(90 * time.Second)
		w.unreachable(true)
		var rows []board.Ref
		for range 4 {
			rows = append(rows, w.ready("waits"))
		}
		time.Sleep(20 * time.Minute)
		w.wantRow(reviewed, board.RoleHumanReview, "")
		moves := len(w.board.log)
		if n := p.told("the remote origin cannot be reached (connection refused); developers and cleaners wait"); n != 1 {
			t.Errorf("told %d times", n)
		}
		for _, ref := range rows {
			w.wantRow(ref, board.RoleReady, "")
			if n := w.notes(ref); len(n) != 0 || w.starts(ref, board.KindDeveloper) != 0 {
				t.Errorf("%s: %d starts, %q", ref, w.starts(ref, board.KindDeveloper), n)
			}
			if r := p.row(ref); r.Hold != "away" || !strings.HasPrefix(r.Waits, "the remote origin cannot be reached (connection refused); next look at ") {
				t.Errorf("it waits: %q %q", r.Hold, r.Waits)
			}
		}
		time.Sleep(5 * time.Minute)
		if n := len(w.board.log) - moves; n != 0 {
			t.Errorf("%d writes to the board while it is away", n)
		}
		w.unreachable(false)
		time.Sleep(30 * time.Minute)
		for _, ref := range rows {
			w.wantRow(ref, board.RoleHumanReview, "")
			if r := w.tries(ref); r[0].Attempt != 1 {
				t.Errorf("tries %+v", r)
			}
		}
		p.leave()
	})
}

// TestRemoteAwayAtARetry: a try that waited keeps its row and its count.
func TestRemoteAwayAtARetry(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("fails once")
		w.on(ref, board.KindDeveloper, failing, completing)
		p := w.start(forever)
		time.Sleep(15 * time.Second)
		w.unreachable(true)
		time.Sleep(10 * time.Minute)
		if i := w.issue(ref); i.Claim == nil || i.Role != board.RoleInProgress {
			t.Errorf("in %s, claim %v", i.Role, i.Claim)
		}
		w.unreachable(false)
		time.Sleep(30 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if r := w.tries(ref); len(r) < 2 || r[1].Attempt != 2 {
			t.Errorf("tries %+v", r)
		}
		p.leave()
	})
}

// TestRemoteAwayForLong: a loop that ends by itself does not wait for ever, and
// says what a person has to mend.
func TestRemoteAwayForLong(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("waits")
		w.unreachable(true)
		end := w.start().wait()
		if !end.Idle || !strings.HasPrefix(end.Status, "blocked on you: the remote origin cannot be reached (connection refused); next look at") {
			t.Errorf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleReady, "")
	})
}
