package loop_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestMergedUnderAnothersClaim: a row whose pull request is merged is Done, and
// the line that says so tells of the claim that only its account can take back.
func TestMergedUnderAnothersClaim(t *testing.T) {
	for name, old := range map[string]time.Duration{"fresh": time.Minute, "stale": 3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("theirs")
				w.start().wait()
				w.wantRow(ref, board.RoleHumanReview, "")
				w.board.Edit(ref, func(i *board.Issue) {
					at := time.Now().Add(-old)
					i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Stamp: at, Written: at, Account: "dana"}
				})
				w.merge(ref)
				p := w.start(forever)
				time.Sleep(2 * time.Minute)
				if i := w.issue(ref); i.Role != board.RoleDone || i.Claim == nil {
					t.Errorf("%s, claim %+v", i.Role, i.Claim)
				}
				if !slices.ContainsFunc(p.e.Snapshot().Log, func(l state.Entry) bool {
					return l.Ref == ref && strings.Contains(l.Text, "is merged; it is not let go: ")
				}) {
					t.Errorf("the log says %+v", p.e.Snapshot().Log)
				}
				p.leave()
			})
		})
	}
}
