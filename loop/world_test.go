package loop_test

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is everything around a loop, in memory: a board, pull requests,
// worktrees, workers that live on when a loop dies, and what a loop saved. It
// is used inside a synctest bubble, whose clock is the world's. It notes every
// broken invariant in faults.
type world struct {
	takers map[string]state.Taker
	taking func() // after the next look at them
	t      *testing.T
	board  *memoryBoard

	later sync.WaitGroup // effects of dead processes that have yet to happen

	mu        sync.Mutex
	pulls     []*board.PullRequest
	workers   map[string]*worker // by run
	forbidden map[string]bool
	trees     map[string]*tree // by path
	treeFails map[board.Ref]error
	away      error // why no worktree can be made at all
	scripts   map[board.Ref]map[board.Kind][]script
	prompts   []loop.PromptRequest
	runs      []state.Run // what the journal holds
	phases    phaseLog    // how the journal changed, if somebody asks
	runtime   journal.Runtime
	costs     map[string]journal.Cost
	tuning    *loop.Tuning // a changed configuration, and what is to be said of it
	changes   []string
	hooks     []string // that have run
	hookFails map[loop.HookName]int
	checks    func(*board.PullRequest) (board.CheckState, error) // what local checks find; nil leaves them alone
	checked   int
	pruned    int        // how often worktrees were pruned
	archived  [][]string // what the loop needed each time transcripts were pruned
	history   history
	faults    []string
	deaf      int // answers to a worker's requests that fail from now on
	ids, pids int
	heads     int
}

// tree is a worktree.
type tree struct {
	ref      board.Ref
	branch   string
	holder   string   // run that holds its lock
	maker    *process // that locked it at birth, until its worker's supervisor does
	setupDue bool     // afterCreate has yet to succeed in it
}

// script is how a worker of the world works: it answers its final message.
type script func(a *agent) string

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{
		t: t, board: newMemoryBoard(), history: newHistory(),
		workers: map[string]*worker{}, forbidden: map[string]bool{}, trees: map[string]*tree{}, treeFails: map[board.Ref]error{},
		scripts: map[board.Ref]map[board.Kind][]script{}, costs: map[string]journal.Cost{}, hookFails: map[loop.HookName]int{},
	}
}

// ready puts a row into Ready, or where the edits say.
func (w *world) ready(title string, edits ...func(*board.NewIssue)) board.Ref {
	n := board.NewIssue{Title: title, Milestone: "m1", State: board.RoleReady}
	for _, e := range edits {
		e(&n)
	}
	return w.board.Add(n)
}

func in(r board.Role) func(*board.NewIssue) { return func(n *board.NewIssue) { n.State = r } }

// on says how the workers of a kind work an issue, one script a run; the last
// one is repeated.
func (w *world) on(ref board.Ref, k board.Kind, s ...script) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.scripts[ref] == nil {
		w.scripts[ref] = map[board.Kind][]script{}
	}
	w.scripts[ref][k] = s
}

// script is how the next worker on an issue works. The lock is held.
func (w *world) script(ref board.Ref, k board.Kind) script {
	list := w.scripts[ref][k]
	n := 0
	for _, v := range w.workers {
		if v.spec.Run.Ref == ref && v.spec.Run.Kind == k && !v.uncounted {
			n++
		}
	}
	if len(list) > 0 {
		return list[min(n, len(list)-1)]
	}
	if k == board.KindReviewer {
		return passing
	}
	return completing
}

// The ordinary ways to work.
func completing(a *agent) string {
	a.work(time.Minute)
	a.push()
	a.tick()
	return "How to verify: run it\n\nSTATUS: COMPLETE"
}

func passing(a *agent) string {
	a.work(30 * time.Second)
	return "VERDICT: PASS"
}

func objecting(a *agent) string {
	a.work(30 * time.Second)
	return "VERDICT: CHANGES_REQUESTED"
}

func failing(a *agent) string {
	a.work(10 * time.Second)
	a.fail("exit status 1")
	return ""
}

func asking(a *agent) string {
	a.work(20 * time.Second)
	a.ask("a or b?")
	return "STATUS: INCOMPLETE"
}

func endless(a *agent) string {
	a.work(1000 * time.Hour)
	return ""
}

// fault notes a broken invariant. The lock is held.
func (w *world) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// sound fails the test if an invariant was broken.
func (w *world) sound() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.faults {
		w.t.Error("broken invariant: " + f)
	}
}

// owner is the board as its owner writes to it.
func (w *world) owner() *board.Policy { return w.as(board.Actor{Kind: board.ActorOwner, Name: "ann"}) }

