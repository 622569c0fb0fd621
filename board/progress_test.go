package board_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

func TestProgressInWords(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]board.Progress{
		"GitHub, page 2 of 3":    {Board: "GitHub", Page: 2, Pages: 3, Rows: 100},
		"Linear, 80 rows so far": {Board: "Linear", Rows: 80},
		"Linear, 1 row so far":   {Board: "Linear", Rows: 1},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var told board.Telling
	told.Told(board.Progress{}) // nobody listens
	n := 0
	told.Tell(func(board.Progress) { n++ })
	told.Told(board.Progress{})
	told.Tell(nil)
	if told.Told(board.Progress{}); n != 1 {
		t.Errorf("told %d times", n)
	}
}
