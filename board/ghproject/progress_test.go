package ghproject_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// The first reading says which of its pages is under way, those that read the
// rows in full with them.
func TestReadingSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	for n := range 130 {
		p.seed(t, board.NewIssue{Title: fmt.Sprint(n), State: board.RoleReady})
	}
	b := p.open(t)
	var told []string
	b.Tell(func(p board.Progress) { told = append(told, p.String()) })
	poll := func() {
		t.Helper()
		if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
			t.Fatal(err)
		}
	}
	poll()
	want := []string{"GitHub, page 2 of 5", "GitHub, page 3 of 5", "GitHub, page 4 of 5", "GitHub, page 5 of 5"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
