package linear

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
)

// clear deletes the claims that are chosen. Another account's comments are its
// own to delete.
func (b *Board) clear(ctx context.Context, r *row, which func(held) bool) error {
	for _, h := range claimsOf(r.comments) {
		if !which(h) || h.foreign() {
			continue
		}
		if err := b.unsay(ctx, r.ID, h.comment.ID); err != nil {
			return fmt.Errorf("delete the claim of session %s: %w", h.claim.Session, err)
		}
	}
	return nil
}

// withdraw deletes the claims of one session.
func (b *Board) withdraw(ctx context.Context, r *row, session string) error {
	return b.clear(ctx, r, func(h held) bool { return h.claim.Session == session })
}

// Assign moves the delegate and deletes the claim.
func (b *Board) Assign(ctx context.Context, _ board.Actor, ref board.Ref, to board.Delegate) error {
	r, _, err := b.one(ctx, ref)
	if err == nil {
		err = b.assign(ctx, r, to)
	}
	if err != nil {
		return fmt.Errorf("assign %s: %w", ref, err)
	}
	return nil
}

func (b *Board) assign(ctx context.Context, r *row, to board.Delegate) error {
	h, isHeld := b.standing(r.comments)
	if err := b.free(h, isHeld); err != nil {
		return err
	}
	if err := b.delegate(ctx, r, to); err != nil {
		return err
	}
	if err := b.clear(ctx, r, func(held) bool { return true }); err != nil {
		return err
	}
	return stays(h, isHeld, fmt.Sprintf("it is assigned to %s", to))
}

// free refuses to take a row from under another account's fresh claim.
func (b *Board) free(h held, isHeld bool) error {
	if isHeld && h.foreign() && h.fresh(b.now(), b.o.StaleWindow) {
		return fmt.Errorf("%w: %w", board.ErrClaimConflict, theirs(h))
	}
	return nil
}

// stays tells of a stale claim of another account that is left standing after
// everything else was done.
func stays(h held, isHeld bool, done string) error {
	if isHeld && h.foreign() {
		return fmt.Errorf("%s, but %w", done, theirs(h))
	}
	return nil
}

func theirs(h held) error {
	return fmt.Errorf("the claim of session %s stands under the account %s, who alone can delete it: %w", h.claim.Session, h.claim.Account, board.ErrOtherAccount)
}

// Release clears delegate and assignee with explicit nulls in one write, and
// then deletes the claim: until that is done the row stays protected. With a
// session, another session's claim is left alone.
func (b *Board) Release(ctx context.Context, _ board.Actor, ref board.Ref, session string) error {
	r, _, err := b.one(ctx, ref)
	if err == nil {
		err = b.release(ctx, r, session)
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", ref, err)
	}
	return nil
}

func (b *Board) release(ctx context.Context, r *row, session string) error {
	h, isHeld := b.standing(r.comments)
	if session != "" && isHeld && h.claim.Session != session {
		return b.withdraw(ctx, r, session)
	}
	if err := b.free(h, isHeld); err != nil {
		return err
	}
	if r.Delegate != nil || r.Assignee != nil {
		_, err := b.update(ctx, r, IssueUpdateInput{"delegateId": nil, "assigneeId": nil}, func(r *row) bool { return r.Delegate == nil && r.Assignee == nil })
		if err != nil {
			return err
		}
	}
	if err := b.clear(ctx, r, func(held) bool { return true }); err != nil {
		return err
	}
	return stays(h, isHeld, "delegate and assignee are cleared")
}
