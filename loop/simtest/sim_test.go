package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/memory"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// kindOf is what a history may hold.
type kindOf struct {
	advisory bool // the board has no fence
	loops    int  // on as many checkouts
	faults   bool
	crashes  bool
	owner    bool
	clock    bool
}

// sim is one history.
type sim struct {
	tasks

	seed    uint64
	dice    *rand.Rand
	what    kindOf
	verbose bool
	log     []string

	board     *memory.Board
	pulls     []*board.PullRequest
	base      int                // how many commits the base has
	branches  map[string]*branch // by pull request
	clean     map[string]string  // heads that came of others by clean merges
	checkouts []*checkout
	workers   map[string]*worker
	sessions  map[string]*worker // the newest of each
	living    []*worker
	forbidden map[string]bool
	late      []late
	checks    bool
	set       plan.Settings

	skew   time.Duration // by how much the wall clock was set
	writer *process

	faultRate, crashRate, pauseRate float64
	effects                         int  // of all loops
	cut                             cut  // the effect at which a loop dies, if any
	calm                            bool // the faults have stopped
	outside                         bool // what happens is no living loop's doing

	ids, pids, heads, reviews, strangers int
	seq                                  int
	ownerMoved                           map[board.Ref]int
	claimedAt                            map[string]int
	orphans                              map[string]bool
	uncounted                            bool              // a loop was told to stop
	backwards                            bool              // the clock was once set back: what is older is not known
	latest                               time.Time         // the furthest that the clock has been
	stampedAt                            map[board.Ref]int // when its claim was written last
	failed                               map[work]int
	faults, crashes                      int
	breaches                             []string
}

// cut is a death at one effect, counted from 1: before it, after it, or before
// it and it comes late.
type cut struct{ at, how int }

// late is an effect that a dead process has left on its way.
type late struct {
	name string
	do   func() error
}

func newSim(seed uint64, what kindOf, verbose bool) *sim {
	s := &sim{
		seed: seed, dice: rand.New(rand.NewPCG(seed, 0x51)), what: what, verbose: verbose,
		branches: map[string]*branch{}, clean: map[string]string{},
		workers: map[string]*worker{}, sessions: map[string]*worker{}, forbidden: map[string]bool{},
		ownerMoved: map[board.Ref]int{}, claimedAt: map[string]int{}, orphans: map[string]bool{}, stampedAt: map[board.Ref]int{}, failed: map[work]int{},
	}
	s.board = &memory.Board{Now: s.wall, Fenced: !what.advisory, Alive: s.claimLives, Wrote: s.wrote}
	s.checks = s.dice.IntN(3) == 0
	rates := []float64{0, 0.01, 0.03, 0.1}
	if what.faults {
		s.faultRate = rates[s.dice.IntN(len(rates))]
	}
	if what.crashes {
		s.crashRate = rates[s.dice.IntN(len(rates))] / 2
	}
	s.pauseRate = []float64{0.05, 0.3, 0.7}[s.dice.IntN(3)]
	s.set = s.settings()
	s.populate()
	for n := range what.loops {
		s.checkouts = append(s.checkouts, s.checkout(n+1))
	}
	return s
}

func (s *sim) trace(format string, args ...any) {
	if s.verbose {
		s.log = append(s.log, s.wall().Format("02 15:04:05 ")+fmt.Sprintf(format, args...))
	}
}

func (s *sim) fault(format string, args ...any) {
	s.faults++
	s.trace("fault: "+format, args...)
}

// strikes says whether something of this likelihood happens now.
func (s *sim) strikes(rate float64) bool {
	return !s.calm && rate > 0 && s.dice.Float64() < rate
}

// maybePause lets others in between two effects.
func (s *sim) maybePause(p *process) {
	if s.Running() && s.dice.Float64() < s.pauseRate {
		s.pause(p, nil)
	}
}

// play is the whole history: trouble, then calm, until everything rests.
func (s *sim) play() {
	for range 100 + s.dice.IntN(300) {
		s.step()
		s.check()
		if len(s.breaches) > 0 {
			break
		}
	}
	if len(s.breaches) == 0 {
		s.settle()
	}
	for _, c := range s.checkouts {
		if c.p != nil {
			s.bury(c.p)
		}
	}
}

