package native

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
)

// Place moves a row in the board's order. Only the row's own file changes.
func (b *Board) Place(ctx context.Context, by board.Actor, ref board.Ref, p board.Place) error {
	return b.locked(ctx, "board.lock", func() error {
		rank, err := b.rankFor(ctx, ref, p)
		if err != nil {
			return fmt.Errorf("place %s: %w", ref, err)
		}
		return b.update(ctx, by, ref, "place", func(c *change) error {
			if c.r.Rank == rank {
				return errSame
			}
			c.r.Rank = rank
			c.did("place", "rank", rank)
			return nil
		})
	})
}

// rankFor is a rank between the neighbours that the row is to have.
func (b *Board) rankFor(ctx context.Context, ref board.Ref, p board.Place) (string, error) {
	moving, err := b.existing(ref)
	if err != nil {
		return "", err
	}
	ranks, err := b.ranks(ctx, moving)
	if err != nil {
		return "", err
	}
	at := 0 // index that the row is to get among the others
	if !p.Top {
		at, err = b.placeAt(ranks, moving, p)
		if err != nil {
			return "", err
		}
	}
	low, high := "", ""
	if at > 0 {
		low = ranks[at-1].rank
	}
	// Rows that share a rank are passed as one.
	for ; at < len(ranks) && high <= low; at++ {
		high = ranks[at].rank
	}
	if high <= low {
		high = b.endRank(low)
	}
	rank, ok := rankBetween(low, high)
	if !ok {
		return "", fmt.Errorf("%w: the ranks %q and %q of its neighbours leave no room; they were changed by hand", board.ErrUnreadable, low, high)
	}
	return rank, nil
}

// endRank bounds the end of the board: the next new issue comes after it.
func (b *Board) endRank(low string) string {
	m, err := b.readMeta()
	if end := rankOf(max(m.Next, 1)); err == nil && low < end {
		return end
	}
	return ""
}

func (b *Board) placeAt(ranks []ranked, moving board.Ref, p board.Place) (int, error) {
	beside, after := p.Before, false
	if beside == "" {
		beside, after = p.After, true
	}
	beside, err := b.existing(beside)
	if err != nil {
		return 0, err
	}
	if beside == moving {
		return 0, fmt.Errorf("%w: a row is placed beside another", board.ErrForbidden)
	}
	for n, r := range ranks {
		if r.ref == beside && after {
			return n + 1, nil
		}
		if r.ref == beside {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: %s", board.ErrUnreadable, beside)
}

// ranked is a row of the board's order.
type ranked struct {
	ref  board.Ref
	rank string
}

// ranks is the board's order without one row, and without rows that cannot be
// read.
func (b *Board) ranks(ctx context.Context, without board.Ref) ([]ranked, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx); err != nil {
		return nil, err
	}
	var out []ranked
	for n := range b.index.rows {
		ref := b.index.rows[n].Ref
		if e := b.index.byRef[ref]; ref != without && e.rec != nil {
			out = append(out, ranked{ref: ref, rank: e.rec.Rank})
		}
	}
	return out, nil
}
