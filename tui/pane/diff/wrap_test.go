package diff

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
)

// TestALongLineGoesOn: nothing of a change is out of reach, however narrow the
// room, and its rows count as the one line they are.
func TestALongLineGoesOn(t *testing.T) {
	t.Parallel()
	long := "start " + strings.Repeat("日本 middle ", 20) + "needle end"
	for _, sides := range []bool{false, true} {
		r := newRig(t)
		r.diff.Files[0].Lines = append(r.diff.Files[0].Lines, state.DiffLine{Op: "+", New: 2, Text: long}, state.DiffLine{Op: " ", Old: 2, New: 3, Text: "after"})
		r.SetBody(layout.Rect{W: 76, H: 40}, layout.ShapeSplit)
		r.open(pane.Subject{Ref: "ACM-3"})
		if sides {
			r.Act(keymap.Layout)
		}
		var got strings.Builder
		for _, l := range r.View(noon) {
			got.WriteString(ansi.Strip(l) + "\n")
		}
		if !strings.Contains(got.String(), "  … + ") || !strings.Contains(got.String(), "end") {
			t.Errorf("sides %v: the line is cut:\n%s", sides, got.String())
		}
		r.Find("needle")
		if at := r.Subject().At; at != "auth/token.go:2" || r.text.laid[r.text.at].part == 0 {
			t.Errorf("sides %v: the word is found at %s, row %+v", sides, at, r.text.laid[r.text.at])
		}
		r.Find("middle 日本 middle")
		r.SetBody(layout.Rect{W: 200, H: 40}, layout.ShapeColumns)
		if at := r.Subject().At; at != "auth/token.go:2" {
			t.Errorf("sides %v: in a wider room the cursor is at %s", sides, at)
		}
		r.Act(keymap.Last)
		if at := r.Subject().At; at != "auth/token.go:3" {
			t.Errorf("sides %v: the last line is %s", sides, at)
		}
	}
}
