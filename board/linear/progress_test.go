package linear_test

import (
	"slices"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// The first reading says how many rows there are so far, page by page; one
// request that says all says nothing.
func TestReadingSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 90, "Question")
	b := p.open(t)
	var told []board.Progress
	b.Tell(func(p board.Progress) { told = append(told, p) })
	firing(t, b)
	want := []board.Progress{{Board: "Linear", Rows: 40}, {Board: "Linear", Rows: 80}}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	firing(t, b)
	if len(told) != len(want) {
		t.Errorf("a look at no change tells %v", told[len(want):])
	}
}
