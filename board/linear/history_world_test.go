package linear_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// effect passes what the loop does; the loop may die before it or after it.
func (p *loopLife) effect(do func() error) error {
	h := p.h
	if p.dead {
		return errDead
	}
	strikes := func() bool { return !h.calm && h.crashes > 0 && h.dice.Float64() < h.crashes }
	if strikes() {
		p.dead = true
		h.trace("the loop dies before an effect")
		return errDead
	}
	err := do()
	if strikes() {
		p.dead = true
		h.trace("the loop dies after an effect (%v)", err)
		return errDead
	}
	return err
}

func (p *loopLife) deps() loop.Deps {
	return loop.Deps{
		Board: histBoard{p, p.h.as(p.board, theLoop)}, Pulls: histPulls{p}, Worktrees: histTrees{p}, Launcher: histFleet{p}, Interrupter: histFleet{p},
		Watcher: histFleet{p}, Prompts: histPrompts{p}, Journal: histJournal{p}, Life: histLife{p}, Ledger: histJournal{p},
	}
}

type histBoard struct {
	p  *loopLife
	as *board.Policy
}

func (b histBoard) Poll(ctx context.Context, q board.Query) (rows []board.Issue, err error) {
	err = b.p.effect(func() error { rows, err = b.as.Poll(ctx, q); return err })
	if err != nil {
		b.p.h.trace("poll: %v", err)
	}
	return rows, err
}

func (b histBoard) Issue(ctx context.Context, ref board.Ref) (i board.Issue, err error) {
	err = b.p.effect(func() error { i, err = b.as.Issue(ctx, ref); return err })
	return i, err
}

func (b histBoard) As(a board.Actor) (loop.Writes, loop.Claims) {
	out := histBoard{b.p, b.as.As(a)}
	return out, out
}

func (b histBoard) did(what string, ref board.Ref, do func() error) error {
	err := b.p.effect(do)
	b.p.h.trace("the loop: %s %s (%v)", what, ref, err)
	return err
}

func (b histBoard) SetStateFrom(ctx context.Context, ref board.Ref, role, from board.Role) error {
	return b.did("move to "+role.Word(), ref, func() error { return b.as.SetStateFrom(ctx, ref, role, from) })
}

func (b histBoard) Comment(ctx context.Context, ref board.Ref, as board.ActorKind, body string) (c board.Comment, err error) {
	err = b.did("comment", ref, func() error { c, err = b.as.Comment(ctx, ref, as, body); return err })
	return c, err
}

func (b histBoard) LinkPR(ctx context.Context, ref board.Ref, pr string) error {
	return b.did("link", ref, func() error { return b.as.LinkPR(ctx, ref, pr) })
}

func (b histBoard) Answer(ctx context.Context, ref board.Ref, body string, to board.Role) error {
	return b.did("answer", ref, func() error { return b.as.Answer(ctx, ref, body, to) })
}

func (b histBoard) Claim(ctx context.Context, ref board.Ref, req board.ClaimRequest) (c board.Claim, err error) {
	err = b.did("claim by "+req.Session, ref, func() error { c, err = b.as.Claim(ctx, ref, req); return err })
	return c, err
}

func (b histBoard) Assign(ctx context.Context, ref board.Ref, to board.Delegate) error {
	return b.did("assign", ref, func() error { return b.as.Assign(ctx, ref, to) })
}

func (b histBoard) Release(ctx context.Context, ref board.Ref, session string) error {
	return b.did("release", ref, func() error { return b.as.Release(ctx, ref, session) })
}

type histPulls struct{ p *loopLife }

func (f histPulls) List(context.Context) ([]board.PullRequest, error) { return f.p.h.listed(), nil }

func (f histPulls) RunChecks(context.Context, string) error { return nil }

type histTrees struct{ p *loopLife }

func (f histTrees) Create(_ context.Context, issue board.Issue, _ string) (t loop.Worktree, err error) {
	err = f.p.effect(func() error {
		branch := "task/" + strings.ToLower(string(issue.Ref)) + "-row"
		t = loop.Worktree{Path: "/trees/" + branch, Branch: branch, Base: "base"}
		return nil
	})
	return t, err
}

func (f histTrees) Hold(context.Context, string, string, int) error { return nil }
func (f histTrees) Free(context.Context, string) error              { return nil }
func (f histTrees) Reach(context.Context) error                     { return nil }
func (f histTrees) Prune(context.Context) ([]string, error)         { return nil, nil }

type histPrompts struct{ p *loopLife }

func (f histPrompts) Prompt(_ context.Context, r loop.PromptRequest) (state.RunSpec, error) {
	return state.RunSpec{Prompt: "work on " + string(r.Issue.Ref)}, nil
}

