package memory_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/boardtest/memory"
)

// TestBoards holds both boards to what every board does.
func TestBoards(t *testing.T) {
	t.Parallel()
	for _, fenced := range []bool{true, false} {
		t.Run(fmt.Sprintf("fenced=%v", fenced), func(t *testing.T) {
			t.Parallel()
			boardtest.Run(t, func(*testing.T) boardtest.Fixture {
				clock := boardtest.NewClock(time.Date(2026, 8, 27, 8, 0, 0, 0, time.UTC))
				b := &memory.Board{Now: clock.Now, Fenced: fenced}
				return boardtest.Fixture{
					Backend: b, Fenced: fenced, Now: clock.Now,
					Seed:    func(_ *testing.T, n board.NewIssue) board.Ref { return b.Add(n) },
					Advance: clock.Advance,
					Reopen:  func(*testing.T) board.Backend { return b },
					SetDelegate: func(_ *testing.T, ref board.Ref, d board.Delegate) {
						b.Edit(ref, func(i *board.Issue) { i.Delegate = d })
					},
					ClaimAs: func(_ *testing.T, ref board.Ref, session string, old time.Duration) {
						b.Edit(ref, func(i *board.Issue) {
							i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: session, Stamp: clock.Now().Add(-old), Account: "dana"}
						})
					},
				}
			})
		})
	}
}

// TestWroteSeesWhatIsWritten: what is done although a claim is left is a write,
// and what is refused is none.
func TestWroteSeesWhatIsWritten(t *testing.T) {
	t.Parallel()
	clock := boardtest.NewClock(time.Date(2026, 8, 27, 8, 0, 0, 0, time.UTC))
	for old, want := range map[time.Duration]int{time.Minute: 0, 2 * memory.StaleWindow: 2} {
		b, wrote := &memory.Board{Now: clock.Now}, 0
		ref := b.Add(board.NewIssue{Title: "one", State: board.RoleHumanReview})
		b.Edit(ref, func(i *board.Issue) {
			i.Claim = &board.Claim{Kind: board.KindDeveloper, Session: "theirs", Stamp: clock.Now().Add(-old), Account: "dana"}
		})
		b.Wrote = func(board.Actor, string, *board.Issue, *board.Issue) { wrote++ }
		for _, err := range []error{
			b.Assign(t.Context(), board.Actor{Kind: board.ActorDispatcher}, ref, board.DelegateReviewer),
			b.Release(t.Context(), board.Actor{Kind: board.ActorDispatcher}, ref, ""),
		} {
			if !errors.Is(err, board.ErrOtherAccount) {
				t.Errorf("%s old: error %v", old, err)
			}
		}
		if wrote != want {
			t.Errorf("%s old: %d writes were seen, want %d", old, wrote, want)
		}
	}
}
