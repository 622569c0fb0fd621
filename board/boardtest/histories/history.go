package histories

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// history is one loop on one board.
type history struct {
	looptest.Tasks[*life]

	game    Game
	world   World
	dice    *rand.Rand
	chance  *Chance
	calm    bool
	crashes float64 // how likely the loop dies at an effect

	life    *life
	runs    []state.Run
	runtime journal.Runtime
	costs   []journal.Cost
	workers map[string]*worker
	pulls   []*board.PullRequest
	log     []string

	claiming board.Ref // the row whose claim is under way
	rivals   map[board.Ref]string

	ids   int
	heads int
	bad   []string // broken invariants
}

var (
	dispatcher = board.Actor{Kind: board.ActorDispatcher}
	owner      = board.Actor{Kind: board.ActorOwner, Name: "olive"}
)

func newHistory(t *testing.T, seed uint64, g Game) *history {
	t.Helper()
	h := &history{
		game: g, workers: map[string]*worker{}, rivals: map[board.Ref]string{}, dice: rand.New(rand.NewPCG(seed, 7)),
		chance: &Chance{dice: rand.New(rand.NewPCG(seed, 8))},
	}
	h.chance.rate = g.Rates[h.dice.IntN(len(g.Rates))]
	h.crashes = []float64{0, 0.005, 0.02}[h.dice.IntN(3)]
	h.world = g.New(t, h.dice)
	var first board.Ref
	for n := range 2 + h.dice.IntN(3) {
		i := board.NewIssue{Title: fmt.Sprintf("row %d", n+1), State: board.RoleReady, Milestone: "m1", Body: []string{"", "- [ ] one\n- [ ] two"}[h.dice.IntN(2)]}
		if n > 0 && h.dice.IntN(4) == 0 {
			i.Blockers = []board.Ref{first}
		}
		if ref := h.world.Seed(i); n == 0 {
			first = ref
		}
	}
	h.world.Trouble(h.chance)
	return h
}

func (h *history) trace(format string, args ...any) {
	h.log = append(h.log, h.world.Now().Format("15:04:05 ")+fmt.Sprintf(format, args...))
}

func (h *history) broken(format string, args ...any) {
	h.bad = append(h.bad, fmt.Sprintf(format, args...))
	h.trace("BROKEN: "+format, args...)
}

func (h *history) pass(d time.Duration) {
	h.Passed += d
	h.world.Advance(d)
}

// as is a client of its own under an actor's policy.
func (h *history) as(a board.Actor) *board.Policy {
	return looptest.Policy(h.world.Client(h.pass), a, h.listed)
}

// listed are the pull requests as the forge lists them.
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
	p := &life{h: h, end: cancel, nextBeat: h.Passed + time.Minute}
	set := looptest.Settings()
	set.Retry.Max = time.Minute
	o := loop.Options{
		Milestones: []string{"m1"}, Settings: set,
		Poll: time.Minute, RestampAfter: 15 * time.Minute, HeartEvery: time.Minute, SecondLook: h.game.SecondLook, StopGrace: 20 * time.Second,
		Host: "here", Boot: "boot", PID: 1, Runs: slices.Clone(h.runs), Firing: h.runtime.Firing,
		Now: h.world.Now, NewID: h.newID, Log: slog.New(slog.DiscardHandler),
	}
	p.d = loop.NewDriver(ctx, o, p.deps(), loop.Hands{
		Spawn: func(f func()) {
			if !p.dead {
				h.Spawn(p, f)
			}
		},
		After: func(d time.Duration, f func()) { h.After(p, d, f) },
	})
	h.trace("the loop starts with %d runs", len(o.Runs))
	h.life = p
	p.d.Start()
}

func (h *history) newID() string {
	h.ids++
	return fmt.Sprintf("run-%03d", h.ids)
}

// bury ends what a dead loop left under way.
func (h *history) bury() {
	p := h.life
	p.dead = true
	p.end()
	h.Reap(p)
	h.life = nil
}

// due rings alarms and lets the heart beat.
func (h *history) due() {
	if h.life != nil {
		if _, over := h.life.d.Ended(); over || h.life.dead {
			h.bury()
		}
	}
	h.Ring()
	if p := h.life; p != nil && !p.beating && h.Passed >= p.nextBeat {
		p.beating, p.nextBeat = true, h.Passed+time.Minute
		h.Spawn(p, func() { p.d.Beat(); p.beating = false })
	}
}

// goOn lets the loop take its next event or one of its tasks go on, and
// answers false when nothing can.
func (h *history) goOn() bool {
	if h.life == nil {
		h.begin()
		return true
	}
	if h.life.d.Pending() {
		h.life.d.Step()
		return true
	}
	tasks := h.Under()
	for _, n := range h.dice.Perm(len(tasks)) {
		if tasks[n].Ready() {
			h.Resume(tasks[n])
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
	case n < 9 && h.crashes > 0 && h.life != nil:
		h.trace("the loop is killed")
		h.life.dead = true
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
		case turns > 60 && h.unrest() == "":
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

// steady counts what the loop's own firings ask while nothing changes.
func (h *history) steady() {
	var over []int
	for n := range 6 {
		asked := h.world.Requests()
		h.pass(time.Minute)
		h.due()
		for h.goOn() {
			h.due()
		}
		// What the rest before it left is seen first.
		if asked = h.world.Requests() - asked; n > 1 && asked > h.game.Steady {
			over = append(over, asked)
		}
	}
	if len(over) > 1 { // once all may be read anew
		h.broken("steady firings ask %d times each", over)
	}
}

// unrest says what is not at rest yet.
func (h *history) unrest() string {
	switch {
	case h.life == nil || h.life.dead || h.life.d.Busy() || len(h.life.d.Rows()) == 0:
		return "the loop is not there yet"
	case len(h.life.d.Runs()) > 0:
		return fmt.Sprintf("there are runs: %+v", h.life.d.Runs()[0])
	}
	for _, v := range h.workers {
		if v.lives() {
			return "a worker lives: " + v.run.ID
		}
	}
	for _, row := range h.life.d.Rows() {
		if row.Waits == "" && row.Hold != plan.HoldClosed {
			return fmt.Sprintf("%s in %s waits for nothing", row.Issue.Ref, row.Issue.State)
		}
	}
	return ""
}

// play is the whole history: trouble, then calm, then the owner's work until
// every row is done.
func (h *history) play() {
	defer func() {
		if h.life != nil {
			h.bury()
		}
	}()
	for range 120 + h.dice.IntN(160) {
		h.step()
		if len(h.bad) > 0 {
			return
		}
	}
	h.trace("--- calm")
	h.calm = true
	h.chance.stop()
	h.world.Mend()
	h.pass(2 * time.Hour)
	for range 12 {
		h.turnUntilIdle()
		h.steady()
		if len(h.bad) > 0 || h.finish() {
			break
		}
	}
	if len(h.bad) == 0 {
		h.ended()
	}
}