// step is one thing that happens in a troubled world.
func (s *sim) step() {
	s.Passed += time.Duration(s.dice.IntN(20)) * time.Second
	s.due()
	switch n := s.dice.IntN(200); {
	case n < 3 && s.what.owner, n < 14 && s.what.owner && s.dice.IntN(2) == 0:
		s.act()
	case n < 15 && len(s.late) > 0:
		s.comeLate()
	case n < 18 && s.what.clock:
		s.timeTravel()
	case n < 24:
		s.Passed += time.Duration(s.dice.IntN(600)) * time.Second
	case n < 25 && s.what.crashes:
		s.disaster()
	case n < 80 && len(s.living) > 0:
		s.living[s.dice.IntN(len(s.living))].step()
	default:
		s.goOn()
	}
}

func (s *sim) timeTravel() {
	d := time.Duration(s.dice.IntN(120)) * time.Second
	switch s.dice.IntN(6) {
	case 0:
		d *= 120 // up to four hours
	case 1:
		d = -d
		if s.dice.IntN(4) == 0 {
			d *= 100
		}
	}
	s.jump(d)
}

// disaster kills a loop at any moment, or the whole machine with its workers.
func (s *sim) disaster() {
	if s.dice.IntN(4) == 0 {
		for _, v := range slices.Clone(s.living) {
			v.dies()
		}
		for _, c := range s.checkouts {
			c.boot++
			if c.p != nil {
				c.p.die("with its machine")
			}
		}
		return
	}
	if c := s.checkouts[s.dice.IntN(len(s.checkouts))]; c.p != nil {
		c.p.die("at any moment")
	}
}

func (s *sim) comeLate() {
	n := s.dice.IntN(len(s.late))
	l := s.late[n]
	s.late = slices.Delete(s.late, n, n+1)
	s.trace("late: %s", l.name)
	s.outside = true
	s.refused(l.do())
	s.outside = false
}

// due rings alarms, buries the dead, and gives loops their heartbeats and
// checks.
func (s *sim) due() {
	for _, c := range s.checkouts {
		p := c.p
		if p == nil {
			continue
		}
		if end, over := p.d.Ended(); over && !p.dead {
			s.trace("loop %d ended: %+v", c.n, end)
			p.dead = true
		}
		if p.dead {
			s.bury(p)
		}
	}
	s.Ring()
	for _, c := range s.checkouts {
		p := c.p
		if p == nil {
			continue
		}
		if !p.beating && s.Passed >= p.nextBeat {
			p.beating, p.nextBeat = true, s.Passed+c.options.HeartEvery
			s.Spawn(p, func() { p.d.Beat(); p.beating = false })
		}
		if !p.checking && p.d.Checks() {
			p.checking = true
			s.Spawn(p, func() { p.d.Check(); p.checking = false })
		}
	}
}

// goOn gives one loop its next event, or one task its next stretch, or brings
// a dead loop back.
func (s *sim) goOn() bool {
	var ready [16]func()
	n := 0
	add := func(f func()) {
		if n < len(ready) {
			ready[n] = f
			n++
		}
	}
	for _, c := range s.checkouts {
		switch {
		case c.p == nil && (s.calm || s.dice.IntN(8) == 0):
			add(func() { s.start(c) })
		case c.p != nil && !c.p.dead && c.p.d.Pending():
			add(func() { c.p.d.Step() })
		}
	}
	for _, t := range s.Under() {
		if !t.Of.dead && t.Ready() {
			add(func() { s.Resume(t) })
		}
	}
	if n == 0 {
		return false
	}
	ready[s.dice.IntN(n)]()
	return true
}

// Bounds of the calm: how often it may turn its hands, and how often the clock
// may go on before everything rests.
const (
	maxTurns = 20_000
	maxWaits = 600
)

