package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// firing is one pass, or one of the jobs that open and close a loop. It owns
// the book while it lasts.
type firing struct {
	e     *Engine
	why   string
	n     int
	began time.Time
	book  *book

	facts    plan.Facts
	requests []request
	firsts   []request // for rows that the owner wants worked first

	retriedAt time.Time          // when the armed retries were looked at
	awake     time.Time          // since when the machine is awake and its clock steady; zero for long
	spent     map[string]float64 // what the running workers have cost so far, by run

	// What the owner takes over at the end.
	read      bool // the poll succeeded
	opening   bool
	closing   bool
	idle      bool
	panicked  string
	outlawed  error  // this loop is not the one of its checkout any more
	stack     []byte // of the panic
	pollError string
	polledAt  time.Time
	rows      []state.Row
	shown     []state.Pull
	paused    []state.Pause
	needs     []state.Need
	status    string
	costToday float64
}

func newFiring(e *Engine, why string) *firing {
	f := &firing{e: e, why: why, n: e.firing, began: e.o.Now(), book: e.book, costToday: e.costToday}
	f.retriedAt, f.awake, f.spent = f.began, e.awake, map[string]float64{}
	f.facts.Settings, f.facts.Skip, f.facts.Refused = e.tuning.Settings, map[board.Ref]bool{}, e.refused
	return f
}

// step is one named part of a firing.
type step struct {
	name string
	do   func(*firing, context.Context) error
}

// steps are the parts of a firing in their order (dispatcher-system.md, One
// firing). What a step reads is read in it: nothing is carried over from an
// earlier firing.
func steps() []step {
	return []step{
		{"configuration", (*firing).reload},
		{"requests", (*firing).requested},
		{"reconcile", (*firing).reconcile},
		{"finished workers", (*firing).finished},
		{"re-stamp", (*firing).restamp},
		{stepPoll, (*firing).poll},
		{"top up", (*firing).topUp},
		{"freshen", (*firing).freshen},
		{"conflicts", (*firing).conflicts},
		{"stranded rows", (*firing).stranded},
		{"prune", (*firing).prune},
		{"status", (*firing).sum},
	}
}

// pass is one firing. A step that fails is shown and ends the firing: the next
// one starts from the board again.
func (f *firing) pass(ctx context.Context) {
	defer f.leaveFirst()
	if guard := f.e.o.Guard; guard != nil {
		if err := guard(); err != nil {
			f.outlawed = err
			return
		}
	}
	for _, s := range steps() {
		if f.e.modeNow() == state.ModeStopped {
			return
		}
		f.at(s.name)
		if err := s.do(f, ctx); err != nil {
			f.pollError = fmt.Sprintf("%s: %v", s.name, err)
			f.say("", true, "%s", f.pollError)
			f.read = false
			return
		}
	}
}

// at tells the owner which step is under way.
func (f *firing) at(name string) {
	now := f.e.o.Now()
	f.e.post(func(context.Context) { f.e.step, f.e.stepSince, f.e.reading, f.e.dirty = name, now, nil, true })
}

// stepPoll is the step in which the board is read.
const stepPoll = "poll"

// told is how far whoever reads the board has come: a poll of ours, or somebody
// who looks at the board beside it.
func (e *Engine) told(p board.Progress) {
	e.post(func(context.Context) {
		if e.step == stepPoll {
			e.reading, e.dirty = &p, true
		}
	})
}

func (f *firing) say(ref board.Ref, bad bool, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	f.e.post(func(context.Context) { f.e.say(ref, bad, text) })
}

func (f *firing) notify(ref board.Ref, text string) {
	f.e.post(func(context.Context) { f.e.notify(ref, text) })
}

// restamp renews the stamps that are due (dispatcher-system.md, One firing 3).
func (f *firing) restamp(ctx context.Context) error {
	f.e.heart.beat(ctx)
	return nil
}

// poll reads the board and the pull requests, and lets automation close what
// is merged.
func (f *firing) poll(ctx context.Context) error {
	if err := f.readFacts(ctx); err != nil {
		return err
	}
	if err := f.closeMerged(ctx); err != nil {
		return err
	}
	f.boardErrors(ctx)
	return nil
}

// closeMerged lets automation close every row whose pull request is merged.
func (f *firing) closeMerged(ctx context.Context) error {
	closed := 0
	for _, d := range plan.Merged(&f.facts) {
		if err := f.close(ctx, d); err != nil {
			f.say(d.Ref, true, "close %s: %v", d.Ref, err)
			continue
		}
		closed++
	}
	if closed == 0 {
		return nil
	}
	return f.readFacts(ctx)
}

