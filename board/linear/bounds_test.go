package linear_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// TestForeignBlockersAreBounded: they are asked for by their ids, in one request.
func TestForeignBlockersAreBounded(t *testing.T) {
	t.Parallel()
	for many, want := range map[int]int{0: 0, 199: 199, 200: 200, 500: 200} {
		if n := linear.ForeignBlockers(many); n != want {
			t.Errorf("of %d issues of other teams %d are looked at, want %d", many, n, want)
		}
	}
}

// TestWritesAreForgotten: what was written is remembered until every answer shows
// it: of an issue that is commented on again and again, and of one that is not.
func TestWritesAreForgotten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	busy, once := p.add(t, fake.Draft{Title: "busy", State: "Ready"}), p.add(t, fake.Draft{Title: "once", State: "Ready"})
	b := p.open(t)
	say := func(ref board.Ref, issues, comments int) {
		t.Helper()
		_, err := b.Comment(t.Context(), theOwner, ref, board.ActorOwner, "Go on.")
		ok(t, err)
		if i, c := b.Noted(); i != issues || c != comments {
			t.Errorf("%d comments on %d issues are remembered, want %d on %d", c, i, comments, issues)
		}
	}
	say(once, 1, 1)
	say(busy, 2, 2)
	p.clock.Advance(9 * time.Minute)
	say(busy, 2, 3)
	p.clock.Advance(2 * time.Minute)
	say(busy, 1, 2)
}