func (w *world) as(a board.Actor) *board.Policy {
	return looptest.Policy(w.board, a, w.listPulls)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// issue is a row as it is now.
func (w *world) issue(ref board.Ref) board.Issue {
	w.t.Helper()
	i, err := w.board.Issue(w.t.Context(), ref)
	w.must(err)
	return i
}

// pull is the pull request of an issue.
func (w *world) pull(ref board.Ref) *board.PullRequest {
	i := w.issue(ref)
	return plan.PullOf(&i, w.listPulls())
}

// wantRow fails unless the row stands there, unclaimed.
func (w *world) wantRow(ref board.Ref, role board.Role, d board.Delegate) {
	w.t.Helper()
	i := w.issue(ref)
	if i.Role != role || i.Delegate != d || i.Claim != nil {
		w.t.Errorf("%s is in %s for %q, claim %v; want %s for %q", ref, i.Role, i.Delegate, i.Claim, role, d)
	}
}

func (w *world) listPulls() []board.PullRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]board.PullRequest, len(w.pulls))
	for n, p := range w.pulls {
		w.history.judge(p)
		out[n] = *p
		out[n].Reviews, out[n].CheckRuns = slices.Clone(p.Reviews), slices.Clone(p.CheckRuns)
	}
	return out
}

// onPull changes the newest pull request of an issue.
func (w *world) onPull(ref board.Ref, change func(p *board.PullRequest)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range slices.Backward(w.pulls) {
		if slices.Contains(p.Issues, ref) {
			change(p)
			return
		}
	}
	w.t.Errorf("%s has no pull request", ref)
}

// merge is the owner's.
func (w *world) merge(ref board.Ref) {
	w.onPull(ref, func(p *board.PullRequest) { p.State, p.MergedAt = board.PullMerged, time.Now() })
}

// runChecks is what local checks are to the loop.
func (w *world) runChecks(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checked++
	for _, p := range w.pulls {
		if p.Name != name || w.checks == nil {
			continue
		}
		got, err := w.checks(p)
		if err != nil {
			return err
		}
		p.Checks = got
	}
	return nil
}

func (w *world) checksAsked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.checked
}

func (w *world) treeOf(by *process, issue board.Issue, branch, run string) (loop.Worktree, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away != nil {
		return loop.Worktree{}, w.away
	}
	if err := w.treeFails[issue.Ref]; err != nil {
		return loop.Worktree{}, err
	}
	path := "/trees/" + branch
	old, there := w.trees[path]
	if there && old.holder != "" && w.workers[old.holder] != nil && w.workers[old.holder].lives() {
		w.fault("%s is given to %s while %s works in it", path, run, old.holder)
	}
	due := !there || old.setupDue
	w.trees[path] = &tree{ref: issue.Ref, branch: branch, holder: run, maker: by, setupDue: due}
	return loop.Worktree{Path: path, Branch: branch, Base: "base", Fresh: !there, SetupDue: due}, nil
}

func (w *world) lockTree(path, holder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.trees[path]; t != nil {
		t.holder, t.maker = holder, nil
	}
}

// held lists the worktrees that are locked.
func (w *world) held() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for path, t := range w.trees {
		if t.holder != "" {
			out = append(out, path)
		}
	}
	return out
}

// notes are the dispatcher's comments on an issue, without machine lines.
func (w *world) notes(ref board.Ref) []string {
	var out []string
	for _, c := range w.issue(ref).Comments {
		if c.Role == board.ActorDispatcher {
			out = append(out, board.WithoutMark(c.Body))
		}
	}
	return out
}

// starts is how many workers of a kind an issue has had.
func (w *world) starts(ref board.Ref, k board.Kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, v := range w.workers {
		if v.spec.Run.Ref == ref && v.spec.Run.Kind == k {
			n++
		}
	}
	return n
}

// saved is the journal.
func (w *world) saved() []state.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.runs)
}

func (w *world) options(edits ...func(*loop.Options)) loop.Options {
	o := loop.Options{
		Milestones: []string{"m1"}, Settings: looptest.Settings(),
		Poll: time.Minute, UntilIdle: true, RestampAfter: 5 * time.Minute, HeartEvery: 30 * time.Second, StopGrace: 20 * time.Second,
		Repository: "acme/widgets", Host: "here", Boot: "boot-1", PID: 1,
		Now: time.Now, NewID: w.newID, Log: slog.New(slog.DiscardHandler),
	}
	w.mu.Lock()
	o.Runs, o.Firing, o.Paused = slices.Clone(w.runs), w.runtime.Firing, w.runtime.Desired == string(state.ModePaused)
	o.Limits = maps.Clone(w.runtime.Limits)
	w.mu.Unlock()
	for _, e := range edits {
		e(&o)
	}
	return o
}

func (w *world) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("run-%03d", w.ids)
}

func forever(o *loop.Options) { o.UntilIdle = false }

// errGone is what a dead process gets from everything.
var errGone = errors.New("the process is dead")
