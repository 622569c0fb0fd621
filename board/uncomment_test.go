package board_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

// TestUncomment: the owner takes the last word back if it is the owner's own,
// and nobody else does.
func TestUncomment(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b, err := native.Open(native.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := board.NewPolicy(b, board.Actor{Kind: board.ActorOwner}, board.PolicyOptions{})
	i, err := p.Create(ctx, board.NewIssue{Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	say := func(by *board.Policy, as board.ActorKind) string {
		c, err := by.Comment(ctx, i.Ref, as, "words")
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	loop := p.As(board.Actor{Kind: board.ActorDispatcher})
	mine := say(p, board.ActorOwner)
	if err := loop.Uncomment(ctx, i.Ref, mine); !errors.Is(err, board.ErrForbidden) {
		t.Errorf("the loop takes it back: %v", err)
	}
	theirs := say(loop, board.ActorDispatcher)
	for id, want := range map[string]string{mine: "not the last one", theirs: "not yours"} {
		if err := p.Uncomment(ctx, i.Ref, id); !errors.Is(err, board.ErrForbidden) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	last := say(p, board.ActorOwner)
	if err := p.Uncomment(ctx, i.Ref, last); err != nil {
		t.Fatal(err)
	}
	if now, err := p.Issue(ctx, i.Ref); err != nil || len(now.Comments) != 2 {
		t.Errorf("comments %+v, %v", now.Comments, err)
	}
}
