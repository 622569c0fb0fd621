package native

import (
	"context"
	"fmt"
	"regexp"
	"sync"

	"github.com/backside4charter/dispatcher/board"
)

// sessionName is what a session or run may be called: it ends up in paths,
// in comments and on command lines.
var sessionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })

// Claim takes a row or renews a claim on it. Exactly one of several claimers
// wins; the others get ErrClaimConflict.
func (b *Board) Claim(ctx context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	var standing board.Claim
	err := b.update(ctx, by, ref, "claim", func(c *change) error {
		if !sessionName().MatchString(req.Session) {
			return fmt.Errorf("%w: %q cannot name a session", board.ErrForbidden, req.Session)
		}
		take := b.take
		if req.Renew || sameRun(c.r.Claim, req) {
			take = b.renew
		}
		if err := take(c, req); err != nil {
			return err
		}
		standing, c.claim = *c.r.Claim, true
		return nil
	})
	return standing, err
}

// sameRun says whether the request comes from the run that holds the claim:
// such a run re-stamps, it starts nothing.
func sameRun(held *board.Claim, req board.ClaimRequest) bool {
	return held != nil && held.Session == req.Session && held.Kind == req.Kind && held.Run == req.Run
}

// renew moves the stamp and the lease. It raises no epoch and logs nothing.
func (b *Board) renew(c *change, req board.ClaimRequest) error {
	held := c.r.Claim
	switch {
	case held == nil:
		return fmt.Errorf("%w: session %s no longer holds it", board.ErrClaimConflict, req.Session)
	case held.Session != req.Session || req.Run != "" && held.Run != req.Run:
		return fmt.Errorf("%w: session %s holds it", board.ErrClaimConflict, held.Session)
	}
	renewed := *held
	b.stamp(&renewed, req)
	c.r.Claim = &renewed
	return nil
}

func (b *Board) stamp(c *board.Claim, req board.ClaimRequest) {
	c.Stamp = b.now()
	c.LeaseUntil = c.Stamp.Add(lease)
	if req.PID != 0 {
		c.Host, c.Boot, c.PID, c.PIDStart = req.Host, req.Boot, req.PID, req.PIDStart
	}
}

// take makes a new claim: delegate, claim and the next epoch in one write.
func (b *Board) take(c *change, req board.ClaimRequest) error {
	i := c.r.issue(c.m)
	if err := board.MayClaim(c.by, &i); err != nil {
		return err
	}
	if err := b.free(c.r.Claim, req); err != nil {
		return err
	}
	c.r.Epoch++
	c.r.Delegate = board.DelegateOf(req.Kind)
	c.r.LastRun = req.Run
	claim := board.Claim{
		Kind: req.Kind, Session: req.Session, From: req.From, Run: req.Run, Epoch: c.r.Epoch,
		Host: req.Host, Boot: req.Boot, PID: req.PID, PIDStart: req.PIDStart,
	}
	b.stamp(&claim, req)
	c.r.Claim = &claim
	c.did("claim", "kind", req.Kind, "session", req.Session, "epoch", c.r.Epoch)
	return nil
}

// free says whether a standing claim may be replaced: never while its process
// lives on this host, and within its lease only by who says that it steals.
func (b *Board) free(held *board.Claim, req board.ClaimRequest) error {
	switch {
	case held == nil:
		return nil
	case b.livesHere(held) && held.Session != req.Session:
		return fmt.Errorf("%w: session %s holds it and its worker runs here (process %d)", board.ErrClaimConflict, held.Session, held.PID)
	case held.Session == req.Session || req.Steal:
		return nil
	case !b.now().After(held.LeaseUntil):
		return fmt.Errorf("%w: session %s holds it until %s", board.ErrClaimConflict, held.Session, held.LeaseUntil.Format("15:04:05Z"))
	}
	return nil
}

func (b *Board) livesHere(c *board.Claim) bool {
	return c.PID != 0 && c.Host != "" && c.Host == b.opts.Host && c.Boot == b.opts.Boot &&
		b.opts.Alive != nil && b.opts.Alive(c.PID, c.PIDStart)
}

// Assign moves the delegate and deletes the claim.
func (b *Board) Assign(ctx context.Context, by board.Actor, ref board.Ref, to board.Delegate) error {
	return b.update(ctx, by, ref, "assign", func(c *change) error {
		if c.r.Delegate == to && c.r.Claim == nil {
			return errSame
		}
		c.r.Delegate, c.r.Claim = to, nil
		c.did("assign", "to", to)
		return nil
	})
}

// Release deletes the claim and clears delegate and assignee; the epoch stays.
// With a session, another session's claim is left alone.
func (b *Board) Release(ctx context.Context, by board.Actor, ref board.Ref, session string) error {
	return b.update(ctx, by, ref, "release", func(c *change) error {
		switch {
		case session != "" && c.r.Claim != nil && c.r.Claim.Session != session:
			return errSame
		case c.r.Claim == nil && c.r.Delegate == board.DelegateNone && c.r.Assignee == "":
			return errSame
		}
		c.r.Claim, c.r.Delegate, c.r.Assignee = nil, board.DelegateNone, ""
		c.did("release", "session", session)
		return nil
	})
}
