package moves

import (
	"fmt"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Of very many issues those that were moved last are remembered.
func TestMovesAreBounded(t *testing.T) {
	t.Parallel()
	const many = 5 * keepIssues
	m := Open("", "")
	began := time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)
	for n := range many {
		v := Move{Issue: fmt.Sprint(n), From: "a", To: "b", By: board.ActorDispatcher, After: began.Add(time.Duration(n) * time.Minute)}
		if err := m.Note(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.known) > keepIssues {
		t.Errorf("%d issues are kept", len(m.known))
	}
	for _, n := range []int{many - 1, many - keepIssues/2} {
		if _, ok := m.Last(fmt.Sprint(n), "b", began.Add(time.Duration(n+1)*time.Minute)); !ok {
			t.Errorf("issue %d of %d is forgotten", n, many)
		}
	}
}
