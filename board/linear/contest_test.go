package linear_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// contestEnv makes this test binary one of the claiming processes.
const contestEnv = "LINEAR_TEST_CONTEST"

// entry is what a claiming process is told.
type entry struct {
	Session string
	Refs    []board.Ref
	Seed    uint64
	URL     string
	Made    fake.Made
}

// jitter lets every request take its random time, before and after Linear has
// seen it.
type jitter struct {
	mu   sync.Mutex
	dice *rand.Rand
}

func (j *jitter) wait() {
	j.mu.Lock()
	d := time.Duration(j.dice.IntN(4000)) * time.Microsecond
	j.mu.Unlock()
	time.Sleep(d)
}

func (j *jitter) RoundTrip(r *http.Request) (*http.Response, error) {
	j.wait()
	defer j.wait()
	return http.DefaultTransport.RoundTrip(r)
}

// TestClaimer is one process of TestClaimContest; by itself it does nothing.
func TestClaimer(t *testing.T) {
	text := os.Getenv(contestEnv)
	if text == "" {
		t.Skip("it is part of TestClaimContest")
	}
	var e entry
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(e.Seed, 1)) //nolint:gosec // a seeded order of claims
	p := &place{made: e.Made, url: e.URL, clock: newClock()}
	b := p.open(t, func(o *linear.Options) { o.Transport = &jitter{dice: rand.New(rand.NewPCG(e.Seed, 2))} }) //nolint:gosec // likewise
	loop := board.NewPolicy(b, board.Actor{Kind: board.ActorDispatcher}, board.PolicyOptions{})
	dice.Shuffle(len(e.Refs), func(i, k int) { e.Refs[i], e.Refs[k] = e.Refs[k], e.Refs[i] })
	refs := make(chan board.Ref)
	var out sync.Mutex
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for ref := range refs {
				_, err := loop.Claim(t.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: e.Session + "-" + strings.ToLower(string(ref))})
				out.Lock()
				switch {
				case err == nil:
					fmt.Println("won", ref)
				case errors.Is(err, board.ErrClaimConflict):
					fmt.Println("lost", ref)
				default:
					fmt.Println("failed", ref, err)
				}
				out.Unlock()
			}
		})
	}
	for _, ref := range e.Refs {
		refs <- ref
	}
	close(refs)
	wg.Wait()
}

// TestClaimContest lets two processes claim the same 200 rows at once, some of
// them with stale claims of a third: every row has exactly one winner, and the
// claim that stands is the winner's (watt-mind/factory#877).
func TestClaimContest(t *testing.T) {
	t.Parallel()
	const rows = 200
	p := newPlace(t, fake.Options{Requests: 1e6, Points: 1e9}, fake.Setup{})
	other := p.world.AddUser(fake.User{Name: "Otto", DisplayName: "otto"})
	var refs []board.Ref
	for n := range rows {
		d := fake.Draft{Title: fmt.Sprintf("row %d", n), State: "Ready", Milestone: "m1"}
		if n%4 == 0 {
			stale := board.Claim{Kind: board.KindDeveloper, Session: fmt.Sprintf("third-%d", n), Stamp: p.clock.Now().Add(-2 * time.Hour)}
			d.Comments = []fake.Comment{{Body: stale.Text(), User: []string{p.made.Owner, other}[n/4%2]}}
		}
		refs = append(refs, p.add(t, d))
	}
	outs := make([]string, 2)
	var wg sync.WaitGroup
	for n := range outs {
		text, err := json.Marshal(entry{Session: fmt.Sprintf("s%d", n), Refs: refs, Seed: uint64(n + 1), URL: p.url, Made: p.made})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestClaimer$", "-test.count=1", "-test.v")
			cmd.Env = append(os.Environ(), contestEnv+"="+string(text))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v\n%s", n, err, out.String())
			}
			outs[n] = out.String()
		})
	}
	wg.Wait()
	winner := map[board.Ref]int{}
	won := [2]int{}
	for n, out := range outs {
		for s := bufio.NewScanner(strings.NewReader(out)); s.Scan(); {
			words := strings.Fields(s.Text())
			if len(words) < 2 || words[0] != "won" && words[0] != "failed" {
				continue
			}
			if words[0] == "failed" {
				t.Errorf("process %d: %s", n, s.Text())
				continue
			}
			if _, twice := winner[board.Ref(words[1])]; twice {
				t.Errorf("%s has two winners", words[1])
			}
			winner[board.Ref(words[1])] = n
			won[n]++
		}
	}
	standing, err := p.open(t).Poll(t.Context(), board.Query{AllMilestones: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range standing {
		row := &standing[i]
		n, ok := winner[row.Ref]
		if want := fmt.Sprintf("s%d-%s", n, strings.ToLower(string(row.Ref))); !ok || row.Claim == nil || row.Claim.Session != want || row.Delegate != board.DelegateDeveloper {
			t.Errorf("%s: winner %v, claim %+v, delegate %q", row.Ref, ok, row.Claim, row.Delegate)
		}
	}
	c := p.world.Counts()
	t.Logf("%d rows: %d and %d won, %d requests", len(standing), won[0], won[1], c.Requests)
	if won[0] == 0 || won[1] == 0 {
		t.Error("there was no contest")
	}
}
