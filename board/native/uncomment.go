package native

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
)

var _ board.Uncommenter = (*Board)(nil)

// Uncomment takes the last comment off again.
func (b *Board) Uncomment(ctx context.Context, by board.Actor, ref board.Ref, id string) error {
	return b.update(ctx, by, ref, "uncomment", func(c *change) error {
		n := len(c.r.Comments) - 1
		if n < 0 || c.r.Comments[n].ID != id {
			return errSame
		}
		c.r.Comments = c.r.Comments[:n]
		c.did("uncomment", "id", id)
		return nil
	})
}