func (f *firing) readFacts(ctx context.Context) error {
	rows, err := f.e.d.Board.Poll(ctx, board.Query{Milestones: f.e.o.Milestones, Closed: true})
	if err != nil {
		return fmt.Errorf("poll the board: %w", err)
	}
	pulls, err := f.e.d.Pulls.List(ctx)
	if err != nil {
		return fmt.Errorf("list pull requests: %w", err)
	}
	others, err := f.e.d.Board.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		return fmt.Errorf("poll the whole project: %w", err)
	}
	f.facts.Rows, f.facts.Pulls, f.facts.Others = rows, pulls, others
	if err := f.count(ctx); err != nil {
		return err
	}
	f.refresh()
	f.sight(ctx, others)
	f.facts.LastRuns = f.lastRuns(ctx, others)
	f.polledAt = f.facts.Now
	f.sayUnseen(pulls)
	for i := range pulls {
		if pulls[i].State == board.PullOpen && pulls[i].Checks == board.ChecksPending {
			f.e.checks.want(pulls[i].Name, pulls[i].HeadSHA)
		}
	}
	return nil
}

// sayUnseen tells the owner why checks may not be read: once, until they were
// read again or the reason is another one.
func (f *firing) sayUnseen(pulls []board.PullRequest) {
	why := ""
	for i := range pulls {
		if pulls[i].State == board.PullOpen && pulls[i].Checks == board.ChecksUnknown {
			why = pulls[i].ChecksWhy
		}
	}
	f.e.post(func(context.Context) {
		if why != "" && f.e.unseen != why {
			f.e.notify("", "checks unknown: "+why)
		}
		f.e.unseen = why
	})
}

// refresh brings the clock, the mode and the journal of the facts up to date.
func (f *firing) refresh() {
	f.facts.Now = f.e.o.Now()
	f.facts.Mode = f.e.modeNow()
	f.facts.Runs = f.book.runs
	f.facts.Touched = f.e.graces.at(f.facts.Now)
	f.facts.First = f.e.first
	f.facts.Limited = f.e.runtime.limits(f.facts.Now)
	f.facts.Pauses = f.e.pauses
	f.facts.Lives = f.lives(f.facts.Others) // a claim grows stale while a firing lasts
}

// close lets the actor automation set Done and clears the row, as far as no
// other account's claim keeps it from that.
func (f *firing) close(ctx context.Context, d state.Decision) error {
	writes, claims := f.e.d.Board.As(board.Actor{Kind: board.ActorAutomation})
	if err := writes.SetStateFrom(ctx, d.Ref, board.RoleDone, board.RoleNone); err != nil {
		return err
	}
	left, err := board.ClaimLeft(claims.Release(ctx, d.Ref, ""))
	if err != nil {
		return err
	}
	f.say(d.Ref, false, "%s", andLeft("done: "+d.Why, left))
	return nil
}

// andLeft says with what was done to a row that a claim is left on it.
func andLeft(done, left string) string {
	if left == "" {
		return done
	}
	return done + "; it is not let go: " + left
}

// sum makes the status text and what the owner shows, and writes down why
// rows wait.
func (f *firing) sum(ctx context.Context) error {
	f.refresh()
	f.lookAtBranches(ctx) // pruning may have let go of some
	f.rows = plan.Rows(&f.facts)
	f.needs = plan.Needs(&f.facts, f.rows)
	f.status = plan.Status(&f.facts, f.rows, f.needs)
	f.idle = plan.Idle(&f.facts, f.rows)
	f.shown = plan.OpenPulls(&f.facts)
	f.paused = plan.AllPauses(&f.facts)
	f.read = true
	return f.saveRuntime(ctx)
}

func (f *firing) saveRuntime(context.Context) error {
	waits := map[string]string{}
	for i := range f.rows {
		if r := &f.rows[i]; r.Waits != "" && r.Hold != plan.HoldClosed {
			waits[string(r.Issue.Ref)] = r.Waits
		}
	}
	return f.e.runtime.update(func(r *journal.Runtime) { r.Firing, r.Waits = f.n, waits })
}

// gone says whether an error proves that there is nothing left to settle.
func gone(err error) bool { return errors.Is(err, board.ErrNotFound) }
