package loop_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// history is what git knows in a world: how far main is, what of it each head
// has, which heads git made by merging main alone, and who wrote the others.
type history struct {
	main    int
	has     map[string]int    // commits of main that a head has
	before  map[string]string // head that git's own merge was made on
	foreign map[string]string // who wrote a head, if not the developer identity
	clash   map[string]bool   // branches that git cannot merge main into
	refuse  error             // what every update gets
}

func newHistory() history {
	return history{main: 1, has: map[string]int{}, before: map[string]string{}, foreign: map[string]string{}, clash: map[string]bool{}}
}

func (h *history) base() string { return fmt.Sprintf("main%08d", h.main) }

// judge fills in what follows from git; the lock is held.
func (h *history) judge(p *board.PullRequest) {
	if p.State != board.PullOpen {
		return
	}
	has, known := h.has[p.HeadSHA]
	if !known {
		has = h.main
		h.has[p.HeadSHA] = has
	}
	p.BaseSHA, p.Behind = h.base(), h.main-has
	p.Mergeable = board.MergeClean
	if h.clash[p.Head] && p.Behind > 0 {
		p.Mergeable = board.MergeConflict
	}
}

// land is a commit on main that somebody else made.
func (w *world) land() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pulls {
		w.history.judge(p) // what a head has is what main was until now
	}
	w.history.main++
}

// collide is a commit on main that contradicts an issue's branch.
func (w *world) collide(ref board.Ref) {
	w.land()
	w.onPull(ref, func(p *board.PullRequest) { w.history.clash[p.Head] = true })
}

// newHead is a name that no head had; the lock is held.
func (w *world) newHead(p *board.PullRequest) string {
	w.heads++
	p.HeadSHA = fmt.Sprintf("head%08d", w.heads)
	if w.checks != nil {
		p.Checks = board.ChecksPending
	}
	return p.HeadSHA
}

// freshen is what an update of a pull request is to the loop.
func (w *world) freshen(name, head string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pulls {
		if p.Name != name {
			continue
		}
		w.history.judge(p)
		switch {
		case w.history.refuse != nil:
			return w.history.refuse
		case p.HeadSHA != head:
			return errors.New("the head has moved")
		case p.Mergeable == board.MergeConflict:
			return errors.New("conflict")
		case p.Behind == 0:
			return nil
		}
		for _, v := range w.workers {
			if v.lives() && v.spec.Run.Kind == board.KindReviewer && v.spec.Run.PR == name {
				w.fault("%s is brought up to date under the review %s", name, v.spec.Run.ID)
			}
			if v.lives() && v.spec.Run.Branch == p.Head {
				w.fault("%s is brought up to date while %s works on its branch", name, v.spec.Run.ID)
			}
		}
		now := w.newHead(p)
		w.history.has[now], w.history.before[now] = w.history.main, head
		return nil
	}
	return fmt.Errorf("%s: no such pull request", name)
}

func (w *world) mergeOnly(from, to string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to != from && w.history.before[to] != "" {
		to = w.history.before[to]
	}
	return to == from
}

// merge brings main into the branch of a clean-up: as git does it, or by hand.
func (a *agent) merge(byHand bool) {
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	for _, p := range a.w.pulls {
		if p.Name != a.Run.PR || p.State != board.PullOpen {
			continue
		}
		old := p.HeadSHA
		now := a.w.newHead(p)
		a.w.history.has[now] = a.w.history.main
		a.w.history.clash[p.Head] = false
		if !byHand {
			a.w.history.before[now] = old
		}
	}
}

type updatesOf struct{ p *process }

func (f updatesOf) Freshen(ctx context.Context, name, head string) error {
	return f.p.effect(ctx, "freshen", func() error { return f.p.w.freshen(name, head) })
}

func (f updatesOf) MergeOnly(ctx context.Context, _, from, to string) (bool, error) {
	if err := f.p.read(ctx, "merge only"); err != nil {
		return false, err
	}
	return f.p.w.mergeOnly(from, to), nil
}

func (f updatesOf) Foreign(ctx context.Context, _, _, to string) ([]string, error) {
	if err := f.p.read(ctx, "foreign"); err != nil {
		return nil, err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	if who := f.p.w.history.foreign[to]; who != "" {
		return []string{who}, nil
	}
	return nil, nil
}

// CheckedOut takes a worktree that nobody holds for pruned.
func (f treesOf) CheckedOut(ctx context.Context) ([]string, error) {
	if err := f.p.read(ctx, "checked out"); err != nil {
		return nil, err
	}
	f.p.w.mu.Lock()
	defer f.p.w.mu.Unlock()
	out := []string{"main"}
	for _, t := range f.p.w.trees {
		if t.holder != "" {
			out = append(out, t.branch)
		}
	}
	return out, nil
}

func (f treesOf) Checkout(ctx context.Context, issue board.Issue, branch, run string) (t loop.Worktree, err error) {
	err = f.p.effect(ctx, "worktree", func() error { t, err = f.p.w.treeOf(f.p, issue, branch, run); return err })
	return t, err
}

func (w *world) makeTree(by *process, issue board.Issue, run string) (loop.Worktree, error) {
	return w.treeOf(by, issue, plan.BranchPrefix(issue.Ref)+"work", run)
}
