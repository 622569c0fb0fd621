package money

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func page(t *testing.T, load Load, w, h int) *Model {
	t.Helper()
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetLoad(load)
	m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
	m.SetSnapshot(&state.Snapshot{Firing: 1, CostToday: 4.12, Rows: []state.Row{{Issue: board.Issue{Ref: "ACM-12", Title: "Cache"}}}})
	return m
}

func settle(t *testing.T, m *Model) {
	t.Helper()
	for range 5 {
		cmd := m.Ask(noon)
		if cmd == nil {
			return
		}
		for cmd != nil {
			cmd = m.Take(cmd()).Cmd
		}
	}
	t.Fatal("it asks and asks")
}

func screen(t *testing.T, m *Model) string {
	t.Helper()
	lines := m.View(noon)
	for i, l := range lines {
		if w := ansi.StringWidth(ansi.Strip(l)); w != m.body.W {
			t.Fatalf("line %d is %d wide: %q", i, w, ansi.Strip(l))
		}
		lines[i] = ansi.Strip(l)
	}
	return strings.Join(lines, "\n")
}

func sums() state.Money {
	return state.Money{
		Today: 4.12, Cap: 25, Unpriced: 48_000,
		ByIssue: []state.MoneyLine{{Name: "ACM-12", USD: 3, Tokens: 300_000, Runs: 2}, {Name: "ACM-5", USD: 1.12, Tokens: 90_000, Runs: 1}},
		ByDay:   []state.MoneyLine{{Name: "2026-08-27", USD: 4.12, Tokens: 390_000, Runs: 3}},
		ByKind:  []state.MoneyLine{{Name: "developer", USD: 4, Tokens: 380_000, Runs: 2}},
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	asked := 0
	m := page(t, func(struct{}) (state.Money, error) { asked++; return sums(), nil }, 100, 20)
	if s := screen(t, m); !strings.Contains(s, "$4.12 today; adding up the rest") {
		t.Errorf("before the sums are there:\n%s", s)
	}
	settle(t, m)
	s := screen(t, m)
	for _, want := range []string{"$4.12 today of $25", "price unknown: 48k tokens not counted", "By issue", "ACM-12 Cache", "$3.00", "300k tokens", "2 runs", "By day", "By kind", "developer"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	m.Act(keymap.Down)
	if got := m.Subject().Ref; got != "ACM-12" {
		t.Errorf("the subject is %q", got)
	}
	if m.Act(keymap.Open).Handled {
		t.Error("an issue is not left to the root to open")
	}
	m.Act(keymap.Up)
	m.Act(keymap.Open)
	if s := screen(t, m); strings.Contains(s, "ACM-12") {
		t.Errorf("folded:\n%s", s)
	}
	before := asked
	settle(t, m)
	m.SetSnapshot(&state.Snapshot{Firing: 2, CostToday: 5})
	settle(t, m)
	if asked != before+1 {
		t.Errorf("after a firing it asks %d times", asked-before)
	}
	m.Find("ACM-5")
	if shown, total := m.Found(); shown != 1 && total != 4 {
		t.Errorf("found %d of %d", shown, total)
	}
}

func TestWithoutSums(t *testing.T) {
	t.Parallel()
	m := page(t, func(struct{}) (state.Money, error) { return state.Money{}, errors.New("no ledger") }, 80, 10)
	settle(t, m)
	if s := screen(t, m); !strings.Contains(s, "the sums cannot be read: no ledger") {
		t.Errorf("a failure:\n%s", s)
	}
	m = page(t, func(struct{}) (state.Money, error) { return state.Money{}, nil }, 80, 10)
	settle(t, m)
	if s := screen(t, m); !strings.Contains(s, "$0.00 today") || !strings.Contains(s, "nothing yet") {
		t.Errorf("nothing spent:\n%s", s)
	}
}

func TestEverySizeHolds(t *testing.T) {
	t.Parallel()
	m := page(t, func(struct{}) (state.Money, error) { return sums(), nil }, 80, 24)
	settle(t, m)
	for w := 1; w < 120; w++ {
		for h := 1; h < 14; h++ {
			m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
			if n := strings.Count(screen(t, m), "\n") + 1; n != h {
				t.Fatalf("%dx%d: %d lines", w, h, n)
			}
		}
	}
}
