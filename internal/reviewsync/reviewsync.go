// Package reviewsync sends a row back to Changes Requested when its owner asks
// for changes on the pull request (dispatcher-system.md, Review sync).
//
// It promises to touch only rows that wait for that answer, and to release
// them after the move; where another account's claim keeps it from that, it says
// so. It never reads a forge and never decides whether a review asks for changes.
package reviewsync

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
)

// Board is what a row is sent back on, under the actor automation.
type Board interface {
	Row(ctx context.Context, ref board.Ref) (board.Issue, error)
	SetStateFrom(ctx context.Context, ref board.Ref, role, from board.Role) error
	Release(ctx context.Context, ref board.Ref, session string) error
}

// Applies says whether a request for changes sends the row back: it is in
// Human Review, or under review.
func Applies(i *board.Issue) bool {
	if i.Closed || i.Unreadable != "" {
		return false
	}
	return i.Role == board.RoleHumanReview || i.Role == board.RoleInProgress && i.Delegate == board.DelegateReviewer
}

// Result is what became of one row.
type Result struct {
	Ref  board.Ref
	Sent bool // false: it was left where it is
	// Left says why it was moved and not let go: the claim of another account
	// stands, and only that one can take it back. Empty where nothing is left.
	Left string
}

// SendBack moves the rows that Applies to, each from the role it was read in,
// and releases them. One row's failure does not keep the others.
func SendBack(ctx context.Context, b Board, rows []board.Issue) ([]Result, error) {
	results := make([]Result, 0, len(rows))
	var errs []error
	for i := range rows {
		row := &rows[i]
		r := Result{Ref: row.Ref}
		if Applies(row) {
			var err error
			if r.Left, err = sendBack(ctx, b, row); err != nil {
				errs = append(errs, fmt.Errorf("send %s back: %w", row.Ref, err))
				continue
			}
			r.Sent = true
		}
		results = append(results, r)
	}
	return results, errors.Join(errs...)
}

func sendBack(ctx context.Context, b Board, row *board.Issue) (left string, err error) {
	err = b.SetStateFrom(ctx, row.Ref, board.RoleChangesRequested, row.Role)
	if errors.Is(err, board.ErrChanged) {
		// Two are told of one request: the owner's own command and the workflow.
		// The other was first, and releases the row.
		if now, readErr := b.Row(ctx, row.Ref); readErr == nil && now.Role == board.RoleChangesRequested {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	return board.ClaimLeft(b.Release(ctx, row.Ref, ""))
}
