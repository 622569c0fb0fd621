package app

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
)

// PullNamed is the local pull request of a number or name (`3`, `#3`).
func (f *Factory) PullNamed(ctx context.Context, name string) (board.PullRequest, error) {
	store, err := f.Pulls(ctx)
	if err != nil {
		return board.PullRequest{}, err
	}
	return store.Get(ctx, name)
}
