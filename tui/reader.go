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
	// last n. With a text to find, Next of the answer is the first line at or
	// after from that holds it, in any case of letters, and -1 without one.
	Transcript(ctx context.Context, run string, from, n int, find string) (state.Transcript, error)
	// Diff is the change of a pull request, or of a worktree against its base.
	Diff(ctx context.Context, q state.DiffQuery) (state.Diff, error)
	// Money is what runs have cost.
	Money(ctx context.Context) (state.Money, error)
	// Preview is what the next firing would do.
	Preview(ctx context.Context) (state.Preview, error)
}