type histJournal struct{ p *loopLife }

func (f histJournal) SaveRuns(runs []state.Run) error {
	return f.p.effect(func() error { f.p.h.runs = slices.Clone(runs); return nil })
}

func (f histJournal) SaveRuntime(r journal.Runtime) error {
	return f.p.effect(func() error { f.p.h.runtime = r; return nil })
}

func (f histJournal) AddCost(c journal.Cost) error {
	return f.p.effect(func() error { f.p.h.costs = append(f.p.h.costs, c); return nil })
}

func (f histJournal) Costs() ([]journal.Cost, error) { return f.p.h.costs, nil }

type histLife struct{ p *loopLife }

func (l histLife) Lives(c board.Claim) bool {
	for _, v := range l.p.h.workers {
		if v.run.Session == c.Session && v.lives() {
			return true
		}
	}
	return false
}

// histWorker is one agent; it outlives the loop.
type histWorker struct {
	h     *history
	run   state.Run
	board *board.Policy
	phase state.WorkerPhase
	exit  *state.WorkerExit
	moves []func()
}

func (v *histWorker) lives() bool { return v.phase == state.WorkerRunning }

func (v *histWorker) status() state.WorkerStatus {
	return state.WorkerStatus{Phase: v.phase, PID: 7, PIDStart: "7", LastSign: v.h.wall(), LastOutput: v.h.wall(), CostUSD: 0.5, Exit: v.exit}
}

type histFleet struct{ p *loopLife }

func (f histFleet) Start(_ context.Context, spec state.RunSpec) (st state.WorkerStatus, err error) {
	h := f.p.h
	err = f.p.effect(func() error {
		if h.workers[spec.Run.ID] != nil {
			return fmt.Errorf("start %s: it was started or forbidden", spec.Run.ID)
		}
		for _, o := range h.workers {
			if o.run.Ref == spec.Run.Ref && o.lives() && h.holds(o) {
				h.broken("%s is worked by %s and %s at once", spec.Run.Ref, o.run.ID, spec.Run.ID)
			}
		}
		v := &histWorker{h: h, run: spec.Run, phase: state.WorkerRunning}
		v.board = h.as(h.client(), board.Actor{Kind: board.ActorOfKind(spec.Run.Kind), Run: spec.Run.ID, Ref: spec.Run.Ref, Epoch: spec.Run.Epoch})
		v.moves = v.behaviour()
		h.workers[spec.Run.ID] = v
		h.trace("worker %s (%s) lives on %s", v.run.ID, v.run.Kind, v.run.Ref)
		st = v.status()
		return nil
	})
	return st, err
}

// holds says whether the claim that stands on a worker's row is its own.
func (h *history) holds(v *histWorker) bool {
	held := false
	_ = h.place.world.Change(func(d *fake.Data) {
		for _, c := range d.Comments {
			if claim, ok := board.ParseClaimText(c.Body); ok && claim.Session == v.run.Session {
				held = true
			}
		}
	})
	return held
}

func (f histFleet) Stop(_ context.Context, run string) error {
	return f.p.effect(func() error {
		if v := f.p.h.workers[run]; v != nil && v.lives() {
			v.ends("", "stopped")
			v.exit.Stopped = true
		}
		return nil
	})
}

func (f histFleet) Interrupt(context.Context, string) error { return nil }

func (f histFleet) Observe(_ context.Context, run string) (state.WorkerStatus, error) {
	if f.p.dead {
		return state.WorkerStatus{}, errDead
	}
	if v := f.p.h.workers[run]; v != nil {
		return v.status(), nil
	}
	return state.WorkerStatus{Phase: state.WorkerAbsent}, nil
}

func (f histFleet) Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	t := f.p.h.running
	v := f.p.h.workers[run]
	if t == nil || v == nil || f.p.dead {
		return errDead
	}
	t.ready = func() bool { return ctx.Err() != nil || !v.lives() }
	if !t.yield(struct{}{}) || ctx.Err() != nil {
		return errDead
	}
	t.ready = nil
	changed(v.status())
	return nil
}

func (f histFleet) Forbid(ctx context.Context, run string) (state.WorkerStatus, error) {
	if f.p.dead {
		return state.WorkerStatus{}, errDead
	}
	if f.p.h.workers[run] == nil {
		f.p.h.workers[run] = &histWorker{h: f.p.h, run: state.Run{ID: run}, phase: state.WorkerAbsent}
	}
	return f.Observe(ctx, run)
}

func (v *histWorker) ends(final, problem string) {
	v.phase = state.WorkerExited
	v.exit = &state.WorkerExit{Final: final, Problem: problem, CostUSD: 0.5, Ended: v.h.wall()}
	v.h.trace("worker %s on %s ends: %q %s", v.run.ID, v.run.Ref, final, problem)
}

