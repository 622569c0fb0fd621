package loop_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/state"
)

// process is one life of a loop in a world: everything that the loop reads and
// writes passes through it. It can die at any effect, which is a kill at that
// instruction: nothing it does after that has an effect, and nothing it held in
// memory is left. It can also make single calls fail or hang.
type process struct {
	w *world
	e *loop.Engine

	mu      sync.Mutex
	effects []string
	counted int
	crashAt int    // 1-based; 0 is never
	only    string // count only effects of this name
	after   bool   // die after the effect instead of before it
	late    bool   // die before it, and let it happen a little later
	broken  map[string]error
	panic   map[string]int
	holds   map[string]chan struct{}
	telling board.Telling // how far a poll has come
	isDead  bool
	dead    chan struct{}

	cancel context.CancelFunc
	over   chan struct{}
	end    loop.End
	err    error
}

// start brings a loop to life on what the world's journal holds.
func (w *world) start(edits ...func(*loop.Options)) *process { return w.startDying(0, false, edits...) }

// startDying starts one that dies at its effect n.
func (w *world) startDying(n int, after bool, edits ...func(*loop.Options)) *process {
	return w.launch(&process{crashAt: n, after: after}, edits...)
}

func (w *world) launch(p *process, edits ...func(*loop.Options)) *process {
	*p = process{
		w: w, crashAt: p.crashAt, only: p.only, after: p.after, late: p.late, broken: map[string]error{}, panic: map[string]int{}, holds: map[string]chan struct{}{},
		dead: make(chan struct{}), over: make(chan struct{}),
	}
	p.e = loop.New(w.options(edits...), loop.Deps{
		Board: p.boardDeps(), Pulls: pullsOf{p}, Worktrees: treesOf{p}, Launcher: launcherOf{p}, Interrupter: launcherOf{p}, Speaker: launcherOf{p}, Sessions: launcherOf{p}, Watcher: watcherOf{p}, Prompts: promptsOf{p}, Journal: journalOf{p}, Ledger: journalOf{p}, Configuration: configurationOf{p}, Hooks: hooksOf{p}, Life: lifeOf{p}, Archive: archiveOf{p},
		Updates: updatesOf{p}, Branches: treesOf{p}, Owner: p.ownerDeps(), OwnerPulls: ownerPullsOf{p}, Reading: &p.telling,
	})
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		defer close(p.over)
		p.end, p.err = p.e.Run(ctx)
	}()
	go func() {
		select {
		case <-p.dead:
			cancel()
		case <-p.over:
		}
	}()
	return p
}

// wait answers how the loop ended by itself.
func (p *process) wait() loop.End {
	p.w.t.Helper()
	<-p.over
	if p.err != nil {
		p.w.t.Fatal(p.err)
	}
	return p.end
}

// leave ends the loop as SIGTERM does.
func (p *process) leave() loop.End {
	p.cancel()
	return p.wait()
}

// crash kills it now.
func (p *process) crash() {
	p.mu.Lock()
	p.die()
	p.mu.Unlock()
	<-p.over
}

// die is called with the lock held.
func (p *process) die() {
	if !p.isDead {
		p.isDead = true
		close(p.dead)
	}
}

func (p *process) died() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isDead
}

// fail makes every call of a name fail; nil mends it.
func (p *process) fail(name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken[name] = err
}

// panics makes the next n calls of a name panic.
func (p *process) panics(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.panic[name] = n
}

// hold makes every call of a name hang until the answer is called.
func (p *process) hold(name string) (let func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan struct{})
	p.holds[name] = c
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.holds, name)
		close(c)
	}
}

// read passes a call that changes nothing.
func (p *process) read(ctx context.Context, name string) error {
	p.mu.Lock()
	hold := p.holds[name]
	p.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.dead:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDead {
		return errGone
	}
	if p.panic[name] > 0 {
		p.panic[name]--
		panic("a fault of the program")
	}
	return p.broken[name]
}

// effect passes a call that changes the world, and counts it.
func (p *process) effect(ctx context.Context, name string, do func() error) error {
	if err := p.read(ctx, name); err != nil {
		return err
	}
	p.mu.Lock()
	if p.isDead {
		p.mu.Unlock()
		return errGone
	}
	p.effects = append(p.effects, name)
	if p.only == "" || p.only == name {
		p.counted++
	}
	mine := p.counted == p.crashAt && (p.only == "" || p.only == name)
	if mine && !p.after {
		p.die()
		if p.late {
			p.w.later.Add(1)
			time.AfterFunc(3*time.Second, func() { _ = do(); p.w.later.Done() })
		}
		p.mu.Unlock()
		return errGone
	}
	p.mu.Unlock()
	err := do()
	if mine {
		p.mu.Lock()
		p.die()
		p.mu.Unlock()
		return errGone
	}
	return err
}

func (p *process) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.effects)
}

// times is how often an effect came after the first n effects.
func (p *process) times(name string, n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	times := 0
	for _, e := range p.effects[n:] {
		if e == name {
			times++
		}
	}
	return times
}

// gateOf is what a process's calls of the board pass.
type gateOf struct{ p *process }

func (g gateOf) Read(ctx context.Context, name string, _ board.Ref, do func() error) error {
	if err := g.p.read(ctx, name); err != nil {
		return err
	}
	return do()
}

func (g gateOf) Effect(ctx context.Context, name string, _ board.Ref, do func() error) error {
	return g.p.effect(ctx, name, do)
}

func (p *process) boardDeps() loop.Board {
	return looptest.Board{Gate: gateOf{p}, Policy: p.w.as(board.Actor{Kind: board.ActorDispatcher})}
}

type pullsOf struct{ p *process }

