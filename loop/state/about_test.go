package state_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/loop/state"
)

func TestNamedIn(t *testing.T) {
	t.Parallel()
	issue, pull, both, none := state.Command{Ref: "DSP-1"}, state.Command{PR: "#7"}, state.Command{Ref: "DSP-1", PR: "#7"}, state.Command{}
	for _, tt := range []struct {
		c      state.Command
		reason string
		want   bool
	}{
		{issue, "DSP-1: gone", true},
		{issue, "move DSP-1: gone", true},
		{issue, "DSP-1 is held", true},
		{issue, "no worker works on DSP-1", true},
		{issue, "“DSP-1”, it is said: no", true},
		{issue, "DSP-12: gone", false},
		{issue, "DSP-12 blocks DSP-1: no", true},
		{issue, "move DSP-12 before DSP-13: no", false},
		{issue, "XDSP-1: gone", false},
		{issue, "task/DSP-1-fix: gone", false},
		{issue, "branch DSP-1-fix: gone", false},
		{issue, "move: DSP-1 is gone", false},
		{issue, "", false},
		{pull, "#7 is not open", true},
		{pull, "#77 is not open", false},
		{pull, "acme/widgets#7: no", false},
		{both, "#7: no", false},
		{both, "DSP-1: no", true},
		{none, "no", false},
	} {
		if got := tt.c.NamedIn(tt.reason); got != tt.want {
			t.Errorf("%s in %q: %v", tt.c.About(), tt.reason, got)
		}
	}
}
