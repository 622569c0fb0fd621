package memory_test

import (
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
				}
			})
		})
	}
}
