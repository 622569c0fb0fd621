package boardtest

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Fixture is one empty board and the means to fill and age it.
type Fixture struct {
	Backend board.Backend
	// Seed puts an issue on the board as its owner would, however that is done
	// there, and answers its ref. The labels of Labels exist.
	Seed func(t *testing.T, n board.NewIssue) board.Ref
	// Advance moves the board's clock; Now reads it.
	Advance func(d time.Duration)
	Now     func() time.Time
	// Link links a pull request as its forge does, where LinkPR is refused.
	Link func(t *testing.T, ref board.Ref, pr string)
	// Fenced says that the board keeps epochs and leases.
	Fenced bool
	// Reopen is a second client of the same board, as another process has it.
	Reopen func(t *testing.T) board.Backend
	// SetDelegate hands a row to an agent that is not ours.
	SetDelegate func(t *testing.T, ref board.Ref, d board.Delegate)
	// ClaimAs puts a developer's claim on a row that has none, under another
	// account of the board, with a stamp that is old; nil where whoever writes
	// the board can take every claim back.
	ClaimAs func(t *testing.T, ref board.Ref, session string, old time.Duration)
}
