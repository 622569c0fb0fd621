package simtest

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	histories = flag.Int("sim.histories", 0, "histories of each simulation; 0 is its own number")
	allFlag   = flag.Bool("sim.all", false, "play all histories")
	cutFlag   = flag.Int("sim.cut", 0, "the boundary of TestSimEveryBoundary at which the loop dies, with sim.seed")
	seedFlag  = flag.Uint64("sim.seed", 0, "play this seed alone, and print its history")
)

// simulate plays many histories of a kind, each from a seed of its own, and
// the seeds that once failed.
func simulate(t *testing.T, what kindOf, n int) {
	t.Helper()
	switch {
	case *seedFlag > 0:
		tell(t, *seedFlag, what)
		return
	case *histories > 0:
		n = *histories
	case !*allFlag:
		n /= share
		t.Logf("one history in %d; -sim.all plays them all", share)
	}
	seeds := slices.Clone(kept[t.Name()])
	for seed := range uint64(n) {
		seeds = append(seeds, seed+1)
	}
	var next, faults, crashes, bad atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for at := next.Add(1) - 1; int(at) < len(seeds) && bad.Load() < 5; at = next.Add(1) - 1 {
				s := newSim(seeds[at], what, false)
				s.play()
				faults.Add(int64(s.faults))
				crashes.Add(int64(s.crashes))
				if len(s.breaches) > 0 {
					bad.Add(1)
					t.Errorf("seed %d: %s\nreplay: go test ./loop/simtest -run '^%s$' -sim.seed %d -v", s.seed, strings.Join(s.breaches, "\n"), t.Name(), s.seed)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d histories, %d faults, %d crashes", min(int(next.Load()), len(seeds)), faults.Load(), crashes.Load())
}

// tell plays one history and prints it.
func tell(t *testing.T, seed uint64, what kindOf) {
	t.Helper()
	s := newSim(seed, what, true)
	s.play()
	fmt.Println(strings.Join(s.log, "\n"))
	for _, b := range s.breaches {
		t.Errorf("seed %d: %s", seed, b)
	}
	t.Logf("%d histories, %d faults, %d crashes", 1, s.faults, s.crashes)
}

// kept are seeds that once failed, and what they found.
var kept = map[string][]uint64{
	// A question that was answered with a move back to work was asked again.
	"TestSimOwner": {73, 230, 331, 423, 1019, 2633},
	// A row that was given to another agent was settled for ever.
	"TestSimAdvisory": {7, 28, 188, 307, 348, 471, 869, 1888},
	// A claim was let go because a firing had lasted, while its worker lived.
	"TestSimEverything": {61, 232, 489, 607, 866, 1150, 3101, 3440},
	// A row was let go, or its worker started, on what had been read long ago.
	"TestSimTwoLoops": {65, 241, 264, 467, 883, 1242, 1645},
	// A stalled worker's retry was settled again and again.
	"TestSimPeace": {11, 14, 44},
}

// TestSimPeace has nothing fail but workers.
func TestSimPeace(t *testing.T) { simulate(t, kindOf{loops: 1}, 1000) }

// TestSimFaults lets every call fail, before or after it took effect, or
// happen twice, and polls lack rows.
func TestSimFaults(t *testing.T) { simulate(t, kindOf{loops: 1, faults: true}, 3000) }

// TestSimCrashes kills the loop at every effect, and the machine; what was
// under way may still happen after the next loop came to life.
func TestSimCrashes(t *testing.T) { simulate(t, kindOf{loops: 1, crashes: true}, 3000) }

// TestSimEveryBoundary kills the loop at each effect of a history in turn:
// before it, after it, and so that it comes late.
func TestSimEveryBoundary(t *testing.T) {
	what := kindOf{loops: 1}
	play := func(seed uint64, n int, verbose bool) *sim {
		s := newSim(seed, what, verbose)
		s.cut = cut{at: (n + 2) / 3, how: n % 3}
		s.play()
		return s
	}
	if *cutFlag > 0 {
		s := play(*seedFlag, *cutFlag, true)
		t.Log(strings.Join(s.log, "\n"), s.breaches)
		return
	}
	const seeds uint64 = max(1, 8/share)
	var histories, crashes, bad atomic.Int64
	var wg sync.WaitGroup
	for seed := range seeds {
		wg.Go(func() {
			whole := play(seed+1, 0, false)
			for n := 1; n <= 3*whole.effects && bad.Load() < 5; n++ {
				s := play(seed+1, n, false)
				histories.Add(1)
				crashes.Add(int64(s.crashes))
				if len(s.breaches) > 0 {
					bad.Add(1)
					t.Errorf("seed %d, cut %d: %s\nreplay: go test ./loop/simtest -run '^%s$' -sim.seed %d -sim.cut %d -v",
						seed+1, n, strings.Join(s.breaches, "\n"), t.Name(), seed+1, n)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d histories, %d faults, %d crashes", histories.Load(), 0, crashes.Load())
}

// TestSimOwner lets the owner move, answer, comment, merge, take and delete at
// any moment, and tell the loop what owners tell loops.
func TestSimOwner(t *testing.T) { simulate(t, kindOf{loops: 1, owner: true}, 3000) }

// TestSimClock sets the clock, forward and back.
func TestSimClock(t *testing.T) { simulate(t, kindOf{loops: 1, clock: true}, 1000) }

// TestSimTwoLoops has two loops work side by side on one board.
func TestSimTwoLoops(t *testing.T) { simulate(t, kindOf{loops: 2}, 2000) }

// TestSimEverything is all of it at once.
func TestSimEverything(t *testing.T) {
	simulate(t, kindOf{loops: 2, faults: true, crashes: true, owner: true, clock: true}, 4000)
}

// TestSimAdvisory is all of it on a board without a fence.
func TestSimAdvisory(t *testing.T) {
	simulate(t, kindOf{advisory: true, loops: 2, faults: true, crashes: true, owner: true, clock: true}, 2000)
}

// TestSimReplays plays histories twice: the same seed is the same history.
func TestSimReplays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		what := kindOf{loops: 2, faults: true, crashes: true, owner: true, clock: true}
		a, b := newSim(seed, what, true), newSim(seed, what, true)
		a.play()
		b.play()
		if diff := cmp.Diff(a.log, b.log); diff != "" {
			t.Fatalf("seed %d plays two histories: %s", seed, diff)
		}
	}
}
