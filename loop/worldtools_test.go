package loop_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

func answer(ref board.Ref, text string) state.Command {
	return state.Command{Kind: state.CommandAnswer, Ref: ref, Text: text}
}

// slots gives developers and reviewers so many slots each.
func slots(n int) func(*loop.Options) {
	return func(o *loop.Options) {
		o.Settings.Caps = plan.Caps{Developers: n, Reviewers: n, Cleaners: 1, Total: 2 * n}
	}
}

// abortCut aborts a loop with workers and kills it at the abort's effect k. It
// answers whether the abort has so many effects.
func abortCut(t *testing.T, k int, after bool) bool {
	t.Helper()
	reached := true
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		bare, pushed, reviewed := w.ready("no pull request"), w.ready("pull request"), w.ready("in review")
		w.on(bare, board.KindDeveloper, endless, completing)
		w.on(pushed, board.KindDeveloper, func(a *agent) string { a.push(); return endless(a) }, completing)
		w.on(reviewed, board.KindReviewer, endless, passing)
		p := w.start(forever, slots(3))
		time.Sleep(2 * time.Minute)
		p.mu.Lock()
		p.crashAt, p.after = p.counted+k, after
		p.mu.Unlock()
		_, _ = p.e.Send(t.Context(), state.Command{Kind: state.CommandAbort})
		p.wait()
		reached = p.died()
		// What the cut left running is re-adopted, and aborted again.
		p = w.start(forever, slots(3))
		time.Sleep(time.Second)
		p.send(state.CommandAbort)
		p.wait()
		if w.live() != 0 || len(w.saved()) != 0 {
			t.Errorf("after the second abort %d live, %v in the journal", w.live(), w.saved())
		}
		w.start(slots(3)).wait()
		w.sound()
		for _, ref := range []board.Ref{bare, pushed, reviewed} {
			w.wantRow(ref, board.RoleHumanReview, "")
			for _, note := range w.notes(ref) {
				if strings.Contains(note, "did not finish") {
					t.Errorf("%s: the stop used a try up: %q", ref, note)
				}
			}
		}
		if t.Failed() {
			t.Logf("abort killed %s effect %d\n%s", whenOf(after), k, strings.Join(w.board.log, "\n"))
		}
	})
	return reached
}
