package boardtest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

func claims(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	first := b.dev(ref, "s1")
	i := b.issue(ref)
	if i.Delegate != board.DelegateDeveloper || i.Claim == nil || i.Claim.Session != "s1" || i.Claim.Kind != board.KindDeveloper {
		b.t.Fatalf("after the claim: delegate %q, claim %+v", i.Delegate, i.Claim)
	}
	if i.HumanOwned() {
		b.t.Fatal("a claimed row counts as a person's")
	}
	b.Advance(10 * time.Minute)
	req := request("s1")
	req.Renew = true
	renewed, err := b.loop.Claim(b.ctx(), ref, req)
	b.ok(err)
	if !renewed.Stamp.After(first.Stamp) || renewed.Epoch != first.Epoch {
		b.t.Fatalf("renewed %+v from %+v", renewed, first)
	}
	again, err := b.loop.Claim(b.ctx(), ref, request("s1")) // re-claiming re-stamps
	b.ok(err)
	if again.Epoch != first.Epoch {
		b.t.Fatal("the session's own claim is a new one")
	}
	b.ok(b.loop.Release(b.ctx(), ref, "s1"))
	b.ok(b.loop.Release(b.ctx(), ref, "s1"))
	i = b.issue(ref)
	if i.Claim != nil || i.Delegate != board.DelegateNone || i.Assignee != "" {
		b.t.Fatalf("after the release: %+v", i)
	}
	_, err = b.loop.Claim(b.ctx(), ref, req)
	b.is(err, board.ErrClaimConflict)
	if next := b.dev(ref, "s2"); b.Fenced && next.Epoch <= first.Epoch {
		b.t.Fatalf("a new claim has epoch %d after %d", next.Epoch, first.Epoch)
	}
}

func claimConflicts(b *bundle) {
	if !b.Fenced {
		b.t.Skip("claims are advisory on this board")
	}
	ref := b.seed("one", board.RoleReady)
	first := b.dev(ref, "s1")
	_, err := b.loop.Claim(b.ctx(), ref, request("s2"))
	b.is(err, board.ErrClaimConflict)
	steal := request("s2")
	steal.Steal = true
	taken, err := b.loop.Claim(b.ctx(), ref, steal)
	b.ok(err)
	if taken.Epoch <= first.Epoch {
		b.t.Fatalf("stolen with epoch %d after %d", taken.Epoch, first.Epoch)
	}
	renew := request("s1")
	renew.Renew = true
	_, err = b.loop.Claim(b.ctx(), ref, renew)
	b.is(err, board.ErrClaimConflict)
	b.Advance(Lease)
	third := b.dev(ref, "s3") // the lease ran out
	if third.Epoch <= taken.Epoch {
		b.t.Fatalf("taken over with epoch %d after %d", third.Epoch, taken.Epoch)
	}
	_, err = b.loop.Claim(b.ctx(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: "no session `x`", Steal: true})
	b.is(err, board.ErrForbidden)
}

func foreign(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	b.SetDelegate(b.t, ref, "somebody-else")
	for _, p := range []*board.Policy{b.owner, b.loop} {
		_, err := p.Claim(b.ctx(), ref, request("s1"))
		b.is(err, board.ErrForbidden)
		b.is(p.Assign(b.ctx(), ref, board.DelegateReviewer), board.ErrForbidden)
		b.is(p.Release(b.ctx(), ref, ""), board.ErrForbidden)
	}
	if i := b.issue(ref); i.Delegate != "somebody-else" || i.Claim != nil {
		b.t.Fatalf("the row was touched: %+v", i)
	}
	for _, role := range []board.Role{board.RoleBacklog, board.RoleQuestion} {
		_, err := b.loop.Claim(b.ctx(), b.seed("owner's", role), request("s1"))
		b.is(err, board.ErrForbidden)
	}
}

func handOver(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	b.dev(ref, "s1")
	b.ok(b.loop.Assign(b.ctx(), ref, board.DelegateReviewer))
	b.ok(b.loop.Assign(b.ctx(), ref, board.DelegateReviewer))
	if i := b.issue(ref); i.Claim != nil || i.Delegate != board.DelegateReviewer {
		b.t.Fatalf("after the hand-over: %+v", i)
	}
	b.is(b.loop.Assign(b.ctx(), ref, board.DelegateNone), board.ErrForbidden)
	c, err := b.loop.Claim(b.ctx(), ref, board.ClaimRequest{Kind: board.KindReviewer, Session: "s2", Run: "r2"})
	b.ok(err)
	if i := b.issue(ref); c.Kind != board.KindReviewer || i.Delegate != board.DelegateReviewer {
		b.t.Fatalf("after the reviewer's claim: %+v", i)
	}
	cleanup := board.ClaimRequest{Kind: board.KindCleaner, Session: "s3", Run: "r3", From: board.RoleHumanReview, Steal: true}
	if c, err = b.loop.Claim(b.ctx(), ref, cleanup); err != nil || c.From != board.RoleHumanReview {
		b.t.Fatalf("clean-up claim %+v, %v", c, err)
	}
	if i := b.issue(ref); i.Delegate != board.DelegateDeveloper || i.Claim.From != board.RoleHumanReview {
		b.t.Fatalf("after the clean-up claim: %+v", i.Claim)
	}
}

