package contest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// The contest runs some 250 times faster than life.
const (
	slowest = 6 * time.Millisecond // a request on its way there, and again on its way back
	longest = 4 * time.Millisecond // a board's pause
	slots   = 20                   // rows that a process claims at once
)

// Road is how a claiming process reaches its board: every request takes its
// random time, before and after the board has seen it.
type Road struct {
	mu   sync.Mutex
	dice *rand.Rand
}

func (r *Road) upTo(most time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.dice.Int64N(int64(most)))
}

// RoundTrip is http.DefaultTransport's, delayed.
func (r *Road) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(r.upTo(slowest))
	defer func() { time.Sleep(r.upTo(slowest)) }()
	return http.DefaultTransport.RoundTrip(req)
}

// Pause waits for a random while, in place of the board's own pauses.
func (r *Road) Pause() { time.Sleep(time.Millisecond + r.upTo(longest)) }

// claimer is one loop, as far as claims go.
type claimer struct {
	entry

	t    *testing.T
	loop *board.Policy
	mu   sync.Mutex // of what is said
}

// Enter is TestClaimer of a board's tests: one process of a contest. By itself
// it skips. Its board is opened by what Contest.World holds.
func Enter(t *testing.T, open func(t *testing.T, world json.RawMessage, r *Road) board.Backend) {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		t.Skip("it is part of TestClaimContest")
	}
	c := &claimer{t: t}
	if err := json.Unmarshal([]byte(text), &c.entry); err != nil {
		t.Fatal(err)
	}
	road := &Road{dice: rand.New(rand.NewPCG(c.Seed, 2))}
	c.loop = board.NewPolicy(open(t, c.World, road), board.Actor{Kind: board.ActorDispatcher}, board.PolicyOptions{})
	rand.New(rand.NewPCG(c.Seed, 1)).Shuffle(len(c.Refs), func(i, k int) { c.Refs[i], c.Refs[k] = c.Refs[k], c.Refs[i] })
	others := bufio.NewReader(os.Stdin)
	c.meet(others, "is there")
	started := c.each(c.Refs, c.start)
	c.meet(others, "has claimed")
	c.each(started, c.keep)
}

// meet waits until the other process is as far as this one, or has ended.
func (c *claimer) meet(others *bufio.Reader, far string) {
	c.t.Helper()
	c.say(here)
	if _, err := others.ReadString('\n'); err != nil {
		c.t.Fatalf("nobody says that everybody %s: %v", far, err)
	}
}

// each does something with rows, several at once, and answers those that were
// good.
func (c *claimer) each(refs []board.Ref, do func(board.Ref) bool) []board.Ref {
	todo := make(chan board.Ref)
	var mu sync.Mutex
	var good []board.Ref
	var wg sync.WaitGroup
	for range slots {
		wg.Go(func() {
			for ref := range todo {
				if do(ref) {
					mu.Lock()
					good = append(good, ref)
					mu.Unlock()
				}
			}
		})
	}
	for _, ref := range refs {
		todo <- ref
	}
	close(todo)
	wg.Wait()
	return good
}

func (c *claimer) session(ref board.Ref) string {
	return c.Session + "-" + strings.ToLower(strings.TrimPrefix(string(ref), "#"))
}

// start claims a row, and says whether its worker may start.
func (c *claimer) start(ref board.Ref) bool {
	_, err := c.loop.Claim(c.t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: c.session(ref)})
	switch {
	case errors.Is(err, board.ErrClaimConflict):
		c.say("lost", ref)
	case err != nil:
		c.say("failed", ref, err)
	case !c.holds(ref):
		c.say("late", ref)
	default:
		c.say("started", ref)
		return true
	}
	return false
}

// keep says whether a started worker may push.
func (c *claimer) keep(ref board.Ref) bool {
	if !c.holds(ref) {
		c.say("stopped", ref)
		return false
	}
	c.say("kept", ref, c.session(ref))
	return true
}

func (c *claimer) holds(ref board.Ref) bool {
	if !c.Looks {
		return true
	}
	i, err := c.loop.Issue(c.t.Context(), ref)
	if err != nil {
		c.say("failed", ref, err)
		return false
	}
	return i.Claim != nil && i.Claim.Session == c.session(ref)
}

// say tells the contest, a line at a time.
func (c *claimer) say(words ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintln(os.Stdout, words...)
}
