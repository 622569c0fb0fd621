package loop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestFreshened: a pull request that waits for its owner is kept up to date,
// stays where it is and is not reviewed again.
func TestFreshened(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.checks = func(*board.PullRequest) (board.CheckState, error) { return board.ChecksGreen, nil }
		ref := w.ready("waits")
		w.start().wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		before := w.pull(ref).HeadSHA
		w.land()
		if end := w.start().wait(); !end.Idle {
			t.Fatalf("ended %+v", end)
		}
		w.wantRow(ref, board.RoleHumanReview, "")
		pr := w.pull(ref)
		if pr.HeadSHA == before || pr.Behind != 0 || pr.Checks != board.ChecksGreen || w.starts(ref, board.KindReviewer) != 1 {
			t.Fatalf("%+v, %d reviews", pr, w.starts(ref, board.KindReviewer))
		}
	})
}

// TestFreshenMany: five a firing, and the loop does not end before the last.
func TestFreshenMany(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var refs []board.Ref
		for n := range 7 {
			refs = append(refs, w.ready(fmt.Sprint("row ", n)))
		}
		w.start(slots(7)).wait()
		w.land()
		p := w.start(forever)
		time.Sleep(time.Second)
		fresh := func() (n int) {
			for _, ref := range refs {
				if w.pull(ref).Behind == 0 {
					n++
				}
			}
			return n
		}
		if got := fresh(); got != 5 {
			t.Errorf("the first firing updated %d", got)
		}
		p.leave()
		w.start().wait()
		if got := fresh(); got != 7 {
			t.Errorf("%d are up to date at the end", got)
		}
	})
}

// TestNoFreshenUnderReview: the head stays while a review runs, and moves when
// it is over.
func TestNoFreshenUnderReview(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("reviewed")
		w.on(ref, board.KindReviewer, func(a *agent) string {
			a.work(20 * time.Minute)
			return "VERDICT: PASS"
		})
		p := w.start(forever)
		time.Sleep(5 * time.Minute)
		head := w.pull(ref).HeadSHA
		w.land()
		time.Sleep(10 * time.Minute)
		if got := w.pull(ref).HeadSHA; got != head || w.live() != 1 {
			t.Fatalf("the head moved from %s to %s, %d live", head, got, w.live())
		}
		time.Sleep(20 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if pr := w.pull(ref); pr.HeadSHA == head || pr.Behind != 0 {
			t.Fatalf("after the review: %+v", pr)
		}
		p.leave()
	})
}

// TestVerdictSurvivesUpdate: another loop that brought the pull request up to
// date during the review costs no second review; a push does.
func TestVerdictSurvivesUpdate(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		moving := func(byHand bool) script {
			return func(a *agent) string {
				a.work(30 * time.Second)
				a.merge(byHand)
				return "VERDICT: PASS"
			}
		}
		updated, pushed := w.ready("updated"), w.ready("pushed")
		w.on(updated, board.KindReviewer, moving(false), failing)
		w.on(pushed, board.KindReviewer, moving(true), passing)
		w.start().wait()
		w.wantRow(updated, board.RoleHumanReview, "")
		w.wantRow(pushed, board.RoleHumanReview, "")
		if a, b := w.starts(updated, board.KindReviewer), w.starts(pushed, board.KindReviewer); a != 1 || b != 2 {
			t.Fatalf("reviewed %d and %d times", a, b)
		}
	})
}

// TestRefusedUpdate: an update that the forge refuses is shown and tried three
// times at most, so that the loop still ends by itself.
func TestRefusedUpdate(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("refused")
		w.start().wait()
		w.land()
		w.history.refuse = errors.New("the remote said no")
		p := w.start()
		end := p.wait()
		tries := 0
		for _, e := range p.effects {
			if e == "freshen" {
				tries++
			}
		}
		if !end.Idle || tries != 3 || !strings.Contains(end.Status, "#1 is 1 behind and was not updated: the remote said no") {
			t.Fatalf("%d tries, ended %+v", tries, end)
		}
		w.history.refuse = nil
		w.land()
		w.start().wait()
		if pr := w.pull(ref); pr.Behind != 0 {
			t.Fatalf("not updated once main moved on: %+v", pr)
		}
	})
}

// TestFreshenRespectsModes: a paused loop updates nothing.
func TestFreshenRespectsModes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("waits")
		w.start().wait()
		w.land()
		p := w.start(forever, func(o *loop.Options) { o.Paused = true })
		time.Sleep(3 * time.Minute)
		if pr := w.pull(ref); pr.Behind != 1 {
			t.Fatalf("updated while paused: %+v", pr)
		}
		p.send(state.CommandResume)
		time.Sleep(time.Minute)
		if pr := w.pull(ref); pr.Behind != 0 {
			t.Fatalf("not updated after that: %+v", pr)
		}
		p.leave()
	})
}