// settle lets the faults stop: what is late comes, dead loops come back,
// paused ones go on, workers do as they should, and time passes, until nothing
// is left to do.
func (s *sim) settle() {
	s.trace("--- calm")
	s.calm = true
	if late := s.latest.Sub(s.wall()); late > 0 {
		s.jump(late) // somebody sets the clock right
	}
	for len(s.late) > 0 {
		s.comeLate()
	}
	if s.set.Limits.DayUSD > 0 {
		s.unlimit()
	}
	for _, i := range s.board.Rows {
		i.Unreadable = ""
	}
	turns := 0
	for waits := range maxWaits {
		for s.due(); s.turn(); s.due() {
			s.check()
			if turns++; turns > maxTurns || len(s.breaches) > 0 {
				break
			}
		}
		if len(s.breaches) > 0 || turns > maxTurns {
			break
		}
		if waits > 4 && s.rests() {
			return
		}
		s.resumePaused()
		s.wait()
	}
	if len(s.breaches) == 0 {
		s.broken("it never rests (%d turns): %s", turns, s.unrest())
	}
}

// unlimit lets the owner give more money: the loops are started anew with that.
func (s *sim) unlimit() {
	for _, c := range s.checkouts {
		c.options.Settings.Limits = plan.Limits{}
		if c.p != nil {
			s.bury(c.p)
		}
	}
}

// turn is one thing that happens in the calm.
func (s *sim) turn() bool {
	if len(s.living) > 0 {
		v := s.living[s.dice.IntN(len(s.living))]
		if v.asked || !v.hangs && !v.waits {
			v.step()
			return true
		}
	}
	return s.goOn()
}

// wait lets time pass to the next alarm or heartbeat.
func (s *sim) wait() {
	next := s.Next(s.Passed + time.Hour)
	for _, c := range s.checkouts {
		if c.p != nil {
			next = min(next, c.p.nextBeat)
		}
	}
	s.Passed = max(next, s.Passed+time.Second)
}

func (s *sim) resumePaused() {
	for _, c := range s.checkouts {
		if c.p != nil && c.p.d.Mode() == state.ModePaused {
			c.p.d.Send(state.Command{Kind: state.CommandResume})
		}
	}
}

func (s *sim) rests() bool { return s.unrest() == "" }

// forOwner are the reasons that only somebody outside the loop can end.
var forOwner = map[string]bool{
	plan.HoldBacklog: true, plan.HoldQuestion: true, plan.HoldReview: true, plan.HoldHuman: true, plan.HoldAgent: true, plan.HoldParent: true,
	plan.HoldConfirm: true, plan.HoldBlocked: true, plan.HoldAttention: true, plan.HoldOwner: true, plan.HoldNoPull: true, plan.HoldDraft: true,
	plan.HoldForeignPR: true, plan.HoldNoReply: true, plan.HoldUnknown: true, plan.HoldClosed: true, plan.HoldNoRole: true, plan.HoldUnreadable: true, plan.HoldBudget: true,
}

// unrest says what is still to be done: every row has to be done or to wait
// for its owner with a reason, unclaimed, and nothing may be left over.
func (s *sim) unrest() string {
	if len(s.living) > 0 {
		return fmt.Sprintf("%s lives", s.living[0].run.ID)
	}
	for _, c := range s.checkouts {
		switch {
		case c.p == nil || c.p.d.Busy() || c.p.d.Mode() != state.ModeRunning:
			return fmt.Sprintf("loop %d is not there yet", c.n)
		case len(c.p.d.Runs()) > 0:
			r := c.p.d.Runs()[0]
			return fmt.Sprintf("loop %d still has %s on %s, %s", c.n, r.ID, r.Ref, r.Phase)
		}
		for _, row := range c.p.d.Rows() {
			i := row.Issue
			if !forOwner[row.Hold] || row.Waits == "" && row.Hold != plan.HoldClosed {
				return fmt.Sprintf("loop %d shows %s in %s for %q: %s %s", c.n, i.Ref, i.Role, i.Delegate, row.Hold, row.Waits)
			}
		}
	}
	for _, i := range s.board.Rows {
		// One that nobody renews may stand on a row that is held for its owner.
		if c := i.Claim; c != nil && !(s.orphans[c.Session] && c.Stale(s.wall(), looptest.StaleWindow)) {
			return fmt.Sprintf("%s is claimed by %s", i.Ref, i.Claim.Session)
		}
	}
	return ""
}
