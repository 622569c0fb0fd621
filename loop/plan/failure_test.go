package plan_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// A result that comes in after its owner has moved the row, or that was given
// on an older head, changes nothing of what the owner did
// (digitaldrywood/detent#1903, #1964).
func TestFailure17OldResultUndoesNoMove(t *testing.T) {
	t.Parallel()
	for _, to := range []board.Role{
		board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleHumanReview, board.RoleDone,
	} {
		for name, f := range map[string]*plan.Finished{
			"a verdict":            over(board.KindReviewer, pass, issue(movedBy(board.ActorOwner, 1, work), func(i *board.Issue) { i.Role = to })),
			"changes requested":    over(board.KindReviewer, changes, issue(movedBy(board.ActorOwner, 1, work), func(i *board.Issue) { i.Role = to })),
			"a developer's":        over(board.KindDeveloper, complete, issue(movedBy(board.ActorOwner, 1, work), func(i *board.Issue) { i.Role = to })),
			"a failed developer's": over(board.KindDeveloper, "", issue(movedBy(board.ActorOwner, 1, work), func(i *board.Issue) { i.Role = to })),
		} {
			for _, d := range plan.Route(f) {
				if d.Op == state.OpSetState || d.Op == state.OpAssign || d.Op == state.OpRetry {
					t.Errorf("%s on a row that its owner moved to %s: %+v", name, to, d)
				}
			}
		}
	}
	old := over(board.KindReviewer, pass, func(f *plan.Finished) { f.Run.Head = "an older head" })
	for _, d := range plan.Route(old) {
		if d.Op == state.OpSetState {
			t.Errorf("a verdict for an older head moves the row: %+v", d)
		}
	}
}
