// Package histories plays the loop on a remote board, over HTTP, against the
// board's fake. A seed decides what workers do, what the owner does on the
// board's own pages, when the loop dies, which claims of another checkout come
// between, and how each request fails; when the trouble is over everything has
// to come to an end.
//
// It promises the same histories and the same invariants for every board: no
// row is worked by two who hold it, none is given to the loop that another
// checkout holds, nothing moves after its merge, nothing that the loop says of a
// try is said twice, and at the end every row is done and nobody holds it. It is
// imported by tests only, and knows no backend and no fake.
package histories

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// World is one board on its fake, with what a history needs of the fake: its
// clock, its clients, its faults, its own pages, and the truth.
type World interface {
	Clock
	Pages
	// Client is a process's own client of the board. Clients of one checkout
	// share what they keep on disk. Where a client waits it calls pause.
	Client(pause func(time.Duration)) board.Backend
	// Seed puts an issue on the board as its owner would.
	Seed(n board.NewIssue) board.Ref
	// Trouble lets requests fail from now on, each when the chance strikes.
	Trouble(c *Chance)
	// Mend ends all failures.
	Mend()
	// Requests is how many the fake has had.
	Requests() int
	// Rows is how every row stands, whatever clients have read.
	Rows() []Row
}

// Clock is the board's time, which a history moves.
type Clock interface {
	Now() time.Time
	Advance(d time.Duration)
}

// Pages are what others than the loop do to the board: its owner on the board's
// own pages, past our policy; the forge, which tells it of pull requests; and
// another checkout.
type Pages interface {
	Say(ref board.Ref, text string)
	Move(ref board.Ref, to board.Role)
	// Write appends to an issue's text.
	Write(ref board.Ref, text string)
	// Opened tells of a new pull request that names its issues, Merged of the
	// merge of any; the board's automation does what it does.
	Opened(p *board.PullRequest)
	Merged(p *board.PullRequest)
	// Rival lets the claim of another checkout's session land on a row, so that
	// it stands before one of ours that is just being taken.
	Rival(ref board.Ref, session string)
}

// Row is the truth of one row.
type Row struct {
	Ref      board.Ref
	Role     board.Role
	Claims   []string     // as they are written there; none when it is free
	Held     string       // in words, by what else it is not free; empty when it is
	Moves    []board.Role // to where it was moved, oldest first
	Comments []string
}

// Game is what differs from board to board.
type Game struct {
	// New makes a world, whose ways the dice may choose.
	New func(t *testing.T, dice *rand.Rand) World
	// Rates are the likelihoods of which a history has one: of a request to
	// fail.
	Rates []float64
	// Steady is how many requests a firing may cost while nothing changes and no
	// stamp is due.
	Steady int
	// SecondLook is the loop's; 0 is none.
	SecondLook time.Duration
}

// Chance decides which requests fail, and how. It may be asked by several
// goroutines at once: the fake asks it.
type Chance struct {
	mu     sync.Mutex
	dice   *rand.Rand
	rate   float64
	faults int
}

// Strikes says whether a request fails.
func (c *Chance) Strikes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rate == 0 || c.dice.Float64() >= c.rate {
		return false
	}
	c.faults++
	return true
}

// struck is how often it has.
func (c *Chance) struck() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults
}

// IntN is a number from 0 up to n, without n.
func (c *Chance) IntN(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dice.IntN(n)
}

// stop ends all strikes.
func (c *Chance) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rate = 0
}
