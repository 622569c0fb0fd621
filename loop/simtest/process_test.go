package simtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// checkout is one place where a loop runs: what lasts there when it dies.
type checkout struct {
	n       int
	options loop.Options
	runs    []state.Run
	runtime journal.Runtime
	costs   map[string]journal.Cost
	spent   []journal.Cost   // the same, in order
	trees   map[string]*tree // by path
	boot    int
	p       *process // the loop that lives there, nil when none does
	lives   int      // how many have
}

// tree is a worktree.
type tree struct {
	ref    board.Ref
	branch string
	holder string // run that holds its lock
	work   bool   // it holds something that is nowhere else
}

// process is one life of a loop: everything that it reads and writes passes
// through it, and may fail, or be the last thing that it did.
type process struct {
	s         *sim
	at        *checkout
	d         *loop.Driver
	end       context.CancelFunc
	dead      bool
	nextBeat  time.Duration
	beating   bool
	checking  bool
	seen      []board.PullRequest // as they were listed last; nobody changes them
	spentSeen float64             // what this day had cost when that was looked up last
	spentDay  string
	looked    map[board.Ref]int // when each row was read last
	known     int               // when the row of the start under way was read last before it
}

// errors that a process meets.
var (
	errFault = errors.New("connection refused")
	errGone  = errors.New("the process is dead")
)

// start brings a loop to life on what its checkout kept.
func (s *sim) start(c *checkout) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{s: s, at: c, end: cancel, looked: map[board.Ref]int{}, nextBeat: s.Passed + c.options.HeartEvery}
	o := c.options
	o.Runs, o.Firing, o.Paused = slices.Clone(c.runs), c.runtime.Firing, c.runtime.Desired == string(state.ModePaused)
	o.Boot = fmt.Sprintf("boot-%d", c.boot)
	o.Now, o.NewID, o.Log = s.wall, s.newID, slog.New(slog.DiscardHandler)
	c.lives++
	s.trace("loop %d starts with %d runs", c.n, len(o.Runs))
	p.d = loop.NewDriver(ctx, o, p.deps(), loop.Hands{
		Spawn: func(f func()) {
			if !p.dead {
				s.Spawn(p, f)
			}
		},
		After: func(d time.Duration, f func()) { s.After(p, d, f) },
	})
	c.p = p
	p.d.Start()
}

func (p *process) deps() loop.Deps {
	return loop.Deps{
		Board: boardOf{p.board(board.Actor{Kind: board.ActorDispatcher}), p},
		Pulls: pullsOf{p}, Worktrees: treesOf{p}, Launcher: launcherOf{p}, Interrupter: launcherOf{p},
		Watcher: watcherOf{p}, Prompts: promptsOf{p}, Journal: journalOf{p}, Life: lifeOf{p}, Ledger: ledgerOf{p}, Hooks: hooksOf{p},
		Updates: updatesOf{p}, Branches: branchesOf{p}, Owner: p.owner(),
	}
}

// die is a kill: nothing it does after that has an effect, and nothing it held
// in memory is left.
func (p *process) die(how string) {
	if p.dead {
		return
	}
	p.dead = true
	p.s.crashes++
	p.s.trace("loop %d dies %s", p.at.n, how)
}

// bury ends what a dead or finished loop left under way.
func (s *sim) bury(p *process) {
	p.dead = true
	p.end()
	s.Reap(p)
	p.at.p = nil
}

// read passes a call that changes nothing.
func (p *process) read(name string) error {
	p.s.maybePause(p)
	switch {
	case p.dead:
		return errGone
	case p.s.strikes(p.s.faultRate):
		p.s.fault("%s fails", name)
		return errFault
	}
	return nil
}

// effect passes a call that changes the world: it may fail before it, after
// it, happen twice, or be where the process dies, with the effect or without
// it, at once or later.
func (p *process) effect(name string, do func() error) error {
	p.s.maybePause(p)
	err := p.write(name, do)
	p.s.maybePause(p)
	return p.outcome(err)
}

// write is an effect that nothing else comes between: a file of the loop's
// own, written under a lock of its own.
func (p *process) write(name string, do func() error) error {
	s := p.s
	if p.dead {
		return errGone
	}
	s.effects++
	switch {
	case s.effects == s.cut.at:
		return p.crashAt(name, s.cut.how, do)
	case s.strikes(s.faultRate):
		return p.strike(name, do)
	case s.strikes(s.crashRate):
		return p.crashAt(name, s.dice.IntN(3), do)
	}
	s.trace("loop %d: %s", p.at.n, name)
	err := do()
	if err != nil {
		s.trace("  refused: %v", err)
	}
	return p.outcome(err)
}

