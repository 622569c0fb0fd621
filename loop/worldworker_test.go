package loop_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// worker is one agent process with its supervisor: it outlives the loop.
type worker struct {
	w       *world
	spec    state.RunSpec
	phase   state.WorkerPhase
	exit    *state.WorkerExit
	pid     int
	started time.Time
	over    chan struct{} // closed when it is
	stop    context.CancelFunc
	asked   bool // to stop
	// uncounted: its script is played again by the next worker.
	uncounted bool
	// hushed is since when it writes nothing, tool how many processes a tool of
	// it has started, waits that its turn was interrupted, deaf that it reads
	// nothing, owners that a person interrupted it; spent is what it cost so far.
	hushed      time.Time
	tool        int
	waits, deaf bool
	interrupted int
	spent       float64
	unbilled    int64 // tokens that it told no price of
	limit       time.Time
	trouble     state.Trouble
	missing     string
	talk        talk
}

func (v *worker) lives() bool { return v.phase == state.WorkerRunning }

// status is what a watcher sees; the world's lock is held.
func (v *worker) status() state.WorkerStatus {
	output := time.Now()
	if !v.hushed.IsZero() {
		output = v.hushed
	}
	return state.WorkerStatus{
		Phase: v.phase, PID: v.pid, PIDStart: fmt.Sprint(v.pid), LastSign: v.started, Exit: v.exit,
		LastOutput: output, Busy: v.tool > 0, Below: v.tool, Waiting: v.waits, CostUSD: v.spent, Unbilled: v.unbilled,
		Requests: slices.Clone(v.talk.requests), Messages: slices.Clone(v.talk.messages),
	}
}

// interruptWorker ends the turn of a worker that listens: it waits then.
func (w *world) interruptWorker(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.workers[run]
	if v == nil || !v.lives() {
		return
	}
	v.interrupted++
	if !v.deaf {
		v.waits, v.hushed = true, time.Now()
		v.tell()
	}
}

// startWorker starts a worker for a run, once.
func (w *world) startWorker(spec state.RunSpec) (state.WorkerStatus, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := spec.Run
	if w.forbidden[r.ID] {
		return state.WorkerStatus{}, fmt.Errorf("start %s: it was given back", r.ID)
	}
	if w.workers[r.ID] != nil {
		w.fault("run %s is started twice", r.ID)
		return state.WorkerStatus{}, fmt.Errorf("start %s: it exists", r.ID)
	}
	for _, v := range w.workers {
		if v.lives() && v.spec.Run.Ref == r.Ref {
			w.fault("%s is worked by %s and %s at once", r.Ref, v.spec.Run.ID, r.ID)
		}
	}
	play := w.script(r.Ref, r.Kind)
	w.pids++
	ctx, cancel := context.WithCancel(context.Background())
	v := &worker{w: w, spec: spec, phase: state.WorkerRunning, pid: w.pids, started: time.Now(), over: make(chan struct{}), stop: cancel, talk: newTalk()}
	w.workers[r.ID] = v
	a := &agent{w: w, v: v, ctx: ctx, Run: r, Spec: spec, board: w.as(board.Actor{Kind: board.ActorOfKind(r.Kind), Run: r.ID, Ref: r.Ref, Epoch: r.Epoch})}
	go a.live(play)
	return v.status(), nil
}

func (w *world) observe(run string) state.WorkerStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.workers[run]; v != nil {
		return v.status()
	}
	return state.WorkerStatus{Phase: state.WorkerAbsent}
}

func (w *world) forbid(run string) state.WorkerStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.workers[run]; v != nil {
		return v.status()
	}
	w.forbidden[run] = true
	return state.WorkerStatus{Phase: state.WorkerAbsent}
}

func (w *world) watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	w.mu.Lock()
	v := w.workers[run]
	w.mu.Unlock()
	if v == nil {
		return fmt.Errorf("watch %s: no such run", run)
	}
	st := w.observe(run)
	st.Tail, st.Lines = []state.Line{{Kind: state.LineText, Text: "at work on " + string(v.spec.Run.Ref)}}, 1
	changed(st)
	for over := false; !over; {
		w.mu.Lock()
		news := v.talk.news
		w.mu.Unlock()
		if now := w.observe(run); !slices.EqualFunc(now.Requests, st.Requests, sameRequest) || now.Waiting != st.Waiting || !slices.Equal(now.Messages, st.Messages) {
			now.Lines, st = 1, now
			changed(now)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.over:
			over = true
		case <-news:
		}
	}
	// Nothing was said since: a launcher leaves out lines that are known.
	st = w.observe(run)
	st.Lines = 1
	changed(st)
	return nil
}

