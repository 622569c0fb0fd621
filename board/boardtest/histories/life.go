package histories

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/state"
)

// life is one life of the loop.
type life struct {
	h        *history
	d        *loop.Driver
	end      context.CancelFunc
	dead     bool
	nextBeat time.Duration
	beating  bool
}

var errDead = errors.New("the process is dead")

// effect passes what the loop does; the loop may die before it or after it.
func (p *life) effect(do func() error) error {
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

func (p *life) deps() loop.Deps {
	return loop.Deps{
		Board: looptest.Board{Gate: gate{p}, Policy: looptest.Policy(p.h.world.Client(p.pause), dispatcher, p.h.listed)},
		Pulls: forge{p}, Worktrees: trees{p}, Launcher: fleet{p}, Interrupter: fleet{p}, Watcher: fleet{p}, Prompts: prompts{},
		Journal: disk{p}, Life: fleet{p}, Ledger: disk{p},
	}
}

// gate is what the loop's calls of the board pass: it may die at a read too.
type gate struct{ p *life }

func (g gate) Read(_ context.Context, name string, _ board.Ref, do func() error) error {
	err := g.p.effect(do)
	if err != nil {
		g.p.h.trace("%s: %v", name, err)
	}
	return err
}

func (g gate) Effect(_ context.Context, name string, ref board.Ref, do func() error) error {
	h := g.p.h
	if name == "claim" {
		h.claiming = ref
		defer func() { h.claiming = "" }()
	}
	faults := h.chance.struck()
	err := g.p.effect(do)
	h.trace("the loop: %s %s (%v)", name, ref, err)
	// A read that is too old may show a claim that does not stand any more; the
	// loop looks once more before it starts a worker.
	if rival := h.rivals[ref]; name == "claim" && err == nil && faults == h.chance.struck() && rival != "" && h.claims(ref, rival) {
		h.broken("the loop is given %s, which %s holds", ref, rival)
	}
	return err
}

// pause is where the board's client waits. While a claim is being taken a rival
// may come between its write and the look whether it stands, once for each row.
func (p *life) pause(d time.Duration) {
	h := p.h
	h.pass(d)
	if ref := h.claiming; ref != "" && h.rivals[ref] == "" && !h.calm && h.dice.IntN(6) == 0 {
		h.rivals[ref] = fmt.Sprintf("rival-%d", len(h.rivals)+1)
		h.trace("another checkout claims %s", ref)
		h.world.Rival(ref, h.rivals[ref])
	}
}

type forge struct{ p *life }

func (f forge) List(context.Context) ([]board.PullRequest, error) { return f.p.h.listed(), nil }

func (f forge) RunChecks(context.Context, string) error { return nil }

type trees struct{ p *life }

func (f trees) Create(_ context.Context, issue board.Issue, _ string) (t loop.Worktree, err error) {
	err = f.p.effect(func() error {
		branch := "task/" + strings.ToLower(strings.TrimPrefix(string(issue.Ref), "#")) + "-row"
		t = loop.Worktree{Path: "/trees/" + branch, Branch: branch, Base: "base"}
		return nil
	})
	return t, err
}

func (f trees) Hold(context.Context, string, string, int) error { return nil }
func (f trees) Free(context.Context, string) error              { return nil }
func (f trees) Reach(context.Context) error                     { return nil }
func (f trees) Prune(context.Context) ([]string, error)         { return nil, nil }

type prompts struct{}

func (prompts) Prompt(_ context.Context, r loop.PromptRequest) (state.RunSpec, error) {
	return state.RunSpec{Prompt: "work on " + string(r.Issue.Ref)}, nil
}

// disk is what the loop's checkout keeps.
type disk struct{ p *life }

func (f disk) SaveRuns(runs []state.Run) error {
	return f.p.effect(func() error { f.p.h.runs = slices.Clone(runs); return nil })
}

func (f disk) SaveRuntime(r journal.Runtime) error {
	return f.p.effect(func() error { f.p.h.runtime = r; return nil })
}

func (f disk) AddCost(c journal.Cost) error {
	return f.p.effect(func() error { f.p.h.costs = append(f.p.h.costs, c); return nil })
}

func (f disk) Costs() ([]journal.Cost, error) { return f.p.h.costs, nil }
