package tui

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Reader answers what is too large for a snapshot, or only of interest for one
// row. It is asked in commands, never inside Update, and several times at once;
// a call ends with its context. A room without one says so on the pages that
// need it.
type Reader interface {
	// Detail is one issue in full, with every rule that was asked and its
	// history.
	Detail(ctx context.Context, ref board.Ref) (state.Detail, error)
	// Transcript is a window of n lines of a run's stream; from < 0 asks for the
	// last n. With a text to find, n is a direction and the answer has no lines:
	// its Next is the first line at or after from that holds the text in any
	// case of letters, with n < 0 the last one at or before from; -1 without one.
	Transcript(ctx context.Context, run string, from, n int, find string) (state.Transcript, error)
	// Diff is the change of a pull request, or of a worktree against its base.
	Diff(ctx context.Context, q state.DiffQuery) (state.Diff, error)
	// Money is what runs have cost.
	Money(ctx context.Context) (state.Money, error)
	// Preview is what the next firing would do.
	Preview(ctx context.Context) (state.Preview, error)
}
