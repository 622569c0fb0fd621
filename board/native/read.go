package native

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// rows is the whole board in order, up to date. It is the index's own and not
// to be changed.
func (b *Board) rows(ctx context.Context) ([]board.Issue, meta, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx); err != nil {
		return nil, meta{}, err
	}
	return b.index.rows, b.index.meta, nil
}

// Poll answers the rows that q asks for. A row that cannot be read is in every
// answer, whatever the milestones. The issues share their lists with later
// polls: read those, do not change them.
func (b *Board) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	rows, m, err := b.rows(ctx)
	if err != nil {
		return nil, fmt.Errorf("poll the board: %w", err)
	}
	wanted := func(string) bool { return true }
	if !q.AllMilestones {
		if wanted, err = wantedMilestones(rows, &m, q.Milestones); err != nil {
			return nil, fmt.Errorf("poll the board: %w", err)
		}
	}
	out := make([]board.Issue, 0, len(rows))
	for n := range rows {
		i := &rows[n]
		if i.Unreadable != "" || (q.Closed || !i.Closed) && wanted(i.Milestone) {
			out = append(out, *i)
		}
	}
	return out, nil
}

// wantedMilestones resolves names in any case; a name that the board does not
// know is an error, never an empty answer.
func wantedMilestones(rows []board.Issue, m *meta, asked []string) (func(string) bool, error) {
	known := milestoneNames(rows, m)
	wanted := map[string]bool{}
	for _, name := range asked {
		if name == board.NoMilestone {
			wanted[""] = true
			continue
		}
		n := slices.Index(known, name)
		if n < 0 {
			n = slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		}
		if n < 0 {
			return nil, fmt.Errorf("%w: no milestone %q; the board has %s", board.ErrNotFound, name, listOf(append(known, board.NoMilestone)))
		}
		wanted[known[n]] = true
	}
	return func(s string) bool { return wanted[s] }, nil
}

// milestoneNames are the board's milestones in its order, then those that only
// issues name.
func milestoneNames(rows []board.Issue, m *meta) []string {
	names := slices.Clone(m.Milestones)
	seen := map[string]bool{"": true}
	for _, n := range names {
		seen[n] = true
	}
	var more []string
	for n := range rows {
		if name := rows[n].Milestone; !seen[name] {
			seen[name] = true
			more = append(more, name)
		}
	}
	slices.Sort(more)
	return append(names, more...)
}

// Milestones lists the milestones in the board's order with how many open
// issues each has, NoMilestone last.
func (b *Board) Milestones(ctx context.Context) ([]board.Milestone, error) {
	rows, m, err := b.rows(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the milestones: %w", err)
	}
	open := map[string]int{}
	for n := range rows {
		if !rows[n].Closed && rows[n].Unreadable == "" {
			open[rows[n].Milestone]++
		}
	}
	var out []board.Milestone
	for _, name := range milestoneNames(rows, &m) {
		out = append(out, board.Milestone{Name: name, Open: open[name]})
	}
	return append(out, board.Milestone{Name: board.NoMilestone, Open: open[""]}), nil
}

// Issue answers one row, whole.
func (b *Board) Issue(ctx context.Context, ref board.Ref) (board.Issue, error) {
	canonical, err := b.canonical(ref)
	if err != nil {
		return board.Issue{}, err
	}
	rows, _, err := b.rows(ctx)
	if err != nil {
		return board.Issue{}, fmt.Errorf("read %s: %w", canonical, err)
	}
	for n := range rows {
		if rows[n].Ref == canonical {
			return rows[n], nil
		}
	}
	return board.Issue{}, fmt.Errorf("%w: there is no issue %s", board.ErrNotFound, canonical)
}

// Row answers one row without what other rows add to it, its children and
// which blockers are open, and so without reading any other.
func (b *Board) Row(_ context.Context, ref board.Ref) (board.Issue, error) {
	canonical, err := b.canonical(ref)
	if err != nil {
		return board.Issue{}, err
	}
	m, err := b.readMeta()
	if err != nil {
		return board.Issue{}, fmt.Errorf("read %s: %w", canonical, err)
	}
	r, err := b.readRecord(canonical)
	if err != nil {
		return board.Issue{}, err
	}
	return r.issue(&m), nil
}
