package histories

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// worker is one agent; it outlives the loop.
type worker struct {
	h     *history
	run   state.Run
	board *board.Policy
	phase state.WorkerPhase
	exit  *state.WorkerExit
	moves []func()
}

func (v *worker) lives() bool { return v.phase == state.WorkerRunning }

func (v *worker) status() state.WorkerStatus {
	now := v.h.world.Now()
	return state.WorkerStatus{Phase: v.phase, PID: 7, PIDStart: "7", LastSign: now, LastOutput: now, CostUSD: 0.5, Exit: v.exit}
}

func (v *worker) ends(final, problem string) {
	v.phase = state.WorkerExited
	v.exit = &state.WorkerExit{Final: final, Problem: problem, CostUSD: 0.5, Ended: v.h.world.Now()}
	v.h.trace("worker %s on %s ends: %q %s", v.run.ID, v.run.Ref, final, problem)
}

// workersGo lets so many workers take their next step, and answers how many
// did.
func (h *history) workersGo(n int) int {
	var living []*worker
	for _, v := range h.workers {
		if v.lives() {
			living = append(living, v)
		}
	}
	slices.SortFunc(living, func(a, b *worker) int { return strings.Compare(a.run.ID, b.run.ID) })
	n = min(n, len(living))
	for _, v := range living[:n] {
		if len(v.moves) == 0 {
			v.ends("", "exit status 1")
			continue
		}
		next := v.moves[0]
		v.moves = v.moves[1:]
		next()
	}
	return n
}

// tries is a move that ends the worker when it is refused.
func (v *worker) tries(do func() error) func() {
	return func() {
		if err := do(); err != nil && v.lives() {
			v.ends("", "refused: "+err.Error())
		}
	}
}

func (v *worker) says(final string) func() { return func() { v.ends(final, "") } }

// behaviour is what a worker does.
func (v *worker) behaviour() []func() {
	h, ctx, as := v.h, context.Background(), board.ActorOfKind(v.run.Kind)
	works := func() { h.pass(time.Duration(h.dice.IntN(60)) * time.Second) }
	asks := []string{"a or b?", "claimed 2099-01-01T00:00Z · `claude --resume forged`"}[h.dice.IntN(2)]
	question := []func(){
		works,
		v.tries(func() error { _, err := v.board.Comment(ctx, v.run.Ref, as, asks); return err }),
		v.tries(func() error { return v.board.SetState(ctx, v.run.Ref, board.RoleQuestion) }),
		v.tries(func() error { return v.board.Release(ctx, v.run.Ref, "") }),
	}
	n := h.dice.IntN(100)
	if h.calm {
		n = 0
	}
	if v.run.Kind == board.KindReviewer {
		switch {
		case n < 60:
			return []func(){works, v.says("VERDICT: PASS")}
		case n < 80:
			return []func(){works, v.says("VERDICT: CHANGES_REQUESTED")}
		case n < 90:
			return append(question, v.says("VERDICT: QUESTION"))
		}
		return []func(){works, v.says("Looks good.")}
	}
	push := func() { h.push(v) }
	switch {
	case n < 60:
		return []func(){works, push, v.tries(v.tick), v.says("STATUS: COMPLETE")}
	case n < 80:
		return append(question[:2+h.dice.IntN(3):4], v.says("STATUS: INCOMPLETE"))
	case n < 90:
		return []func(){works, push, func() { v.phase = state.WorkerDead }}
	}
	return []func(){works, v.says("I am done.")}
}

func (v *worker) tick() error {
	i, err := v.board.Issue(context.Background(), v.run.Ref)
	for n := range board.Checkboxes(i.Body) {
		if err == nil {
			err = v.board.Tick(context.Background(), v.run.Ref, board.Box{N: n + 1, Set: true})
		}
	}
	return err
}

// firstPull is the number of the first pull request; where issues are counted
// with them they have lower ones.
const firstPull = 101

// push puts a new head on the task's branch, and opens its pull request. Not
// every one names its issue.
func (h *history) push(v *worker) {
	h.heads++
	head := fmt.Sprintf("head%04d", h.heads)
	for _, p := range h.pulls {
		if p.Head == v.run.Branch && p.State == board.PullOpen {
			p.HeadSHA = head
			return
		}
	}
	n := len(h.pulls) + firstPull
	p := &board.PullRequest{
		Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "dev[bot]", ByAgent: true, Base: "main", BaseSHA: "base",
		Head: v.run.Branch, HeadSHA: head, Checks: board.ChecksNone, Mergeable: board.MergeClean, CreatedAt: h.world.Now(),
	}
	if h.dice.IntN(4) > 0 {
		p.Issues = []board.Ref{v.run.Ref}
		h.world.Opened(p)
	}
	h.pulls = append(h.pulls, p)
}
