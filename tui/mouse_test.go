package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
)

// where is the cell at which a text begins on the screen.
func where(t *testing.T, m *Model, text string) (x, y int) {
	t.Helper()
	for y, l := range strings.Split(ansi.Strip(screen(m)), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			return ansi.StringWidth(before), y
		}
	}
	t.Fatalf("the screen does not show %q:\n%s", text, ansi.Strip(screen(m)))
	return 0, 0
}

func click(m *Model, x, y int) {
	_, cmd := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	settle(m, cmd)
}

func TestClicks(t *testing.T) {
	t.Parallel()
	now := noon
	for _, size := range [][2]int{{160, 40}, {80, 24}} {
		ctl := newStub()
		m := newModel(t.Context(), Options{Controller: ctl, Now: func() time.Time { now = now.Add(time.Second); return now }, Look: Look{Mouse: true}})
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		take(m, sample())
		if m.View().MouseMode == tea.MouseModeNone {
			t.Fatal("the mouse is off")
		}
		x, y := where(t, m, "ACM-7 Which")
		click(m, x+2, y)
		if got := m.selectedRef(); got != "ACM-7" {
			t.Errorf("%v: a click selected %s", size, got)
		}
		x, y = where(t, m, "ACM-3 Login")
		click(m, x, y)
		if got := m.selectedRef(); got != "ACM-3" {
			t.Errorf("%v: a click selected %s", size, got)
		}
		// A click on a key of the last line is that key, one beside the menu esc.
		x, y = where(t, m, "m move")
		click(m, x, y)
		has(t, m, "Move ACM-3")
		click(m, 0, 0)
		if m.mode != modeBrowse {
			t.Errorf("%v: a click beside the menu left it open", size)
		}
		typeKeys(m, "m")
		x, y = where(t, m, "1  Backlog")
		click(m, x, y)
		if got := ctl.commands(); len(got) != 1 || got[0].Kind != state.CommandMove {
			t.Errorf("%v: a click in the menu sent %+v", size, got)
		}
		x, y = where(t, m, "3 all")
		click(m, x, y)
		if m.view != viewNeeds {
			t.Errorf("%v: a click on 3 leads to %s", size, m.view.name())
		}
	}
}

func TestADoubleClickOpens(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	x, y := where(t, m, "ACM-5 Paging")
	click(m, x, y)
	click(m, x, y)
	if m.view != viewIssue || m.subject().Ref != "ACM-5" {
		t.Errorf("in %s on %s", m.view.name(), m.subject().Ref)
	}
}

func TestAClickNeverConfirms(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, sample())
	typeKeys(m, "x")
	for y := range 40 {
		for x := 0; x < 120; x += 3 {
			if m.mode == modeMenu {
				click(m, x, y)
			}
		}
	}
	if len(ctl.commands()) != 0 {
		t.Errorf("sent %+v", ctl.commands())
	}
}

func TestTheWheelLeavesTheFocus(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, large(350))
	before := m.selectedRef()
	x, y := where(t, m, "Ready")
	for range 5 {
		_, cmd := m.Update(tea.MouseWheelMsg{X: x, Y: y + 5, Button: tea.MouseWheelDown})
		settle(m, cmd)
	}
	if m.selectedRef() != before || m.view != viewBoard || m.home.stripFocus() {
		t.Errorf("the wheel moved the selection to %s", m.selectedRef())
	}
	checkScreen(t, m)
}

func TestTheMouseCanBeOff(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is on though it was not asked for")
	}
}

func TestThePalette(t *testing.T) {
	t.Parallel()
	m, ctl := room(100, 30, sample())
	typeKeys(m, ":", "undo", "enter")
	if got := ctl.commands(); len(got) != 1 || got[0].Kind != state.CommandUndo {
		t.Fatalf("sent %+v", got)
	}
	typeKeys(m, ":", "acm-30", "enter")
	if m.view != viewIssue || m.subject().Ref != "ACM-30" {
		t.Errorf("in %s on %s", m.view.name(), m.subject().Ref)
	}
	typeKeys(m, "1", ":", "release")
	has(t, m, "a worker of this loop is at it") // greyed, with the reason
	typeKeys(m, "enter", "esc")
	typeKeys(m, ":", "theme high-contrast", "enter")
	if !strings.HasPrefix(m.theme.Name, "high-contrast") {
		t.Errorf("the theme is %s", m.theme.Name)
	}
	typeKeys(m, "g", "i", "acm-9", "enter")
	if m.subject().Ref != "ACM-9" {
		t.Errorf("on %s", m.subject().Ref)
	}
	if n := len(ctl.commands()); n != 1 {
		t.Errorf("%d commands were sent", n)
	}
	// A late answer to an old search is dropped.
	typeKeys(m, ":")
	m.Update(paletteMsg{seq: m.palette.seq - 1, shown: nil})
	if len(m.palette.shown) == 0 {
		t.Error("an old answer emptied the palette")
	}
}

func TestHelpIsSearched(t *testing.T) {
	t.Parallel()
	m, _ := room(100, 30, sample())
	typeKeys(m, "?", "/", "interrupt")
	has(t, m, "interrupt the worker")
	hasNot(t, m, "half page up")
	typeKeys(m, "enter", "esc")
	has(t, m, "half page up")
	typeKeys(m, "esc")
	if m.mode != modeBrowse {
		t.Error("help stays open")
	}
}

func TestFindTakesFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"role:review":       "2 of 19",
		"waiting:blocked":   "1 of 19",
		"worker:reviewer":   "1 of 19",
		"label:perf":        "1 of 19",
		"rnmusr":            "1 of 19",
		"milestone:m1 idea": "3 of 19",
	} {
		m, _ := room(140, 40, sample())
		typeKeys(m, "/", text, "enter")
		has(t, m, want)
	}
	m, _ := room(140, 40, sample())
	typeKeys(m, "/", "log", "enter", "/", "paging", "enter") // the second search begins anew
	if got := m.selectedRef(); got != "ACM-5" {
		t.Errorf("selected %s", got)
	}
}