func releaseOther(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	b.dev(ref, "s1")
	b.ok(b.loop.Release(b.ctx(), ref, "s2"))
	if i := b.issue(ref); i.Claim == nil || i.Claim.Session != "s1" || i.Delegate != board.DelegateDeveloper {
		b.t.Fatalf("another session's claim was touched: %+v", i)
	}
	b.ok(b.loop.Assign(b.ctx(), ref, board.DelegateReviewer))
	b.ok(b.loop.Release(b.ctx(), ref, "s2")) // no claim: cleared all the same
	if i := b.issue(ref); i.Delegate != board.DelegateNone {
		b.t.Fatalf("a row without a claim was not cleared: %+v", i)
	}
}

func race(b *bundle) {
	if !b.Fenced {
		b.t.Skip("claims are advisory on this board")
	}
	ref := b.seed("one", board.RoleReady)
	const n = 8
	errs := make([]error, n)
	var wg sync.WaitGroup
	for w := range n {
		loop := board.NewPolicy(b.Reopen(b.t), dispatcher, board.PolicyOptions{})
		wg.Go(func() { _, errs[w] = loop.Claim(b.ctx(), ref, request(fmt.Sprint("s", w))) })
	}
	wg.Wait()
	winner := -1
	for w, err := range errs {
		switch {
		case err == nil && winner >= 0:
			b.t.Fatalf("both %d and %d hold the claim", winner, w)
		case err == nil:
			winner = w
		case !errors.Is(err, board.ErrClaimConflict):
			b.t.Fatalf("claimer %d: %v", w, err)
		}
	}
	if i := b.issue(ref); winner < 0 || i.Claim.Session != fmt.Sprint("s", winner) || i.Epoch != 1 {
		b.t.Fatalf("winner %d, claim %+v, epoch %d", winner, i.Claim, i.Epoch)
	}
}

func worker(b *bundle) {
	ref, other := b.seed("one", board.RoleReady), b.seed("two", board.RoleInProgress)
	c := b.dev(ref, "s1")
	b.ok(b.loop.SetState(b.ctx(), ref, board.RoleInProgress))
	dev := b.as(board.KindDeveloper, ref, c)
	_, err := dev.Comment(b.ctx(), other, board.ActorDeveloper, "hello")
	b.is(err, board.ErrForbidden)
	b.is(dev.SetState(b.ctx(), other, board.RoleQuestion), board.ErrForbidden)
	b.is(dev.Release(b.ctx(), other, ""), board.ErrForbidden)
	b.is(dev.SetState(b.ctx(), ref, board.RoleHumanReview), board.ErrForbidden)
	b.is(dev.Assign(b.ctx(), ref, board.DelegateReviewer), board.ErrForbidden)
	_, err = dev.Claim(b.ctx(), ref, request("s9"))
	b.is(err, board.ErrForbidden)
	b.is(dev.Label(b.ctx(), ref, Label, true), board.ErrForbidden)
	_, err = dev.Create(b.ctx(), board.NewIssue{Title: "follow-up"})
	b.is(err, board.ErrForbidden)
	b.is(dev.Answer(b.ctx(), ref, "yes", board.RoleNone), board.ErrForbidden)

	// Parking: comment, state, release, all under the run's epoch.
	_, err = dev.Comment(b.ctx(), ref, board.ActorDeveloper, "which one?")
	b.ok(err)
	b.ok(dev.SetState(b.ctx(), ref, board.RoleQuestion))
	b.ok(dev.Release(b.ctx(), ref, ""))
	if i := b.issue(ref); i.Role != board.RoleQuestion || i.Claim != nil || i.StateBy != board.ActorDeveloper {
		b.t.Fatalf("after parking: %+v", i)
	}
	_, err = dev.Comment(b.ctx(), ref, board.ActorDeveloper, "one more thing") // its own release is no supersession
	b.ok(err)
}

func fence(b *bundle) {
	if !b.Fenced {
		b.t.Skip("this board has no fence")
	}
	ref := b.seed("one", board.RoleReady)
	late := b.as(board.KindDeveloper, ref, b.dev(ref, "s1"))
	b.ok(b.loop.SetState(b.ctx(), ref, board.RoleInProgress))
	b.Advance(Lease)
	_, err := late.Comment(b.ctx(), ref, board.ActorDeveloper, "still here") // an expired lease permits a takeover, no more
	b.ok(err)
	next := b.as(board.KindDeveloper, ref, b.dev(ref, "s2"))
	_, err = late.Comment(b.ctx(), ref, board.ActorDeveloper, "too late")
	b.is(err, board.ErrClaimConflict)
	b.is(late.SetState(b.ctx(), ref, board.RoleQuestion), board.ErrClaimConflict)
	b.is(late.Release(b.ctx(), ref, ""), board.ErrClaimConflict)
	b.is(late.Tick(b.ctx(), ref, board.Box{N: 1, Set: true}), board.ErrClaimConflict)
	_, err = next.Comment(b.ctx(), ref, board.ActorDeveloper, "in time")
	b.ok(err)
	if i := b.issue(ref); len(i.Comments) != 2 || i.Claim == nil || i.Claim.Session != "s2" {
		b.t.Fatalf("a late writer got through: %+v", i)
	}
}
