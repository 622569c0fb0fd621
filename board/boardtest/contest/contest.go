// Package contest lets two processes claim the same rows of a remote board at
// once, each over HTTP with requests that take their random time.
//
// It promises that a board which passes gives no row to two workers, and that
// the claim which stands at the end is that of the worker who kept the row. Both
// processes begin when both are there, and look again when both have claimed:
// what comes of it hangs on no time that a process takes. Only a request on its
// road sleeps, for a random while, so that the two cross in many ways. It is
// imported by tests only, and knows no backend and no fake.
package contest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// env makes a test binary one of the claiming processes.
const env = "DISPATCHER_TEST_CONTEST"

// entry is what a claiming process is told.
type entry struct {
	Session string          `json:"session"`
	Refs    []board.Ref     `json:"refs"`
	Seed    uint64          `json:"seed"`
	Looks   bool            `json:"looks"`
	World   json.RawMessage `json:"world"`
}

// Contest is the rows and what is known of them.
type Contest struct {
	Refs []board.Ref
	// World is what a process needs to open the board, as JSON; Enter's open
	// gets it.
	World any
	// Looks says that a claim is looked at again as the loop does where two may
	// be told that they have a row: before its worker starts, and once more when
	// everybody has claimed. Without it a claim that was answered is kept.
	Looks bool
	// Least is how many rows are kept by somebody at the least.
	Least int
	// Holds says whether the claim that stands on a row is a session's.
	Holds func(ref board.Ref, session string) bool
}

// result is what the processes said.
type result struct {
	mu     sync.Mutex
	count  map[string]int
	keeper map[board.Ref]string
	kept   [2]int // by each process
	bad    []string
}

// Hold lets two processes of this test binary claim the rows, and holds what
// they came to against what is true at the end. The binary has a test
// TestClaimer that calls Enter.
func (c *Contest) Hold(t *testing.T) {
	t.Helper()
	world, err := json.Marshal(c.World)
	if err != nil {
		t.Fatal(err)
	}
	r := &result{count: map[string]int{}, keeper: map[board.Ref]string{}}
	var points meetings
	for i := range points {
		points[i].Add(len(r.kept))
	}
	var all sync.WaitGroup // have ended
	for n := range r.kept {
		text, err := json.Marshal(entry{Session: fmt.Sprintf("s%d", n), Refs: c.Refs, Seed: uint64(n + 1), Looks: c.Looks, World: world})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := r.play(t.Context(), n, string(text), &points); err != nil {
				r.broken("process %d: %v", n, err)
			}
		})
	}
	all.Wait()
	for ref, session := range r.keeper {
		if !c.Holds(ref, session) {
			r.broken("%s was kept by %s, and the claim that stands there is not its own", ref, session)
		}
	}
	t.Logf("%d rows: %d claims lost, %d found late before the start, %d workers started, %d of them stopped, %d and %d kept",
		len(c.Refs), r.count["lost"], r.count["late"], r.count["started"], r.count["stopped"], r.kept[0], r.kept[1])
	for _, b := range r.bad {
		t.Error(b)
	}
	if len(r.keeper) < c.Least {
		t.Errorf("%d rows were kept, want %d at the least", len(r.keeper), c.Least)
	}
	if r.count["lost"] == 0 || r.kept[0] == 0 || r.kept[1] == 0 {
		t.Error("there was no contest")
	}
}

func (r *result) broken(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad = append(r.bad, fmt.Sprintf(format, args...))
}

// meetings are where the processes wait for each other: before they claim, and
// when they have.
type meetings [2]sync.WaitGroup

// play runs one process to its end. When both are at a meeting, or one of them
// has ended, they are told so.
func (r *result) play(ctx context.Context, n int, text string, points *meetings) error {
	passed := 0
	defer func() {
		for ; passed < len(points); passed++ {
			points[passed].Done()
		}
	}()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestClaimer$", "-test.count=1", "-test.v") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), env+"="+text)
	var errs strings.Builder
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	said := bufio.NewScanner(out)
	for said.Scan() {
		if said.Text() == here && passed < len(points) {
			point := &points[passed]
			passed++
			point.Done()
			point.Wait()
			_, _ = io.WriteString(in, "\n") // one that has gone needs no word
			continue
		}
		r.hear(n, said.Text())
		errs.WriteString(said.Text() + "\n")
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, errs.String())
	}
	return said.Err()
}

// here is what a process says at a meeting.
const here = "here"

// hear takes a line of a process: a word, a row, and what follows.
func (r *result) hear(n int, line string) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[words[0]]++
	switch ref := board.Ref(words[1]); words[0] {
	case "failed":
		r.bad = append(r.bad, fmt.Sprintf("process %d: %s", n, line))
	case "kept":
		if other, twice := r.keeper[ref]; twice {
			r.bad = append(r.bad, fmt.Sprintf("%s was kept by two workers, %s and %s", ref, other, words[2]))
		}
		r.keeper[ref] = words[2]
		r.kept[n]++
	}
}
