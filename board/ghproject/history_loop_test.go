package ghproject_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
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
		Board: histBoard{p, p.h.as(p.board, dispatcher)}, Pulls: histPulls{p}, Worktrees: histTrees{p}, Launcher: histFleet{p}, Interrupter: histFleet{p},
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
		branch := "task/" + strings.TrimPrefix(string(issue.Ref), "#") + "-row"
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
	return strings.Contains(h.place.claimed(h.t, v.run.Ref), ":"+v.run.Session+"@")
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
