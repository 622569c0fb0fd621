package ghproject_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// history is one loop on one project: a seed decides what workers do, what the
// owner does on GitHub's own pages, when the loop dies, and how each request
// fails.
type history struct {
	t       *testing.T
	seed    uint64
	dice    *rand.Rand
	chance  *chance
	place   *place
	folder  string
	calm    bool
	crashes float64

	p       *loopLife
	runs    []state.Run
	runtime journal.Runtime
	costs   []journal.Cost
	workers map[string]*histWorker
	pulls   []*board.PullRequest
	log     []string

	tasks   []*histTask
	running *histTask
	alarms  []histAlarm
	passed  time.Duration
	ids     int
	heads   int
	bad     []string
}

// chance decides how requests fail, under a lock: the server asks it.
type chance struct {
	mu     sync.Mutex
	dice   *rand.Rand
	rate   float64
	faults int
}

// lost are failures that leave a write done or undone, nobody knows; limits are
// those after which GitHub is left alone for a while.
var (
	lost   = []fake.FaultKind{fake.FaultHangUp, fake.FaultLost, fake.FaultBadGate, fake.FaultLateGate, fake.FaultCut, fake.FaultInternal}
	limits = []fake.FaultKind{fake.FaultRateLimited, fake.FaultRateLimit, fake.FaultSecondary, fake.FaultBare, fake.FaultInBody, fake.FaultAbuse, fake.FaultPrimary}
)

func (c *chance) choose(r fake.Request) fake.FaultKind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rate == 0 || c.dice.Float64() >= c.rate {
		return fake.FaultNone
	}
	c.faults++
	n := c.dice.IntN(10)
	switch {
	case n == 0 && c.dice.IntN(2) == 0:
		return limits[c.dice.IntN(len(limits))]
	case n == 1:
		return fake.FaultExpired
	case n < 5 && !r.Write:
		return fake.FaultStale
	}
	return lost[c.dice.IntN(len(lost))]
}

func (c *chance) stop() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rate = 0
	return c.faults
}

type histAlarm struct {
	p   *loopLife
	due time.Duration
	do  func()
}

// histTask is what the loop would give a goroutine.
type histTask struct {
	p     *loopLife
	next  func() (struct{}, bool)
	kill  func()
	yield func(struct{}) bool
	ready func() bool
}

// loopLife is one life of the loop.
type loopLife struct {
	h        *history
	d        *loop.Driver
	board    *ghproject.Board
	end      context.CancelFunc
	dead     bool
	nextBeat time.Duration
	beating  bool
}

var errDead = errors.New("the process is dead")

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{
		t: t, seed: seed, dice: rand.New(rand.NewPCG(seed, 7)), workers: map[string]*histWorker{}, folder: filepath.Join(t.TempDir(), "state"), //nolint:gosec // seeded
		chance: &chance{dice: rand.New(rand.NewPCG(seed, 8))}, //nolint:gosec // seeded
	}
	flip := func() bool { return h.dice.IntN(2) == 0 }
	h.chance.rate = []float64{0.02, 0.08, 0.2}[h.dice.IntN(3)]
	h.crashes = []float64{0, 0.005, 0.02}[h.dice.IntN(3)]
	h.place = newPlace(t, flip())
	for n := range 2 + h.dice.IntN(3) {
		i := board.NewIssue{Title: fmt.Sprintf("row %d", n+1), State: board.RoleReady, Milestone: "m1", Body: []string{"", "- [ ] one\n- [ ] two"}[h.dice.IntN(2)]}
		if n > 0 && h.dice.IntN(4) == 0 {
			i.Blockers = []board.Ref{"#1"}
		}
		h.place.seed(t, i)
	}
	h.place.server.Inject(fake.Fault{Choose: h.chance.choose})
	return h
}

func (h *history) trace(format string, args ...any) {
	h.log = append(h.log, h.wall().Format("15:04:05 ")+fmt.Sprintf(format, args...))
}

func (h *history) broken(format string, args ...any) {
	h.bad = append(h.bad, fmt.Sprintf(format, args...))
	h.trace("BROKEN: "+format, args...)
}