// workersGo lets so many workers take their next step.
func (h *history) workersGo(n int) int {
	went := 0
	var living []*histWorker
	for _, v := range h.workers {
		if v.lives() {
			living = append(living, v)
		}
	}
	slices.SortFunc(living, func(a, b *histWorker) int { return strings.Compare(a.run.ID, b.run.ID) })
	for _, v := range living {
		if went == n {
			break
		}
		went++
		if len(v.moves) == 0 {
			v.ends("", "exit status 1")
			continue
		}
		next := v.moves[0]
		v.moves = v.moves[1:]
		next()
	}
	return went
}

// behaviour is what a worker does.
func (v *histWorker) behaviour() []func() {
	h, ctx := v.h, context.Background()
	works := func() { h.pass(time.Duration(h.dice.IntN(60)) * time.Second) }
	says := func(final string) func() { return func() { v.ends(final, "") } }
	tries := func(do func() error) func() {
		return func() {
			if err := do(); err != nil && v.lives() {
				v.ends("", "refused: "+err.Error())
			}
		}
	}
	as := board.ActorOfKind(v.run.Kind)
	question := []func(){
		works,
		tries(func() error { _, err := v.board.Comment(ctx, v.run.Ref, as, "a or b?"); return err }),
		tries(func() error { return v.board.SetState(ctx, v.run.Ref, board.RoleQuestion) }),
		tries(func() error { return v.board.Release(ctx, v.run.Ref, "") }),
	}
	n := h.dice.IntN(100)
	if h.calm {
		n = 0
	}
	if v.run.Kind == board.KindReviewer {
		switch {
		case n < 60:
			return []func(){works, says("VERDICT: PASS")}
		case n < 80:
			return []func(){works, says("VERDICT: CHANGES_REQUESTED")}
		case n < 90:
			return append(question, says("VERDICT: QUESTION"))
		}
		return []func(){works, says("Looks good.")}
	}
	done := []func(){works, func() { h.push(v) }, tries(v.tick), says("STATUS: COMPLETE")}
	switch {
	case n < 60:
		return done
	case n < 80:
		return append(question[:2+h.dice.IntN(3):4], says("STATUS: INCOMPLETE"))
	case n < 90:
		return []func(){works, func() { h.push(v) }, func() { v.phase = state.WorkerDead }}
	}
	return []func(){works, says("I am done.")}
}

func (v *histWorker) tick() error {
	i, err := v.board.Issue(context.Background(), v.run.Ref)
	for n := range board.Checkboxes(i.Body) {
		if err == nil {
			err = v.board.Tick(context.Background(), v.run.Ref, board.Box{N: n + 1, Set: true})
		}
	}
	return err
}

// push puts a new head on the task's branch, and opens its pull request.
func (h *history) push(v *histWorker) {
	h.heads++
	head := fmt.Sprintf("head%04d", h.heads)
	for _, p := range h.pulls {
		if p.Head == v.run.Branch && p.State == board.PullOpen {
			p.HeadSHA = head
			return
		}
	}
	n := len(h.pulls) + 1
	h.pulls = append(h.pulls, &board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main", BaseSHA: "base",
		Head: v.run.Branch, HeadSHA: head, Checks: board.ChecksNone, Mergeable: board.MergeClean, Issues: []board.Ref{v.run.Ref}, CreatedAt: h.wall(),
	})
}

// merge merges a pull request, and lets Linear's automation know.
func (h *history) merge(p *board.PullRequest) {
	p.State, p.MergedAt, p.MergeSHA = board.PullMerged, h.wall(), "merge"+p.Name
	moved := h.place.world.Merge("https://dispatcher.invalid/acme/widgets/pull/" + p.Name[1:])
	h.trace("the owner merges %s; the automation moves %v", p.Name, moved)
}

// act is one thing that the owner does on Linear's own pages.
func (h *history) act() {
	ref, role := h.someRow()
	pr := plan.PullOf(&board.Issue{Ref: ref}, h.listed())
	by := h.place.made.Owner
	edit := func(what string, change func(i *fake.Issue)) {
		h.trace("the owner: %s on %s", what, ref)
		if err := h.place.world.Edit(string(ref), by, change); err != nil {
			h.broken("%v", err)
		}
	}
	switch n := h.dice.IntN(10); {
	case role == board.RoleQuestion && n < 7:
		if err := h.place.world.AddComment(string(ref), fake.Comment{Body: "Take a.", User: by}); err != nil {
			h.broken("%v", err)
		}
		to := h.place.world.StateID("Ready")
		if pr != nil {
			to = h.place.world.StateID("Changes Requested")
		}
		edit("answers", func(i *fake.Issue) { i.State = to })
	case pr != nil && pr.State == board.PullOpen && role == board.RoleHumanReview && n < 6:
		h.merge(h.pulls[pr.Number-1])
	case n == 8 && role != board.RoleDone:
		to := h.place.world.StateID([]string{"Ready", "Backlog", "Changes Requested"}[h.dice.IntN(3)])
		edit("moves it by hand", func(i *fake.Issue) { i.State = to })
	case n == 9:
		edit("writes into it", func(i *fake.Issue) { i.Description += "\nAnother word.\n" })
	}
}

