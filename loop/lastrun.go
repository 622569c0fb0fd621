package loop

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// lastRuns looks at the last run of every row that could be dispatched and is
// not ours: one that still lives, or cannot be read, holds its row before any
// claim. A run that is known to be over is never looked at again.
func (f *firing) lastRuns(ctx context.Context, rows []board.Issue) map[board.Ref]plan.LastRun {
	out := map[board.Ref]plan.LastRun{}
	for i := range rows {
		row := &rows[i]
		if row.LastRun == "" || f.e.settled[row.LastRun] || !dispatchable(row.Role) {
			continue
		}
		if _, ours := f.runOn(row.Ref); ours {
			continue
		}
		st, err := f.e.d.Watcher.Observe(ctx, row.LastRun)
		switch {
		case err != nil:
			out[row.Ref] = plan.LastRun{Error: err.Error()}
		case st.Phase == state.WorkerRunning:
			out[row.Ref] = plan.LastRun{Lives: true}
		default:
			f.e.settled[row.LastRun] = true
		}
	}
	return out
}

// dispatchable are the columns from which rows are taken.
func dispatchable(r board.Role) bool {
	return r == board.RoleReady || r == board.RoleChangesRequested || r == board.RoleInProgress
}

// boardErrors tells the owner of rows that cannot be right.
func (f *firing) boardErrors(ctx context.Context) {
	writes, _ := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	for _, d := range plan.BoardErrors(&f.facts) {
		if _, err := writes.Comment(ctx, d.Ref, board.ActorDispatcher, d.Text); err != nil {
			f.say(d.Ref, true, "say what is wrong with %s: %v", d.Ref, err)
		}
	}
}
