package log

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func at(min int) time.Time { return noon.Add(time.Duration(min) * time.Minute) }

func picture() *state.Snapshot {
	return &state.Snapshot{
		Firing: 4,
		Firings: []state.Firing{
			{N: 1, At: at(1), Why: "start"}, {N: 2, At: at(2), Why: "timer"}, {N: 3, At: at(3), Why: "timer", Bad: true, Status: "board away"}, {N: 4, At: at(4), Why: "worker finished (ACM-5)", Took: 212 * time.Millisecond},
		},
		Log: []state.Entry{
			{At: at(1), Firing: 1, Ref: "ACM-1", Text: "claimed"},
			{At: at(3), Firing: 3, Ref: "ACM-2", Text: "could not be claimed", Bad: true},
			{At: at(4), Firing: 4, Ref: "ACM-5", Text: "PASS → Human Review"},
			{At: at(4), Firing: 4, Ref: "ACM-21", Text: "waits: 2 of 2 busy"},
		},
	}
}

func view(s *state.Snapshot) *Model {
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetBody(layout.Rect{W: 100, H: 14}, layout.ShapeColumns)
	m.SetSnapshot(s)
	return m
}

func screen(t *testing.T, m *Model) string {
	t.Helper()
	lines := m.View(noon)
	for i, l := range lines {
		lines[i] = ansi.Strip(l)
		if w := ansi.StringWidth(lines[i]); w != m.body.W {
			t.Fatalf("line %d is %d wide: %q", i, w, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

func has(t *testing.T, m *Model, text string, want bool) {
	t.Helper()
	if s := screen(t, m); strings.Contains(s, text) != want {
		t.Errorf("%q: want %v in\n%s", text, want, s)
	}
}

func TestOneLineAFiring(t *testing.T) {
	t.Parallel()
	m := view(picture())
	for text, want := range map[string]bool{
		"firing 1": true, "claimed by": false, "ACM-1 ": false, "firing 2": true, "woke: worker finished (ACM-5)": true, "212 ms": true,
		"PASS → Human Review": true, "could not be claimed": true, "1 error": true, "following": true,
	} {
		has(t, m, text, want)
	}
	m.Act(keymap.First)
	m.Act(keymap.Open)
	has(t, m, "ACM-1", true)
	m.Act(keymap.Open)
	has(t, m, "ACM-1 ", false)
	m.Act(keymap.NextPiece)
	if r := m.Act(keymap.Open); r.Say == "" {
		t.Errorf("a firing that decided nothing unfolds: %+v", r)
	}
}

func TestErrorsKeepAMarkUntilRead(t *testing.T) {
	t.Parallel()
	m := view(picture())
	m.Act(keymap.NextError)
	if e := m.Selected(); e == nil || !e.Bad {
		t.Fatalf("the next error is %+v", e)
	}
	has(t, m, "1 error", false)
	has(t, m, "could not be claimed", true)
	if r := m.Act(keymap.NextError); r.Say == "" {
		t.Error("there is a second error")
	}
}

func TestTheSelectionStaysWithItsLine(t *testing.T) {
	t.Parallel()
	m := view(picture())
	m.Act(keymap.Up)
	before := *m.Selected()
	s := picture()
	s.Log = append(s.Log, state.Entry{At: at(5), Firing: 5, Text: "more"})
	s.Firings = append(s.Firings, state.Firing{N: 5, At: at(5)})
	m.SetSnapshot(s)
	if e := m.Selected(); e == nil || *e != before {
		t.Errorf("selected %+v, was %+v", e, before)
	}
}

func TestAwayLineStandsWhereOneLeft(t *testing.T) {
	t.Parallel()
	m := view(picture())
	m.SetAway([]Away{{From: at(2).Add(30 * time.Second), Text: "away 12:02 to 12:56: 2 finished"}})
	s := screen(t, m)
	if a, b, c := strings.Index(s, "firing 2"), strings.Index(s, "away 12:02"), strings.Index(s, "firing 3"); a < 0 || b < a || c < b {
		t.Errorf("the away line stands elsewhere:\n%s", s)
	}
}

func TestFindAndOpen(t *testing.T) {
	t.Parallel()
	m := view(picture())
	m.Find("human")
	if shown, total := m.Found(); shown != 1 || total != 4 {
		t.Errorf("%d of %d", shown, total)
	}
	has(t, m, "firing 1", false)
	m.Find("zebra")
	has(t, m, "nothing matches `zebra`", true)
	m.Find("")
	if _, why := m.Open(pane.Subject{At: "firing 1"}); why != "" || m.selected().firing != 1 {
		t.Errorf("%s; at firing %d", why, m.selected().firing)
	}
	has(t, m, "ACM-1", true)
	if _, why := m.Open(pane.Subject{At: "firing 99"}); why == "" {
		t.Error("a firing that is gone")
	}
	empty := view(&state.Snapshot{NextFiring: noon.Add(42 * time.Second)})
	has(t, empty, "no firing yet; first in 0:42", true)
	for w := 1; w < 110; w += 2 {
		for h := 1; h < 12; h++ {
			m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
			if n := strings.Count(screen(t, m), "\n") + 1; n != h {
				t.Fatalf("%dx%d: %d lines", w, h, n)
			}
		}
	}
}

// TestFiringsThatDidNothing: a loop that polls every second does not bury what
// did happen.
func TestFiringsThatDidNothing(t *testing.T) {
	t.Parallel()
	s := picture()
	for n := range 30 {
		s.Firings = append(s.Firings, state.Firing{N: 5 + n, At: at(4).Add(time.Duration(n+1) * time.Second), Why: "timer"})
	}
	m := view(s)
	has(t, m, "firings 5 to 34  nothing to do, 30 times", true)
	has(t, m, "last at 12:04:30", true)
	has(t, m, "firing 4", true)
	has(t, m, "firing 20", false)
	m.Act(keymap.Last)
	m.Act(keymap.Open)
	has(t, m, "firing 5 ", true)
	m.Act(keymap.Down)
	s = picture()
	for n := range 31 {
		s.Firings = append(s.Firings, state.Firing{N: 5 + n, At: at(4).Add(time.Duration(n+1) * time.Second), Why: "timer"})
	}
	m.SetSnapshot(s)
	if l := m.selected(); l == nil || l.firing != 6 {
		t.Errorf("after another firing the cursor is on %+v", l)
	}
	m.Act(keymap.Open)
	has(t, m, "nothing to do, 31 times", true)
	if _, why := m.Open(pane.Subject{At: "firing 20"}); why != "" || m.selected().firing != 20 {
		t.Errorf("%s; the cursor is on %+v", why, m.selected())
	}
	m.Act(keymap.Open)
	s.Firings = s.Firings[3:] // the first ones are forgotten, what they decided is not
	m.SetSnapshot(s)
	m.Act(keymap.First)
	if l := m.selected(); l.open {
		m.Act(keymap.Open)
	}
	has(t, m, "firing 1  ACM-1 claimed", true)
	m.SetAway([]Away{{From: at(4).Add(10500 * time.Millisecond), Text: "away"}})
	has(t, m, "firings 5 to 14  nothing to do, 10 times", true)
	has(t, m, "firings 15 to 35  nothing to do, 21 times", true)
}
