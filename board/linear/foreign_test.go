package linear_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// claimAs claims a row as another account of the workspace does, with a stamp
// that is so old.
func (p *place) claimAs(t *testing.T, user string, ref board.Ref, session string, old time.Duration) {
	t.Helper()
	c := board.Claim{Kind: board.KindDeveloper, Session: session, Stamp: p.clock.Now().Add(-old)}
	ok(t, p.world.AddComment(string(ref), fake.Comment{Body: c.Text(), User: user}))
}

// TestForeignClaim: a claim under another account is that account's to take
// back, and whoever asks for it is told so by its name. The rest of what was
// asked for is done where nobody works, and none of it where somebody does.
func TestForeignClaim(t *testing.T) {
	t.Parallel()
	release := func(session string) func(context.Context, *linear.Board, board.Ref) error {
		return func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			return b.Release(ctx, theOwner, ref, session)
		}
	}
	assign := func(ctx context.Context, b *linear.Board, ref board.Ref) error {
		return b.Assign(ctx, theOwner, ref, board.DelegateReviewer)
	}
	cases := map[string]struct {
		old      time.Duration // of their stamp
		ours     bool          // a fresh claim of ours stands before it
		do       func(context.Context, *linear.Board, board.Ref) error
		refused  bool
		conflict bool
		delegate board.Delegate // in the end
	}{
		"release, stale":               {old: 2 * time.Hour, do: release(""), refused: true},
		"release their session":        {old: 2 * time.Hour, do: release("third"), refused: true},
		"release, fresh":               {old: time.Minute, do: release(""), refused: true, conflict: true, delegate: board.DelegateDeveloper},
		"release another session":      {old: time.Minute, do: release("s1"), delegate: board.DelegateDeveloper},
		"assign, stale":                {old: 2 * time.Hour, do: assign, refused: true, delegate: board.DelegateReviewer},
		"assign, fresh":                {old: time.Minute, do: assign, refused: true, conflict: true, delegate: board.DelegateDeveloper},
		"release ours before theirs":   {old: 2 * time.Hour, ours: true, do: release("s1")},
		"release all, ours has it":     {old: 2 * time.Hour, ours: true, do: release("")},
		"assign, ours stands in front": {old: 2 * time.Hour, ours: true, do: assign, delegate: board.DelegateReviewer},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, fake.Options{}, fake.Setup{})
			ref := p.add(t, fake.Draft{Title: "one", State: "Human Review"})
			dana := p.world.AddUser(fake.User{Name: "dana", DisplayName: "dana"})
			p.edit(t, ref, func(i *fake.Issue) { i.Delegate, i.Assignee = p.made.Developer, dana })
			p.claimAs(t, dana, ref, "third", c.old)
			b := p.open(t)
			if c.ours {
				_, err := b.Claim(t.Context(), theOwner, ref, dev("s1"))
				ok(t, err)
			}
			err := c.do(t.Context(), b, ref)
			if c.refused != (err != nil) || c.refused != errors.Is(err, board.ErrOtherAccount) || c.conflict != errors.Is(err, board.ErrClaimConflict) {
				t.Fatalf("error %v", err)
			}
			if c.refused && !strings.Contains(err.Error(), "the claim of session third stands under the account dana") {
				t.Errorf("the error does not say whose: %v", err)
			}
			i, err := b.Issue(t.Context(), ref)
			ok(t, err)
			if i.Claim == nil || i.Claim.Session != "third" || i.Claim.Account != "dana" || i.Delegate != c.delegate {
				t.Errorf("claim %+v, delegate %q", i.Claim, i.Delegate)
			}
			if cleared := i.Assignee == ""; cleared != (c.delegate == board.DelegateNone) {
				t.Errorf("assignee %q", i.Assignee)
			}
		})
	}
}

// TestClaimedAgain: a session that claims its row once more writes the delegate
// again where that was taken away meanwhile, and a heartbeat does not.
func TestClaimedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		renew bool
		by    board.Actor
		want  board.Delegate
		err   error
	}{
		{by: theOwner, want: board.DelegateDeveloper},
		{by: theLoop, err: board.ErrForbidden}, // it is the human's now
		{by: theLoop, renew: true},
	} {
		p := newPlace(t, fake.Options{}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "In Progress"})
		b := p.open(t)
		req := dev("s1")
		_, err := b.Claim(t.Context(), theLoop, ref, req)
		ok(t, err)
		p.edit(t, ref, func(i *fake.Issue) { i.Delegate, i.Assignee = "", p.made.Owner })
		p.clock.Advance(20 * time.Minute)
		req.Renew = c.renew
		if _, err = b.Claim(t.Context(), c.by, ref, req); !errors.Is(err, c.err) {
			t.Errorf("%+v: error %v", c, err)
		}
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if i.Claim == nil || i.Claim.Session != "s1" || i.Delegate != c.want || i.HumanOwned() != (c.want == board.DelegateNone) {
			t.Errorf("%+v: claim %+v, delegate %q", c, i.Claim, i.Delegate)
		}
	}
}

// TestForeignStampInTheFuture: a clock that is far ahead shuts a row for one
// stale window after its stamp was written, and no longer, whoever stamped.
func TestForeignStampInTheFuture(t *testing.T) {
	t.Parallel()
	for _, steal := range []bool{false, true} {
		p := newPlace(t, fake.Options{}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
		p.claimAs(t, p.world.AddUser(fake.User{Name: "dana", DisplayName: "dana"}), ref, "third", -1000*time.Hour)
		b := p.open(t)
		req := dev("s1")
		req.Steal = steal
		p.clock.Advance(89 * time.Minute)
		_, err := b.Claim(t.Context(), theLoop, ref, req)
		if !errors.Is(err, board.ErrClaimConflict) || !strings.Contains(err.Error(), "dana") {
			t.Fatalf("inside the window: %v", err)
		}
		p.clock.Advance(2 * time.Minute)
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if c := i.Claim; c == nil || !c.Stale(p.clock.Now(), 90*time.Minute) || c.Age(p.clock.Now()) != 90 {
			t.Errorf("claim %+v", c)
		}
		_, err = b.Claim(t.Context(), theLoop, ref, req)
		ok(t, err)
		i, err = b.Issue(t.Context(), ref)
		ok(t, err)
		if i.Claim == nil || i.Claim.Session != "s1" {
			t.Errorf("claim %+v", i.Claim)
		}
	}
}
