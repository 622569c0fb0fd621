package ghproject_test

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// contestEnv makes this test binary one of the claiming processes.
const contestEnv = "GHPROJECT_TEST_CONTEST"

// The contest runs some 250 times faster than life, where a claim is looked at
// after 0.3 to 1 s, once more before the worker starts, and 15 s after that; a
// worker's first push comes later still.
const (
	slowest    = 6 * time.Millisecond // a request on its way there, and again on its way back
	secondLook = 60 * time.Millisecond
)

// entry is what a claiming process is told.
type entry struct {
	Session, URL, ProjectID string
	Remote, Repo            string // where workers push to, and from
	Refs                    []board.Ref
	States                  map[board.Role]string
	Seed                    uint64
}

// jitter lets every request take its random time, before and after GitHub has
// seen it.
type jitter struct {
	mu   sync.Mutex
	dice *rand.Rand
}

func (j *jitter) upTo(most time.Duration) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Duration(j.dice.Int64N(int64(most)))
}

func (j *jitter) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(j.upTo(slowest))
	defer func() { time.Sleep(j.upTo(slowest)) }()
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
	j := &jitter{dice: rand.New(rand.NewPCG(e.Seed, 2))} //nolint:gosec // seeded delays
	p := &place{url: e.URL + "/graphql", clock: newClock(), states: e.States, project: &fake.Project{ID: e.ProjectID}}
	b := p.open(t, func(o *ghproject.Options) {
		o.Transport = j
		o.Pause = func(context.Context) error {
			time.Sleep(time.Millisecond + j.upTo(3*time.Millisecond))
			return nil
		}
	})
	c := &claimer{entry: e, loop: board.NewPolicy(b, dispatcher, board.PolicyOptions{})}
	rand.New(rand.NewPCG(e.Seed, 1)).Shuffle(len(e.Refs), func(i, k int) { e.Refs[i], e.Refs[k] = e.Refs[k], e.Refs[i] }) //nolint:gosec // a seeded order
	refs := make(chan board.Ref)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for ref := range refs {
				c.work(t, ref)
			}
		})
	}
	for _, ref := range e.Refs {
		refs <- ref
	}
	close(refs)
	wg.Wait()
	if len(c.pushes) > 0 {
		push := exec.CommandContext(t.Context(), "git", append([]string{"-C", e.Repo, "push", "-q", e.Remote}, c.pushes...)...) //nolint:gosec // words of ours
		push.Env = gittest.Env()
		if out, err := push.CombinedOutput(); err != nil {
			t.Fatalf("push: %v\n%s", err, out)
		}
	}
}

// claimer is one loop, as far as claims go.
type claimer struct {
	entry
	loop *board.Policy

	mu     sync.Mutex
	pushes []string
}

func (c *claimer) say(words ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Println(words...)
}

// work claims a row, starts its worker, looks again as the loop does, and lets
// the worker push when the row is still its own.
func (c *claimer) work(t *testing.T, ref board.Ref) {
	session := c.Session + "-" + strings.TrimPrefix(string(ref), "#")
	_, err := c.loop.Claim(t.Context(), ref, claim(session))
	switch {
	case errors.Is(err, board.ErrClaimConflict):
		c.say("lost", ref)
		return
	case err != nil:
		c.say("failed", ref, err)
		return
	case !c.holds(t, ref, session): // before the start
		c.say("late", ref)
		return
	}
	c.say("started", ref)
	time.Sleep(secondLook)
	if !c.holds(t, ref, session) {
		c.say("stopped", ref)
		return
	}
	c.say("pushed", ref)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pushes = append(c.pushes, "HEAD:refs/heads/task/"+strings.TrimPrefix(string(ref), "#")+"/"+session)
}

func (c *claimer) holds(t *testing.T, ref board.Ref, session string) bool {
	i, err := c.loop.Issue(t.Context(), ref)
	if err != nil {
		c.say("failed", ref, err)
		return false
	}
	return i.Claim != nil && i.Claim.Session == session
}

// TestClaimContest lets two processes claim the same 200 rows at once, some of
// them with stale claims of a third, and push to the same repository: of no row
// there are ever two workers that both push (failures.md, claims; SYMPTOMS.md,
// 39).
func TestClaimContest(t *testing.T) {
	t.Parallel()
	const rows = 200
	p := newPlace(t, true)
	repo := gittest.New(t)
	bare := t.TempDir()
	repo.Git("clone", "-q", "--bare", repo.Dir, bare)
	p.server.AddRepo("acme", "widgets", bare, "main")
	var refs []board.Ref
	for n := range rows {
		refs = append(refs, p.seed(t, board.NewIssue{Title: fmt.Sprint("row ", n), State: board.RoleReady}))
		if n%10 == 0 {
			p.field(refNumber(t, refs[n]), "dev:gone@2026-08-01T00:00Z") // stale
		}
	}
	home := strings.TrimSuffix(p.url, "/graphql")
	count := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for n := range 2 {
		text, err := json.Marshal(entry{
			Session: fmt.Sprintf("s%d", n), Refs: refs, Seed: uint64(n + 1), URL: home, ProjectID: p.project.ID, States: p.states,
			Remote: strings.Replace(home, "http://", "http://x:olive-token@", 1) + "/git/acme/widgets.git", Repo: repo.Dir,
		})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestClaimer$", "-test.count=1", "-test.v")
			cmd.Env = append(os.Environ(), contestEnv+"="+string(text))
			out, err := cmd.CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			if err != nil || bytes.Contains(out, []byte("\nfailed ")) {
				t.Errorf("process %d: %v\n%s", n, err, out)
			}
			for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
				word, _, _ := strings.Cut(s.Text(), " #")
				count[word]++
			}
		})
	}
	wg.Wait()
	branches := strings.Fields(repo.Git("--git-dir", bare, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/task/"))
	owner := map[string]string{}
	for _, name := range branches {
		row, session, _ := strings.Cut(name, "/")
		if owner[row] != "" {
			t.Errorf("two workers pushed for #%s: %s and %s", row, owner[row], session)
		}
		owner[row] = session
		if text := p.claimed(t, board.Ref("#"+row)); !strings.Contains(text, ":"+session+"@") {
			t.Errorf("#%s was pushed by %s, and is claimed by %q", row, session, text)
		}
	}
	t.Logf("%d rows: %d claims lost, %d found late before the start, %d workers started, %d of them stopped, %d pushed",
		rows, count["lost"], count["late"], count["started"], count["stopped"], len(branches))
	if len(branches) != count["pushed"] || len(branches) < rows-5 || count["lost"] == 0 {
		t.Errorf("%d branches, %v", len(branches), count)
	}
}