func (h *history) wall() time.Time { return h.place.clock.Now() }

func (h *history) pass(d time.Duration) {
	h.passed += d
	h.place.clock.Advance(d)
}

// client is a process's own client of the board; those of one checkout share
// its state folder.
func (h *history) client() *ghproject.Board {
	return h.place.open(h.t, func(o *ghproject.Options) {
		o.StateDir = h.folder
		o.Pause = func(context.Context) error { h.pass(time.Second); return nil }
		o.Spread = func(d time.Duration) time.Duration { return d / 2 }
	})
}

func (h *history) as(b board.Backend, a board.Actor) *board.Policy {
	return board.NewPolicy(b, a, board.PolicyOptions{Merged: func(_ context.Context, i board.Issue) (bool, error) {
		return plan.EndedByMerge(&i, plan.PullOf(&i, h.listed())), nil
	}})
}

func (h *history) listed() []board.PullRequest {
	var out []board.PullRequest
	for _, p := range h.pulls {
		c := *p
		c.Reviews = slices.Clone(p.Reviews)
		out = append(out, c)
	}
	return out
}

// begin brings the loop to life on what its checkout kept.
func (h *history) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	p := &loopLife{h: h, end: cancel, board: h.client(), nextBeat: h.passed + time.Minute}
	o := loop.Options{
		Milestones: []string{"m1"}, Poll: time.Minute, RestampAfter: 15 * time.Minute, HeartEvery: time.Minute, SecondLook: 15 * time.Second, StopGrace: 20 * time.Second,
		Settings: plan.Settings{
			StaleWindow: 90 * time.Minute, Caps: plan.Caps{Developers: 2, Reviewers: 2, Cleaners: 1, Total: 5},
			Retry:        plan.Retry{MaxAttempts: 2, First: 10 * time.Second, Max: time.Minute},
			VerifyWindow: time.Hour, ConfirmLabel: "Confirm with user", DefaultBase: "main",
			Agents: map[string]bool{"developer": true, "reviewer": true, "cleaner": true},
			Stall:  plan.Stall{After: 10 * time.Minute, ToolAfter: 30 * time.Minute, Grace: time.Minute},
		},
		Host: "here", Boot: "boot", PID: 1, Runs: slices.Clone(h.runs), Firing: h.runtime.Firing,
		Now: h.wall, NewID: h.newID, Log: slog.New(slog.DiscardHandler),
	}
	p.d = loop.NewDriver(ctx, o, p.deps(), loop.Hands{
		Spawn: func(f func()) {
			if !p.dead {
				h.spawn(p, f)
			}
		},
		After: func(d time.Duration, f func()) { h.alarms = append(h.alarms, histAlarm{p, h.passed + d, f}) },
	})
	h.trace("the loop starts with %d runs", len(o.Runs))
	h.p = p
	p.d.Start()
}

func (h *history) newID() string {
	h.ids++
	return fmt.Sprintf("run-%03d", h.ids)
}

func (h *history) spawn(p *loopLife, f func()) {
	t := &histTask{p: p}
	t.next, t.kill = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		f()
	})
	h.tasks = append(h.tasks, t)
}

func (h *history) resume(t *histTask) {
	before := h.running
	h.running = t
	_, more := t.next()
	h.running = before
	if !more {
		h.tasks = slices.DeleteFunc(h.tasks, func(o *histTask) bool { return o == t })
	}
}

// bury ends what a dead loop left under way.
func (h *history) bury() {
	p := h.p
	p.dead = true
	p.end()
	for _, t := range slices.Clone(h.tasks) {
		before := h.running
		h.running = t
		t.kill()
		h.running = before
	}
	h.tasks, h.alarms, h.p = nil, nil, nil
}

// due rings alarms and lets the heart beat.
func (h *history) due() {
	if h.p != nil {
		if _, over := h.p.d.Ended(); over || h.p.dead {
			h.bury()
		}
	}
	for n := 0; n < len(h.alarms); n++ {
		if a := h.alarms[n]; a.due <= h.passed {
			h.alarms = slices.Delete(h.alarms, n, n+1)
			a.do()
			n = -1
		}
	}
	if p := h.p; p != nil && !p.beating && h.passed >= p.nextBeat {
		p.beating, p.nextBeat = true, h.passed+time.Minute
		h.spawn(p, func() { p.d.Beat(); p.beating = false })
	}
}

