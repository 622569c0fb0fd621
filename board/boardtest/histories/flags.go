package histories

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Flags are a board's flags of the command line: how many histories are
// played, from which seed, or which one alone.
type Flags struct {
	board      string
	count      *int
	only, from *uint64
}

// Define makes the flags -BOARD.histories, -BOARD.seed and -BOARD.from; it is
// called once, before flags are read.
func Define(board string) *Flags {
	return &Flags{
		board: board,
		count: flag.Int(board+".histories", 10, "histories that TestHistories plays; CI plays 300"),
		only:  flag.Uint64(board+".seed", 0, "play this history alone"),
		from:  flag.Uint64(board+".from", 1, "the first history"),
	}
}

// tally is what the histories of a test came to.
type tally struct {
	mu                               sync.Mutex
	played, requests, faults, rivals int
}

// Play plays as many histories as the flags say, four at once, and fails the
// test with the seed and the last words of each that breaks an invariant. Ten
// and more in which no claim meets a rival fail too.
func (f *Flags) Play(t *testing.T, g Game) {
	t.Helper()
	from, n := *f.from, uint64(max(1, *f.count/share))
	if *f.only > 0 {
		from, n = *f.only, 1
	}
	var sum tally
	seeds := make(chan uint64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for seed := range seeds {
				if said := sum.add(newHistory(t, seed, g)); said != "" {
					t.Errorf("seed %d (again: go test ./board/%s -run '^TestHistories$' -%s.seed %d): %s", seed, f.board, f.board, seed, said)
				}
			}
		})
	}
	for seed := from; seed < from+n && !t.Failed(); seed++ {
		seeds <- seed
	}
	close(seeds)
	wg.Wait()
	if sum.rivals == 0 && sum.played >= 10 {
		t.Error("no claim met a rival: nobody waits before the look whether a claim stands")
	}
	t.Logf("%d histories over HTTP, %d requests, %d of them failed, %d claims met a rival", sum.played, sum.requests, sum.faults, sum.rivals)
}

// add plays one history, and answers what it broke, with its last words.
func (s *tally) add(h *history) string {
	h.play()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played++
	s.faults += h.chance.struck()
	s.requests += h.world.Requests()
	s.rivals += len(h.rivals)
	if len(h.bad) == 0 {
		return ""
	}
	return fmt.Sprintf("%s\n%s", strings.Join(h.bad, "\n"), strings.Join(h.log[max(0, len(h.log)-60):], "\n"))
}
