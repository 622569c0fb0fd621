package native

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// waits is who waits for whom on the board: an issue for its blockers, and a
// sub-issue for its parent, with which it is worked.
type waits struct {
	edges  map[board.Ref][]board.Ref
	parent map[board.Ref]board.Ref
}

func (b *Board) waits(ctx context.Context) (*waits, error) {
	rows, _, err := b.rows(ctx)
	if err != nil {
		return nil, err
	}
	w := &waits{edges: map[board.Ref][]board.Ref{}, parent: map[board.Ref]board.Ref{}}
	for n := range rows {
		i := &rows[n]
		for _, blocker := range i.Blockers {
			w.edges[i.Ref] = append(w.edges[i.Ref], blocker.Ref)
		}
		w.setParent(i.Ref, i.Parent)
	}
	return w, nil
}

func (w *waits) setParent(ref, parent board.Ref) {
	if old := w.parent[ref]; old != "" {
		w.edges[ref] = slices.DeleteFunc(w.edges[ref], func(r board.Ref) bool { return r == old })
	}
	w.parent[ref] = parent
	if parent != "" {
		w.edges[ref] = append(w.edges[ref], parent)
	}
}

// check refuses to let from wait for to: when that closes a circle, and when
// a sub-issue would wait for a parent that it is worked with.
func (w *waits) check(from, to board.Ref) error {
	seen := map[board.Ref]bool{} // parents that were put in by hand may go in a circle
	for p := w.parent[from]; p != "" && !seen[p]; p = w.parent[p] {
		if p == to {
			return fmt.Errorf("%w: %s is a sub-issue of %s and worked with it", board.ErrCycle, from, to)
		}
		seen[p] = true
	}
	return w.circle(from, to)
}

func (w *waits) circle(from, to board.Ref) error {
	path := w.path(to, from, map[board.Ref]bool{})
	if path == nil {
		return nil
	}
	names := []string{string(from)}
	for _, r := range path {
		names = append(names, string(r))
	}
	return fmt.Errorf("%w: %s", board.ErrCycle, strings.Join(names, " waits for "))
}

// path is the way from one issue to another along the edges, both included.
func (w *waits) path(from, to board.Ref, seen map[board.Ref]bool) []board.Ref {
	if from == to {
		return []board.Ref{to}
	}
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, next := range w.edges[from] {
		if rest := w.path(next, to, seen); rest != nil {
			return append([]board.Ref{from}, rest...)
		}
	}
	return nil
}

// Block makes blocker hold ref back, or no longer. The board's lock keeps two
// of them from closing a circle together.
func (b *Board) Block(ctx context.Context, by board.Actor, ref, blocker board.Ref, on bool) error {
	return b.locked(ctx, "board.lock", func() error {
		from, err := b.existing(ref)
		if err != nil {
			return fmt.Errorf("block %s: %w", ref, err)
		}
		to, err := b.canonical(blocker)
		if on && err == nil {
			to, err = b.mayBlock(ctx, from, blocker)
		}
		if err != nil {
			return fmt.Errorf("block %s: %w", ref, err)
		}
		return b.update(ctx, by, from, "block", func(c *change) error {
			if slices.Contains(c.r.Blockers, to) == on {
				return errSame
			}
			if on {
				c.r.Blockers = append(c.r.Blockers, to)
				c.did("block", "added", to)
				return nil
			}
			c.r.Blockers = slices.DeleteFunc(c.r.Blockers, func(r board.Ref) bool { return r == to })
			c.did("block", "removed", to)
			return nil
		})
	})
}

func (b *Board) mayBlock(ctx context.Context, from, blocker board.Ref) (board.Ref, error) {
	to, err := b.existing(blocker)
	if err != nil {
		return "", err
	}
	w, err := b.waits(ctx)
	if err != nil {
		return "", err
	}
	return to, w.check(from, to)
}

// checkNew holds a new issue to the same rules.
func (b *Board) checkNew(ctx context.Context, r *record) error {
	if r.Parent == "" || len(r.Blockers) == 0 {
		return nil // nothing waits for an issue that does not exist yet
	}
	w, err := b.waits(ctx)
	if err != nil {
		return err
	}
	const unborn = "the new issue"
	w.setParent(unborn, r.Parent)
	for _, blocker := range r.Blockers {
		if err := w.check(unborn, blocker); err != nil {
			return err
		}
	}
	return nil
}

// checkParent resolves the new parent of an issue and refuses circles; the
// board's lock is held.
func (b *Board) checkParent(ctx context.Context, ref board.Ref, parent *board.Ref) error {
	if *parent == "" {
		return nil
	}
	child, err := b.existing(ref)
	if err != nil {
		return err
	}
	if *parent, err = b.existing(*parent); err != nil {
		return err
	}
	w, err := b.waits(ctx)
	if err != nil {
		return err
	}
	blockers := w.edges[child]
	if err := w.circle(child, *parent); err != nil {
		return err
	}
	w.setParent(child, *parent)
	for _, blocker := range blockers {
		if blocker == *parent {
			return fmt.Errorf("%w: %s waits for %s, which would become its parent", board.ErrCycle, child, blocker)
		}
	}
	return nil
}