// someRow is a row as it stands on Linear.
func (h *history) someRow() (board.Ref, board.Role) {
	var ref board.Ref
	var role board.Role
	_ = h.place.world.Change(func(d *fake.Data) {
		i := d.Issues[h.dice.IntN(len(d.Issues))]
		ref = board.Ref(fmt.Sprintf("ACM-%d", i.Number))
		for _, s := range d.States {
			if s.ID == i.State {
				role = roleNamed(s.Name)
			}
		}
	})
	return ref, role
}

func roleNamed(name string) board.Role {
	for _, r := range board.Roles() {
		if r.DefaultName() == name {
			return r
		}
	}
	return board.RoleNone
}

// play is the whole history: trouble, then calm, then the owner's work until
// every row is done.
func (h *history) play() {
	defer func() {
		if h.p != nil {
			h.bury()
		}
	}()
	for range 60 + h.dice.IntN(80) {
		h.step()
		if len(h.bad) > 0 {
			return
		}
	}
	h.trace("--- calm")
	h.calm = true
	h.chance.stop()
	h.place.world.Mend()
	h.pass(2 * time.Hour)
	for range 12 {
		h.turnUntilIdle()
		if len(h.bad) > 0 || h.finish() {
			break
		}
	}
	if len(h.bad) == 0 {
		h.ended()
	}
}

// finish does what is left to the owner, and answers true when nothing is.
func (h *history) finish() bool {
	owner := h.as(h.client(), theOwner)
	ctx := context.Background()
	rows, err := owner.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		h.broken("the owner's poll: %v", err)
		return true
	}
	for i := range rows {
		row := &rows[i]
		pr := plan.PullOf(row, h.listed())
		h.trace("the owner looks at %s in %s", row.Ref, row.State)
		switch {
		case row.Role == board.RoleQuestion:
			err = owner.Answer(ctx, row.Ref, "Take a.", board.RoleNone)
		case pr != nil && pr.State == board.PullOpen && row.Role == board.RoleHumanReview:
			h.merge(h.pulls[pr.Number-1])
		case len(row.OpenBlockers()) > 0:
		case pr != nil && pr.State == board.PullOpen:
			_, err = owner.Comment(ctx, row.Ref, board.ActorOwner, "Go on.")
			if err == nil {
				err = owner.SetState(ctx, row.Ref, board.RoleChangesRequested)
			}
		default:
			_, err = owner.Comment(ctx, row.Ref, board.ActorOwner, "Go on.")
			if err == nil {
				err = owner.SetState(ctx, row.Ref, board.RoleReady)
			}
		}
		if err != nil {
			h.broken("the owner on %s: %v", row.Ref, err)
		}
	}
	return len(rows) == 0
}

// ended holds the end to what has to be true of it.
func (h *history) ended() {
	_ = h.place.world.Change(func(d *fake.Data) {
		names := map[string]string{}
		for _, s := range d.States {
			names[s.ID] = s.Name
		}
		marks := map[string]bool{}
		for _, i := range d.Issues {
			ref := fmt.Sprintf("ACM-%d", i.Number)
			if names[i.State] != "Done" || i.Delegate != "" || i.Assignee != "" {
				h.broken("%s ends in %s, delegate %q, assignee %q", ref, names[i.State], i.Delegate, i.Assignee)
			}
			merged := false
			for _, e := range d.History {
				if e.Issue != i.ID || e.ToState == "" {
					continue
				}
				if merged {
					h.broken("%s is moved to %s after its merge", ref, names[e.ToState])
				}
				merged = merged || names[e.ToState] == "Done"
			}
			for _, c := range d.Comments {
				if c.Issue != i.ID {
					continue
				}
				if claim, ok := board.ParseClaimText(c.Body); ok {
					h.broken("%s ends with the claim of %s", ref, claim.Session)
				}
				if m, ok := board.ParseMark(c.Body); ok && m.Try > 0 {
					if key := fmt.Sprint(ref, m.Run, m.Try, strings.SplitN(c.Body, "\n", 2)[0]); marks[key] {
						h.broken("%s: said twice: %s", ref, c.Body)
					} else {
						marks[key] = true
					}
				}
			}
		}
	})
}
