package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Claim takes a row or renews a claim on it.
func (b *Board) Claim(_ context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	if !b.Fenced {
		return b.claimAdvisory(by, ref, req)
	}
	var out board.Claim
	err := b.Write(by, ref, "claim", func(i *board.Issue) error {
		if err := b.Refuse[i.Ref]; err != nil {
			return err
		}
		held := i.Claim
		mine := held != nil && held.Session == req.Session && (req.Run == "" || held.Run == req.Run)
		switch {
		case req.Renew && !mine:
			return board.ErrClaimConflict
		case !mine:
			if err := b.free(by, i, req); err != nil {
				return err
			}
			i.Epoch++
			i.Delegate, i.LastRun = board.DelegateOf(req.Kind), req.Run
			held = &board.Claim{Kind: req.Kind, Session: req.Session, Run: req.Run, Epoch: i.Epoch, From: req.From}
		}
		next := *held
		next.Stamp, next.LeaseUntil = b.Now(), b.Now().Add(Lease)
		if req.PID != 0 || !mine {
			next.Host, next.Boot, next.PID, next.PIDStart = req.Host, req.Boot, req.PID, req.PIDStart
		}
		i.Claim, out = &next, next
		return nil
	})
	if err == nil && b.doubts(ref) {
		return out, fmt.Errorf("claim %s: %w", ref, board.ErrUnknownOutcome)
	}
	return out, err
}

// doubts says whether a claim that was taken is answered as unknown, once.
func (b *Board) doubts(ref board.Ref) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	doubted := b.Unsure[ref]
	delete(b.Unsure, ref)
	return doubted
}

// free says whether a row may be claimed anew: never while the claim's process
// lives, and within its Lease only by who steals.
func (b *Board) free(by board.Actor, i *board.Issue, req board.ClaimRequest) error {
	if req.Session == "" || strings.ContainsAny(req.Session, "`\n ") {
		return fmt.Errorf("%w: no session", board.ErrForbidden)
	}
	if err := board.MayClaim(by, i); err != nil {
		return err
	}
	held := i.Claim
	switch {
	case held == nil, held.Session == req.Session:
		return nil
	case b.Alive != nil && b.Alive(*held):
		return fmt.Errorf("%w: its worker runs here", board.ErrClaimConflict)
	case !req.Steal && !b.Now().After(held.LeaseUntil):
		return fmt.Errorf("%w: held until %s", board.ErrClaimConflict, held.LeaseUntil)
	}
	return nil
}

// stand makes the earliest fresh entry the claim of a row, else the newest.
func (b *Board) stand(i *board.Issue) {
	list := b.entries[i.Ref]
	i.Claim = nil
	if len(list) == 0 {
		return
	}
	c := list[len(list)-1]
	for _, e := range list {
		if !e.Stale(b.Now(), StaleWindow) {
			c = e
			break
		}
	}
	i.Claim = &c
}

// withdraw takes one session's entry off a row.
func (b *Board) withdraw(i *board.Issue, session string) {
	if b.Fenced {
		return
	}
	b.entries[i.Ref] = slices.DeleteFunc(b.entries[i.Ref], func(c board.Claim) bool { return c.Session == session })
	b.stand(i)
}

// claimAdvisory writes an entry, reads back, and gives way to an earlier fresh
// one (design.md, section 6, Linear).
func (b *Board) claimAdvisory(by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	var out board.Claim
	mine := func(c board.Claim) bool { return c.Session == req.Session }
	err := b.Write(by, ref, "claim", func(i *board.Issue) error {
		if b.entries == nil {
			b.entries = map[board.Ref][]board.Claim{}
		}
		list := b.entries[i.Ref]
		at := slices.IndexFunc(list, mine)
		switch {
		case req.Renew && (at < 0 || i.Claim == nil || i.Claim.Session != req.Session):
			return board.ErrClaimConflict
		case at < 0:
			if err := b.freeAdvisory(by, i, req); err != nil {
				return err
			}
			i.Delegate = board.DelegateOf(req.Kind)
			list = append(slices.Clone(list), board.Claim{Kind: req.Kind, Session: req.Session, From: req.From})
			at = len(list) - 1
		default:
			list = slices.Clone(list)
		}
		list[at].Stamp = b.Now()
		b.entries[i.Ref], out = list, list[at]
		b.stand(i)
		return nil
	})
	if err != nil || req.Renew {
		return out, err
	}
	if b.Between != nil {
		b.Between()
	}
	return out, b.Write(by, ref, "confirm", func(i *board.Issue) error {
		if req.Steal {
			b.entries[i.Ref] = slices.DeleteFunc(slices.Clone(b.entries[i.Ref]), func(c board.Claim) bool { return !mine(c) })
		}
		b.entries[i.Ref] = slices.DeleteFunc(slices.Clone(b.entries[i.Ref]), func(c board.Claim) bool {
			return !mine(c) && c.Stale(b.Now(), StaleWindow)
		})
		b.stand(i)
		if i.Claim == nil || !mine(*i.Claim) {
			b.withdraw(i, req.Session)
			return board.ErrClaimConflict
		}
		return nil
	})
}

func (b *Board) freeAdvisory(by board.Actor, i *board.Issue, req board.ClaimRequest) error {
	if req.Session == "" || strings.ContainsAny(req.Session, "`\n ") {
		return fmt.Errorf("%w: no session", board.ErrForbidden)
	}
	if err := board.MayClaim(by, i); err != nil {
		return err
	}
	if i.Claim != nil && !req.Steal && !i.Claim.Stale(b.Now(), StaleWindow) {
		return board.ErrClaimConflict
	}
	return nil
}

// Assign moves the phase and takes claims away.
func (b *Board) Assign(_ context.Context, by board.Actor, ref board.Ref, to board.Delegate) error {
	var left error
	err := b.Write(by, ref, "assign", func(i *board.Issue) error {
		if i.Delegate == to && i.Claim == nil {
			return errSame
		}
		var err error
		if left, err = b.theirs(i); err != nil {
			return err
		}
		i.Delegate = to
		if left == nil {
			b.Unclaim(i)
		}
		return nil
	})
	return cmp.Or(err, left)
}

// Release takes a session's claim away, and with none named whoever's.
func (b *Board) Release(_ context.Context, by board.Actor, ref board.Ref, session string) error {
	var left error
	err := b.Write(by, ref, "release", func(i *board.Issue) error {
		switch {
		case session != "" && i.Claim != nil && i.Claim.Session != session:
			b.withdraw(i, session)
			return errSame
		case i.Claim == nil && i.Delegate == board.DelegateNone && i.Assignee == "":
			return errSame
		}
		var err error
		if left, err = b.theirs(i); err != nil {
			return err
		}
		i.Delegate, i.Assignee = board.DelegateNone, ""
		if left == nil {
			b.Unclaim(i)
		}
		return nil
	})
	return cmp.Or(err, left)
}

// theirs refuses to take a row from under another account's fresh claim, and
// answers what to tell of a stale one that is left (board.Claimer).
func (b *Board) theirs(i *board.Issue) (left, refused error) {
	switch {
	case i.Claim == nil || i.Claim.Account == "":
		return nil, nil
	case !i.Claim.Stale(b.Now(), StaleWindow):
		return nil, fmt.Errorf("%w: %w", board.ErrClaimConflict, board.ErrOtherAccount)
	}
	return fmt.Errorf("%s: %w", i.Ref, board.ErrOtherAccount), nil
}
