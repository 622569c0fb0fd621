package linear

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// sessionName is what a session may be called: it ends up in comments and on
// command lines.
var sessionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })

// How often the comments are read again after a claim while ours is not among
// them, and after which pauses.
var readBack = []time.Duration{0, 150 * time.Millisecond, 600 * time.Millisecond}

// Claim takes a row or renews a claim on it. Of several sessions that take a
// row at once one wins: the earliest by Linear's clock among the fresh claims;
// the others take theirs back and get ErrClaimConflict.
func (b *Board) Claim(ctx context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	c, err := b.claim(ctx, by, ref, req)
	if err != nil {
		return board.Claim{}, fmt.Errorf("claim %s: %w", ref, err)
	}
	c.Run = req.Run // the text form has none
	return c, nil
}

func (b *Board) claim(ctx context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	if !sessionName().MatchString(req.Session) {
		return board.Claim{}, fmt.Errorf("%w: %q cannot name a session", board.ErrForbidden, board.OneLine(req.Session))
	}
	r, s, err := b.one(ctx, ref)
	if err != nil {
		return board.Claim{}, err
	}
	h, held := b.standing(r.comments)
	switch {
	case req.Renew && !held:
		return board.Claim{}, fmt.Errorf("%w: session %s no longer holds it", board.ErrClaimConflict, req.Session)
	case req.Renew && h.claim.Session != req.Session:
		// A claim of ours that lost the row is taken back.
		return board.Claim{}, conflict(h, b.withdraw(ctx, r, req.Session))
	case req.Renew:
		return b.restamp(ctx, r, h)
	}
	i := b.issue(r, s)
	if err := board.MayClaim(by, &i); err != nil {
		return board.Claim{}, err
	}
	if held && h.claim.Session == req.Session && h.claim.Kind == req.Kind {
		if err := b.delegate(ctx, r, board.DelegateOf(req.Kind)); err != nil { // it may be gone
			return board.Claim{}, err
		}
		return b.restamp(ctx, r, h)
	}
	if held && !req.Steal && h.claim.Session != req.Session && h.fresh(b.now(), b.o.StaleWindow) {
		return board.Claim{}, conflict(h, nil)
	}
	return b.take(ctx, r, req, h, held)
}

func conflict(h held, also error) error {
	err := fmt.Errorf("%w: session %s holds it", board.ErrClaimConflict, h.claim.Session)
	if h.foreign() {
		err = fmt.Errorf("%w under the account %s", err, h.claim.Account)
	}
	if also != nil {
		return fmt.Errorf("%w (and the own claim could not be taken back: %w)", err, also)
	}
	return err
}

// restamp moves the stamp of a claim that was just read to be ours. Within the
// same minute there is nothing to write.
func (b *Board) restamp(ctx context.Context, r *row, h held) (board.Claim, error) {
	c := h.claim
	c.Stamp = b.minute()
	if c.Text() == h.comment.Body {
		return c, nil
	}
	return c, b.reword(ctx, r.ID, h.comment.ID, c.Text())
}

// minute is the stamp's precision.
func (b *Board) minute() time.Time { return b.now().Truncate(time.Minute) }

// take makes a new claim: the delegate first, then the comment, then the look
// whose claim stands.
func (b *Board) take(ctx context.Context, r *row, req board.ClaimRequest, h held, isHeld bool) (board.Claim, error) {
	if err := b.delegate(ctx, r, board.DelegateOf(req.Kind)); err != nil {
		return board.Claim{}, err
	}
	c := board.Claim{Kind: req.Kind, Session: req.Session, Stamp: b.minute(), From: req.From}
	if isHeld && !h.foreign() && (req.Steal || h.claim.Session == req.Session) {
		// Our account's claim passes to another session in place.
		if err := b.reword(ctx, r.ID, h.comment.ID, c.Text()); err != nil {
			return board.Claim{}, err
		}
		if err := b.passed(ctx, r, h, c.Session); err != nil {
			return board.Claim{}, err
		}
		return c, b.clear(ctx, r, func(o held) bool { return o.comment.ID != h.comment.ID })
	}
	made, err := b.say(ctx, r.ID, c.Text())
	if err != nil {
		return board.Claim{}, err
	}
	others, err := b.settle(ctx, r, made)
	if err != nil {
		return board.Claim{}, err
	}
	if req.Steal {
		others = slices.DeleteFunc(others, func(h held) bool { return !h.foreign() }) // those can be cleared away
	}
	if len(others) > 0 {
		return board.Claim{}, conflict(others[0], b.unsay(ctx, r.ID, made.ID))
	}
	// The claim stands. What is left of others is stale; a failure to clear it
	// away loses nothing.
	_ = b.clear(ctx, r, func(o held) bool { return o.comment.ID != made.ID && (req.Steal || !o.fresh(b.now(), b.o.StaleWindow)) })
	return c, nil
}

// settle reads the comments back and answers the fresh claims that came before
// ours. A read that does not show ours is older than it and proves nothing; it
// is made again. When ours never shows, the answer to its own write counts.
func (b *Board) settle(ctx context.Context, r *row, made commentWire) ([]held, error) {
	for _, wait := range readBack {
		if err := b.o.Pause(ctx, wait); err != nil {
			return nil, err
		}
		list, err := b.thread(ctx, r.ID)
		if err != nil {
			// Ours stands there whatever the reason; the next read will tell.
			return nil, fmt.Errorf("%w: the claim is written, but not whose claim stands: %w", board.ErrUnknownOutcome, err)
		}
		r.comments = list
		if !slices.ContainsFunc(list, func(c commentWire) bool { return c.ID == made.ID }) {
			continue
		}
		var before []held
		for _, h := range claimsOf(list) {
			if h.comment.ID == made.ID {
				break
			}
			if h.fresh(b.now(), b.o.StaleWindow) {
				before = append(before, h)
			}
		}
		return before, nil
	}
	return nil, nil
}

// passed reads the comments back after a claim was reworded for a session: of
// two that take the same one over the last writer has it. A read that shows the
// claim as it was is older than ours and is made again; when only such are had,
// the answer to our own write counts, and the next stamp finds out.
func (b *Board) passed(ctx context.Context, r *row, old held, session string) error {
	for _, wait := range readBack {
		if err := b.o.Pause(ctx, wait); err != nil {
			return err
		}
		list, err := b.thread(ctx, r.ID)
		if err != nil {
			return fmt.Errorf("%w: the claim is written, but not whose claim stands: %w", board.ErrUnknownOutcome, err)
		}
		r.comments = list
		all := claimsOf(list)
		at := slices.IndexFunc(all, func(h held) bool { return h.comment.ID == old.comment.ID })
		switch {
		case at < 0:
			return fmt.Errorf("%w: its claim was taken away meanwhile", board.ErrClaimConflict)
		case all[at].claim.Session == session:
			return nil
		case all[at].claim.Session != old.claim.Session:
			return conflict(all[at], nil)
		}
	}
	return nil
}

// delegate hands the row to an agent. The answer shows it in `delegate`, not in
// `assignee`.
func (b *Board) delegate(ctx context.Context, r *row, to board.Delegate) error {
	id := b.agent(to)
	if r.Delegate != nil && r.Delegate.ID == id {
		return nil
	}
	_, err := b.update(ctx, r, IssueUpdateInput{"delegateId": id}, func(r *row) bool { return r.Delegate != nil && r.Delegate.ID == id })
	if err != nil {
		return fmt.Errorf("delegate it to the %s agent: %w", to, err)
	}
	return nil
}