// outcome is what a call answers to a process that may have died meanwhile.
func (p *process) outcome(err error) error {
	if p.dead {
		return errGone
	}
	return err
}

func (p *process) strike(name string, do func() error) error {
	s := p.s
	switch s.dice.IntN(3) {
	case 0:
		s.fault("%s fails before it happens", name)
		return errFault
	case 1:
		err := do()
		s.fault("%s fails after it happened (%v)", name, err)
		return p.outcome(fmt.Errorf("%s: %w", name, board.ErrUnknownOutcome))
	default:
		err := do()
		again := do()
		s.fault("%s happens twice (%v, %v)", name, err, again)
		return p.outcome(err)
	}
}

// crashAt is the process's last effect: it dies before it, after it, or before
// it and it happens all the same, later.
func (p *process) crashAt(name string, how int, do func() error) error {
	switch how {
	case 0:
		p.die("before " + name)
	case 1:
		err := do()
		p.die(fmt.Sprintf("after %s (%v)", name, err))
	default:
		if name == "save" || name == "runtime" || name == "cost" {
			p.die("before " + name) // a file is not written by a dead process
			break
		}
		p.die("before " + name + ", which comes late")
		p.s.late = append(p.s.late, late{name: name, do: do})
	}
	return errGone
}

// gateOf is what a process's calls of the board pass.
type gateOf struct{ p *process }

func (g gateOf) Read(_ context.Context, name string, ref board.Ref, do func() error) error {
	if err := g.p.read(name); err != nil {
		return err
	}
	if name == "issue" {
		g.p.looked[ref] = g.p.s.seq
	}
	return do()
}

func (g gateOf) Effect(_ context.Context, name string, _ board.Ref, do func() error) error {
	switch name {
	case "create", "edit", "block", "place": // this board keeps its text and its order
		return do()
	case "state", "release":
		return g.p.effect(name, func() error {
			g.p.s.writer = g.p
			defer func() { g.p.s.writer = nil }()
			return do()
		})
	}
	return g.p.effect(name, do)
}

// boardOf is the board of a process, of whose polls some lack a row: that
// proves nothing.
type boardOf struct {
	looptest.Board

	p *process
}

func (b boardOf) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	rows, err := b.Board.Poll(ctx, q)
	if len(rows) > 1 && b.p.s.strikes(b.p.s.faultRate) {
		n := b.p.s.dice.IntN(len(rows))
		b.p.s.fault("poll lacks %s", rows[n].Ref)
		rows = slices.Delete(rows, n, n+1)
	}
	return rows, err
}

type pullsOf struct{ p *process }

func (f pullsOf) List(context.Context) ([]board.PullRequest, error) {
	if err := f.p.read("pulls"); err != nil {
		return nil, err
	}
	list := f.p.s.listPulls()
	f.p.seen = list
	return list, nil
}

// sawHead says whether the pull request of an issue, as it was listed last,
// stood at a head, or at clean merges of the base into it.
func (p *process) sawHead(i *board.Issue, head string) bool {
	pr := plan.PullOf(i, p.seen)
	return pr != nil && p.s.mergeOnly(head, pr.HeadSHA)
}

func (f pullsOf) RunChecks(_ context.Context, name string) error {
	return f.p.effect("checks", func() error { f.p.s.runChecks(name); return nil })
}

type treesOf struct{ p *process }

func (f treesOf) Create(_ context.Context, issue board.Issue, run string) (t loop.Worktree, err error) {
	err = f.p.effect("worktree", func() error { t, err = f.p.s.makeTree(f.p.at, issue, taskBranch(issue.Ref), run); return err })
	return t, err
}

func (f treesOf) Hold(_ context.Context, path, run string, _ int) error {
	return f.p.effect("lock", func() error {
		if t := f.p.at.trees[path]; t != nil {
			t.holder = run
		}
		return nil
	})
}

func (f treesOf) Free(_ context.Context, path string) error {
	return f.p.effect("unlock", func() error { f.p.s.freeTree(f.p.at, path); return nil })
}

func (f treesOf) Reach(context.Context) error { return nil }

func (f treesOf) Prune(context.Context) ([]string, error) {
	var out []string
	err := f.p.effect("prune", func() error { out = f.p.s.pruneTrees(f.p.at); return nil })
	return out, err
}

type launcherOf struct{ p *process }

func (f launcherOf) Start(_ context.Context, spec state.RunSpec) (st state.WorkerStatus, err error) {
	f.p.known = f.p.looked[spec.Run.Ref]
	err = f.p.effect("start "+spec.Run.ID, func() error { st, err = f.p.s.startWorker(f.p.at, spec); return err })
	return st, err
}

