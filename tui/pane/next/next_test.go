package next

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

func page(load Load, w, h int) *Model {
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetLoad(load)
	m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
	m.SetSnapshot(&state.Snapshot{
		Firing: 1, Version: 1, NextFiring: noon.Add(42 * time.Second),
		Rows: []state.Row{{Issue: board.Issue{Ref: "ACM-21", Title: "Export"}}},
	})
	return m
}

func settle(t *testing.T, m *Model, now time.Time) {
	t.Helper()
	for range 5 {
		cmd := m.Ask(now)
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

func preview() state.Preview {
	return state.Preview{At: noon, Lines: []state.PreviewLine{
		{Ref: "ACM-30", Waits: "blocked by ACM-21"},
		{Ref: "ACM-21", Does: "start a developer", Waits: "tier 3"},
		{Ref: "ACM-22", Waits: "2 of 2 developers busy"},
	}}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	p, asked := preview(), 0
	m := page(func(struct{}) (state.Preview, error) { asked++; return p, nil }, 100, 12)
	if s := screen(t, m); !strings.Contains(s, "asking every rule") {
		t.Errorf("before the answer:\n%s", s)
	}
	settle(t, m, noon)
	s := screen(t, m)
	for _, want := range []string{"Next firing in 0:42", "Would do 1", "ACM-21 Export", "start a developer · tier 3", "Would wait 2", "blocked by ACM-21"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	m.Act(keymap.Last)
	if m.Subject().Ref != "ACM-22" {
		t.Fatalf("the last is %+v", m.Subject())
	}
	p.Lines = append([]state.PreviewLine{{Ref: "ACM-1", Does: "route its result"}}, p.Lines...)
	next := *m.snap
	next.Firing = 2
	m.SetSnapshot(&next)
	settle(t, m, noon)
	if asked != 2 || m.Subject().Ref != "ACM-22" {
		t.Errorf("after a firing: asked %d times, selected %+v", asked, m.Subject())
	}
	version := next
	version.Version = 9
	m.SetSnapshot(&version)
	settle(t, m, noon.Add(time.Second))
	if asked != 2 {
		t.Error("it asks for every picture")
	}
	settle(t, m, noon.Add(time.Minute))
	if asked != 3 {
		t.Error("an old answer stays though things happened")
	}
	m.Find("developers")
	if shown, total := m.Found(); shown != 1 || total != 4 {
		t.Errorf("found %d of %d", shown, total)
	}
	m.Find("zebra")
	if s := screen(t, m); !strings.Contains(s, "nothing matches `zebra`; esc shows all 4") {
		t.Errorf("nothing found:\n%s", s)
	}
	m.Act(keymap.Back)
	if shown, _ := m.Found(); shown != 4 {
		t.Error("esc does not show all")
	}
}

func TestWithoutAnswer(t *testing.T) {
	t.Parallel()
	m := page(func(struct{}) (state.Preview, error) { return state.Preview{}, errors.New("board away") }, 80, 10)
	settle(t, m, noon)
	if s := screen(t, m); !strings.Contains(s, "it cannot be foreseen: board away") {
		t.Errorf("a failure:\n%s", s)
	}
}

func TestEverySizeHolds(t *testing.T) {
	t.Parallel()
	m := page(func(struct{}) (state.Preview, error) { return preview(), nil }, 80, 24)
	settle(t, m, noon)
	for w := 1; w < 120; w++ {
		for h := 1; h < 14; h++ {
			m.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
			if n := strings.Count(screen(t, m), "\n") + 1; n != h {
				t.Fatalf("%dx%d: %d lines", w, h, n)
			}
		}
	}
}