// goOn lets the loop take its next event or one of its tasks go on, and
// answers false when nothing can.
func (h *history) goOn() bool {
	if h.p == nil {
		h.begin()
		return true
	}
	if h.p.d.Pending() {
		h.p.d.Step()
		return true
	}
	for _, n := range h.dice.Perm(len(h.tasks)) {
		if t := h.tasks[n]; t.ready == nil || t.ready() {
			h.resume(t)
			return true
		}
	}
	return false
}

// step is one thing that happens in a troubled world.
func (h *history) step() {
	h.pass(time.Duration(h.dice.IntN(20)) * time.Second)
	h.due()
	switch n := h.dice.IntN(100); {
	case n < 4:
		h.act()
	case n < 8:
		h.pass(time.Duration(h.dice.IntN(300)) * time.Second)
	case n < 9 && h.crashes > 0 && h.p != nil:
		h.trace("the loop is killed")
		h.p.dead = true
	case n < 45:
		h.workersGo(1)
	default:
		h.goOn()
	}
}

// turnUntilIdle lets everything go on until nothing is left to do but to wait.
func (h *history) turnUntilIdle() {
	for turns := range 4000 {
		h.due()
		switch {
		case h.goOn():
		case h.workersGo(len(h.workers)) > 0:
		case turns > 60 && h.rests():
			return
		default:
			h.pass(20 * time.Second)
		}
		if len(h.bad) > 0 {
			return
		}
	}
	h.broken("it never rests: %s", h.unrest())
}

func (h *history) rests() bool { return h.unrest() == "" }

// unrest says what is not at rest yet.
func (h *history) unrest() string {
	switch {
	case h.p == nil || h.p.dead || h.p.d.Busy() || len(h.p.d.Rows()) == 0:
		return "the loop is not there yet"
	case len(h.p.d.Runs()) > 0:
		return fmt.Sprintf("there are runs: %+v", h.p.d.Runs()[0])
	}
	for _, v := range h.workers {
		if v.lives() {
			return "a worker lives: " + v.run.ID
		}
	}
	for _, row := range h.p.d.Rows() {
		if row.Waits == "" && row.Hold != plan.HoldClosed {
			return fmt.Sprintf("%s in %s waits for nothing", row.Issue.Ref, row.Issue.State)
		}
	}
	return ""
}

var (
	histories = flag.Int("ghproject.histories", 10, "histories that TestHistories plays; CI plays 120, and 320 have been played")
	oneSeed   = flag.Uint64("ghproject.seed", 0, "play this history alone")
	firstSeed = flag.Uint64("ghproject.from", 1, "the first history")
)

// TestHistories plays the loop on the fake, over HTTP, while requests fail,
// workers fail, the loop dies and its owner works on GitHub's own pages. When
// the trouble is over everything has to come to an end.
func TestHistories(t *testing.T) {
	t.Parallel()
	from, n := *firstSeed, uint64(max(1, *histories/share))
	if *oneSeed > 0 {
		from, n = *oneSeed, 1
	}
	var mu sync.Mutex
	faults, requests, done := 0, 0, 0
	seeds := make(chan uint64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for seed := range seeds {
				h := newHistory(t, seed)
				h.play()
				mu.Lock()
				faults, requests, done = faults+h.chance.stop(), requests+len(h.place.server.Requests()), done+1
				mu.Unlock()
				if len(h.bad) > 0 {
					t.Errorf("seed %d: %s\n%s", seed, strings.Join(h.bad, "\n"), strings.Join(h.log[max(0, len(h.log)-60):], "\n"))
				}
			}
		})
	}
	for seed := from; seed < from+n && !t.Failed(); seed++ {
		seeds <- seed
	}
	close(seeds)
	wg.Wait()
	t.Logf("%d histories over HTTP, %d requests, %d of them failed", done, requests, faults)
}