func (f launcherOf) Stop(_ context.Context, run string) error {
	err := f.p.effect("stop "+run, func() error { f.p.s.askToStop(run); return nil })
	if err == nil {
		f.p.s.pause(f.p, func() bool { return !f.p.s.lives(run) })
	}
	return f.p.outcome(err)
}

func (f launcherOf) Interrupt(_ context.Context, run string) error {
	return f.p.effect("interrupt "+run, func() error { f.p.s.interruptWorker(run); return nil })
}

type watcherOf struct{ p *process }

func (f watcherOf) Observe(_ context.Context, run string) (state.WorkerStatus, error) {
	if err := f.p.read("observe"); err != nil {
		return state.WorkerStatus{}, err
	}
	return f.p.s.observe(run), nil
}

func (f watcherOf) Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	if err := f.p.read("watch"); err != nil {
		return err
	}
	changed(f.p.s.observe(run))
	f.p.s.pause(f.p, func() bool { return ctx.Err() != nil || !f.p.s.lives(run) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	changed(f.p.s.observe(run))
	return nil
}

func (f watcherOf) Forbid(_ context.Context, run string) (st state.WorkerStatus, err error) {
	err = f.p.effect("forbid "+run, func() error { st = f.p.s.forbid(run); return nil })
	return st, err
}

type promptsOf struct{ p *process }

func (f promptsOf) Prompt(_ context.Context, r loop.PromptRequest) (state.RunSpec, error) {
	if err := f.p.read("prompt"); err != nil {
		return state.RunSpec{}, err
	}
	return state.RunSpec{Prompt: "work on " + string(r.Issue.Ref)}, nil
}

type journalOf struct{ p *process }

func (f journalOf) SaveRuns(runs []state.Run) error {
	return f.p.effect("save", func() error { f.p.at.runs = slices.Clone(runs); return nil })
}

func (f journalOf) SaveRuntime(r journal.Runtime) error {
	return f.p.write("runtime", func() error { f.p.at.runtime = r; return nil })
}

func (f journalOf) AddCost(c journal.Cost) error {
	return f.p.write("cost", func() error {
		if _, counted := f.p.at.costs[c.Run]; !counted {
			f.p.at.costs[c.Run] = c
			f.p.at.spent = append(slices.Clone(f.p.at.spent), c)
		}
		return nil
	})
}

func (f journalOf) CostOn(time.Time) (float64, error) {
	if err := f.p.read("costs"); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, c := range f.p.at.costs {
		sum += c.USD
	}
	return sum, nil
}

// ledgerOf is what a checkout's runs have cost.
type ledgerOf struct{ p *process }

func (f ledgerOf) Costs() ([]journal.Cost, error) {
	if f.p.dead {
		return nil, errGone
	}
	f.p.spentSeen, f.p.spentDay = 0, f.p.s.wall().Format(time.DateOnly)
	for _, c := range f.p.at.spent {
		if c.At.Format(time.DateOnly) == f.p.spentDay {
			f.p.spentSeen += c.USD
		}
	}
	return f.p.at.spent, nil
}

// hooksOf are the owner's own commands: now and then one fails.
type hooksOf struct{ p *process }

func (f hooksOf) Hook(_ context.Context, name loop.HookName, _ state.Run) error {
	return f.p.effect("hook "+string(name), func() error { return nil })
}

// lifeOf tells whether a claim's worker lives on the world's one machine.
type lifeOf struct{ p *process }

func (l lifeOf) Lives(c board.Claim) bool { return l.p.s.claimLives(c) }

// settings are what every loop of a history goes by.
func (s *sim) settings() plan.Settings {
	set := looptest.Settings()
	set.Caps = plan.Caps{Developers: 1 + s.dice.IntN(2), Reviewers: 1 + s.dice.IntN(2), Cleaners: 1, Total: 2 + s.dice.IntN(3)}
	if s.dice.IntN(4) == 0 {
		set.Limits.DayUSD = 1 + float64(s.dice.IntN(4))
	}
	set.Retry.MaxAttempts = 1 + s.dice.IntN(3)
	return set
}

func (s *sim) checkout(n int) *checkout {
	return &checkout{
		n: n, costs: map[string]journal.Cost{}, trees: map[string]*tree{},
		options: loop.Options{
			Milestones: []string{"m1"}, Settings: s.set,
			Poll: 3 * time.Minute, RestampAfter: 5 * time.Minute, HeartEvery: time.Minute, StopGrace: 20 * time.Second,
			Host: "here", PID: 1,
		},
	}
}
