package boardtest

import (
	"errors"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// otherAccount: a claim that only another account can delete is left standing,
// and the caller is told. While it is fresh nothing is written (board.Claimer).
func otherAccount(b *bundle) {
	if b.ClaimAs == nil {
		b.t.Skip("every claim can be taken back on this board")
	}
	assign := func(ref board.Ref) error { return b.loop.Assign(b.ctx(), ref, board.DelegateReviewer) }
	release := func(ref board.Ref) error { return b.loop.Release(b.ctx(), ref, "") }
	for _, c := range []struct {
		what     string
		old      time.Duration
		do       func(board.Ref) error
		delegate board.Delegate // in the end
	}{
		{"assigned under a fresh one", time.Minute, assign, board.DelegateDeveloper},
		{"assigned under a stale one", 2 * time.Hour, assign, board.DelegateReviewer},
		{"released under a fresh one", time.Minute, release, board.DelegateDeveloper},
		{"released under a stale one", 2 * time.Hour, release, board.DelegateNone},
	} {
		ref := b.seed(c.what, board.RoleHumanReview)
		b.ok(b.owner.Assign(b.ctx(), ref, board.DelegateDeveloper))
		b.ClaimAs(b.t, ref, "theirs", c.old)
		err := c.do(ref)
		fresh := c.old < time.Hour
		if !errors.Is(err, board.ErrOtherAccount) || errors.Is(err, board.ErrClaimConflict) != fresh {
			b.t.Errorf("%s: error %v", c.what, err)
		}
		if i := b.issue(ref); i.Claim == nil || i.Claim.Session != "theirs" || i.Claim.Account == "" || i.Delegate != c.delegate {
			b.t.Errorf("%s: delegate %q, claim %+v", c.what, i.Delegate, i.Claim)
		}
	}
}
