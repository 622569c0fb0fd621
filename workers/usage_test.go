package workers_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/workers"
)

// What a run was killed before telling the price of stands beside what it told,
// and in no figure twice.
func TestUnbilled(t *testing.T) {
	t.Parallel()
	var u workers.Usage
	for _, step := range []struct {
		name             string
		do               func()
		tokens, unbilled int64
	}{
		{"nothing yet", func() {}, 0, 0},
		{"a request", func() { u.Ask("m1", 100) }, 0, 100},
		{"more of its answer", func() { u.Ask("m1", 100) }, 0, 100},
		{"the next", func() { u.Ask("m2", 150) }, 0, 250},
		{"one that has no name", func() { u.Ask("", 10); u.Ask("", 10) }, 0, 270},
		{"its price", func() { u.Add(&workers.Result{CostUSD: 1, Tokens: 300}) }, 300, 0},
		{"another turn", func() { u.Ask("m3", 200) }, 300, 200},
	} {
		step.do()
		if u.Tokens() != step.tokens || u.Unbilled() != step.unbilled {
			t.Errorf("%s: %d tokens and %d without a price, want %d and %d", step.name, u.Tokens(), u.Unbilled(), step.tokens, step.unbilled)
		}
	}
}