// stopWorker ends a worker and waits for its end.
func (w *world) stopWorker(run string) {
	w.mu.Lock()
	v := w.workers[run]
	if v == nil || !v.lives() {
		w.mu.Unlock()
		return
	}
	v.asked = true
	w.mu.Unlock()
	v.stop()
	<-v.over
}

// killAll is a machine that restarts: every worker is gone without a word.
func (w *world) killAll() {
	w.mu.Lock()
	var gone []*worker
	for _, v := range w.workers {
		if v.lives() {
			v.phase = state.WorkerDead
			gone = append(gone, v)
		}
	}
	w.mu.Unlock()
	for _, v := range gone {
		v.stop()
		<-v.over
	}
}

// live is how many workers run.
func (w *world) live() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, v := range w.workers {
		if v.lives() {
			n++
		}
	}
	return n
}

// agent is what a script acts through: the board under the worker's own
// policy, and its pull request.
type agent struct {
	w     *world
	v     *worker
	ctx   context.Context //nolint:containedctx // the life of the process that it stands for
	Run   state.Run
	Spec  state.RunSpec
	board *board.Policy
}

// ended unwinds a script whose process is over.
type ended struct{ problem string }

// live runs the script to its end and records how it ended.
func (a *agent) live(play script) {
	defer close(a.v.over)
	final, problem := a.perform(play)
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	if !a.v.lives() {
		return
	}
	a.v.phase = state.WorkerExited
	a.v.exit = &state.WorkerExit{Final: final, Problem: problem, Stopped: a.v.asked, CostUSD: max(0.5, a.v.spent), Tokens: 100, Ended: time.Now(), LimitUntil: a.v.limit, Trouble: a.v.trouble, Missing: a.v.missing}
}

func (a *agent) perform(play script) (final, problem string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			problem = p.problem
		default:
			panic(p)
		}
	}()
	return play(a), ""
}

// change sets what a look at the worker shows.
func (a *agent) change(f func(v *worker)) {
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	f(a.v)
}

// hush is a worker that writes nothing from now on.
func (a *agent) hush() { a.change(func(v *worker) { v.hushed = time.Now() }) }

// speak is one that writes again.
func (a *agent) speak() { a.change(func(v *worker) { v.hushed, v.waits = time.Time{}, false }) }

// limited is a worker that meets its account's usage limit.
func (a *agent) limited(until time.Time) string {
	a.change(func(v *worker) { v.limit = until })
	a.fail("You've hit your session limit")
	return ""
}

// fail ends the worker without a result.
func (a *agent) fail(problem string) { panic(ended{problem: problem}) }

// work takes time; a worker that is stopped meanwhile ends here.
func (a *agent) work(d time.Duration) {
	select {
	case <-a.ctx.Done():
		a.fail("stopped")
	case <-time.After(d):
	}
}

// do is a step on the board; what is refused ends the worker.
func (a *agent) do(err error) {
	if err != nil {
		a.fail(err.Error())
	}
}

// push puts a new head on the task's branch, and opens its pull request once.
func (a *agent) push() {
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	a.w.heads++
	head := fmt.Sprintf("head%08d", a.w.heads)
	checks := board.ChecksNone
	if a.w.checks != nil {
		checks = board.ChecksPending
	}
	for _, p := range a.w.pulls {
		if p.Head == a.Run.Branch && p.State == board.PullOpen {
			a.w.history.judge(p)
			a.w.history.has[head] = a.w.history.has[p.HeadSHA]
			p.HeadSHA, p.Checks = head, checks
			return
		}
	}
	n := len(a.w.pulls) + 1
	a.w.pulls = append(a.w.pulls, &board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main",
		Head: a.Run.Branch, HeadSHA: head, Checks: checks, Issues: []board.Ref{a.Run.Ref}, CreatedAt: time.Now(),
	})
}

// tick sets every box of the issue.
func (a *agent) tick() {
	i, err := a.board.Issue(a.ctx, a.Run.Ref)
	a.do(err)
	for n := range board.Checkboxes(i.Body) {
		a.do(a.board.Tick(a.ctx, a.Run.Ref, board.Box{N: n + 1, Set: true}))
	}
}

// ask parks the row with the three writes of a question.
func (a *agent) ask(text string) {
	a.say(text)
	a.do(a.board.SetState(a.ctx, a.Run.Ref, board.RoleQuestion))
	a.do(a.board.Release(a.ctx, a.Run.Ref, ""))
}

func (a *agent) say(text string) {
	_, err := a.board.Comment(a.ctx, a.Run.Ref, board.ActorOfKind(a.Run.Kind), text)
	a.do(err)
}

// forgetDead makes dead workers uncounted, so that their script is played
// again by the next one.
func (w *world) forgetDead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.workers {
		if v.phase == state.WorkerDead {
			v.uncounted = true
		}
	}
}