func (f pullsOf) List(ctx context.Context) ([]board.PullRequest, error) {
	if err := f.p.read(ctx, "pulls"); err != nil {
		return nil, err
	}
	return f.p.w.listPulls(), nil
}

func (f pullsOf) RunChecks(ctx context.Context, name string) error {
	return f.p.effect(ctx, "checks", func() error { return f.p.w.runChecks(name) })
}

// hooksOf are the owner's commands: they are noted, and fail as often as a
// test wants.
type hooksOf struct{ p *process }

func (f hooksOf) Hook(ctx context.Context, name loop.HookName, r state.Run) error {
	return f.p.effect(ctx, "hook", func() error {
		w := f.p.w
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hooks = append(w.hooks, fmt.Sprintf("%s %s %s", name, r.Kind, r.Worktree))
		if w.hookFails[name] > 0 {
			w.hookFails[name]--
			return errHook
		}
		if t := w.trees[r.Worktree]; t != nil && name == loop.HookAfterCreate {
			t.setupDue = false
		}
		return nil
	})
}

type treesOf struct{ p *process }

func (f treesOf) Create(ctx context.Context, issue board.Issue, run string) (t loop.Worktree, err error) {
	err = f.p.effect(ctx, "worktree", func() error { t, err = f.p.w.makeTree(f.p, issue, run); return err })
	return t, err
}

func (f treesOf) Hold(ctx context.Context, path, run string, _ int) error {
	return f.p.effect(ctx, "lock", func() error { f.p.w.lockTree(path, run); return nil })
}

func (f treesOf) Free(ctx context.Context, path string) error {
	return f.p.effect(ctx, "unlock", func() error { f.p.w.lockTree(path, ""); return nil })
}

func (f treesOf) Reach(context.Context) error {
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	return f.p.w.away
}

// Prune takes over the lock of a process that died before its worker lived.
func (f treesOf) Prune(ctx context.Context) ([]string, error) {
	if err := f.p.read(ctx, "prune"); err != nil {
		return nil, err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	f.p.w.pruned++
	for _, t := range f.p.w.trees {
		if t.maker != nil && t.maker.died() {
			t.holder, t.maker = "", nil
		}
	}
	return nil, nil
}

type launcherOf struct{ p *process }

func (f launcherOf) Start(ctx context.Context, spec state.RunSpec) (st state.WorkerStatus, err error) {
	err = f.p.effect(ctx, "start", func() error { st, err = f.p.w.startWorker(spec); return err })
	return st, err
}

func (f launcherOf) Stop(ctx context.Context, run string) error {
	return f.p.effect(ctx, "stop", func() error { f.p.w.stopWorker(run); return nil })
}

func (f launcherOf) Interrupt(ctx context.Context, run string) error {
	return f.p.effect(ctx, "interrupt", func() error { f.p.w.interruptWorker(run); return nil })
}

type watcherOf struct{ p *process }

func (f watcherOf) Observe(ctx context.Context, run string) (state.WorkerStatus, error) {
	if err := f.p.read(ctx, "observe"); err != nil {
		return state.WorkerStatus{}, err
	}
	return f.p.w.observe(run), nil
}

func (f watcherOf) Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	if err := f.p.read(ctx, "watch"); err != nil {
		return err
	}
	return f.p.w.watch(ctx, run, changed)
}

func (f watcherOf) Forbid(ctx context.Context, run string) (st state.WorkerStatus, err error) {
	err = f.p.effect(ctx, "forbid", func() error { st = f.p.w.forbid(run); return nil })
	return st, err
}

type promptsOf struct{ p *process }

func (f promptsOf) Prompt(ctx context.Context, r loop.PromptRequest) (state.RunSpec, error) {
	if err := f.p.read(ctx, "prompt"); err != nil {
		return state.RunSpec{}, err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	f.p.w.prompts = append(f.p.w.prompts, r)
	return state.RunSpec{Prompt: "work on " + string(r.Issue.Ref)}, nil
}

type journalOf struct{ p *process }

func (f journalOf) SaveRuns(runs []state.Run) error {
	return f.p.effect(context.Background(), "save", func() error {
		f.p.w.mu.Lock()
		defer f.p.w.mu.Unlock()
		if f.p.w.phases != nil {
			f.p.w.phases.saw(f.p.w.runs, runs)
		}
		f.p.w.runs = slices.Clone(runs)
		return nil
	})
}

func (f journalOf) SaveRuntime(r journal.Runtime) error {
	if err := f.p.read(context.Background(), "runtime"); err != nil {
		return err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	f.p.w.runtime = r
	return nil
}

func (f journalOf) AddCost(c journal.Cost) error {
	return f.p.effect(context.Background(), "cost", func() error {
		f.p.w.mu.Lock()
		defer f.p.w.mu.Unlock()
		if _, counted := f.p.w.costs[c.Run]; !counted {
			f.p.w.costs[c.Run] = c
		}
		return nil
	})
}

func (f journalOf) Costs() ([]journal.Cost, error) {
	if err := f.p.read(context.Background(), "costs"); err != nil {
		return nil, err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	return slices.Collect(maps.Values(f.p.w.costs)), nil
}

// configurationOf answers what a test has put in its place.
type configurationOf struct{ p *process }

func (f configurationOf) Changed(context.Context) (*loop.Tuning, []string) {
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	t, notes := f.p.w.tuning, f.p.w.changes
	f.p.w.tuning, f.p.w.changes = nil, nil
	return t, notes
}

// lifeOf tells whether a claim's worker lives on the world's one machine.
type lifeOf struct{ p *process }

func (l lifeOf) Lives(c board.Claim) bool {
	l.p.w.mu.Lock()
	defer l.p.w.mu.Unlock()
	for _, v := range l.p.w.workers {
		if v.pid == c.PID && v.lives() {
			return true
		}
	}
	return false
}
