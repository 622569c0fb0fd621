package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
)

// What users of other tools call an action finds it, and no scattered letters
// stand before it.
func TestThePaletteKnowsOtherWords(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, busyRoom())
	all := m.paletteItems(false)
	for text, want := range map[string]string{
		"quit": "leave", "exit": "leave", "retry": "move,", "search": "find:", "refresh": "fire now", "approve": "answer what it asks",
		"delete": "", "label": "edit:", "theme": "theme ", "thme": "theme ", "create": "new issue", "cost": "money", "steer": "steer the worker",
		"acm-21": "ACM-21", "stop the loop": "stop the loop", "take over": "take over the session", "logs": "transcript of its worker",
		"export csv": "ACM-21", "expcsv": "ACM-21",
	} {
		got := search(text, all)
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%q finds %q", text, all[got[0]].text)
		case want != "" && (len(got) == 0 || !strings.HasPrefix(all[got[0]].text, want)):
			first := "nothing"
			if len(got) > 0 {
				first = all[got[0]].text
			}
			t.Errorf("%q finds %q first, want %q", text, first, want)
		}
	}
}

func TestWhatIsKeptIsCountedInWords(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	m.opts.Keep = func(map[string]string) error { return nil }
	typeKeys(m, "s", "half a word", "esc", "q")
	if q := m.leaveMenu(); q.Text != "" && !strings.Contains(q.Text, "1 draft is not sent; it is kept.") {
		t.Errorf("asks %q", q.Text)
	}
}

// The labels that the board has are told where labels are typed.
func TestLabelsThatAreKnown(t *testing.T) {
	t.Parallel()
	s := busyRoom()
	s.Rows[0].Issue.Labels, s.Rows[1].Issue.Labels = []string{"UI"}, []string{"needs work", "UI"}
	m, _ := room(120, 40, s)
	typeKeys(m, to("ACM-30", "E", "2")...)
	has(t, m, "on this board: UI, needs work")
}

// Where the board has many, they take no more than two lines, and the rest is
// counted.
func TestManyLabels(t *testing.T) {
	t.Parallel()
	s := busyRoom()
	for i := range 150 {
		s.Rows[0].Issue.Labels = append(s.Rows[0].Issue.Labels, fmt.Sprintf("label %03d", i))
	}
	m, _ := room(80, 24, s)
	typeKeys(m, to("ACM-30", "E", "2")...)
	has(t, m, "on this board: UI, label 000, label 001")
	has(t, m, "label 008 and 142 more")
	hasNot(t, m, "label 009")
}

func TestListed(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		words []string
		cells int
	}{
		"":                {nil, 10},
		"a, b, c":         {[]string{"a", "b", "c"}, 7},
		"a, b and 1 more": {[]string{"a", "b", "cc"}, 7},
		"3 of them":       {[]string{"much too long", "b", "c"}, 7},
		"だめ and 1 more":   {[]string{"だめ", "だめ"}, 8},
	} {
		if got := listed(c.words, c.cells); got != want {
			t.Errorf("%q in %d: %q, want %q", c.words, c.cells, got, want)
		}
	}
}

func TestNoTwoDotsOnTheSubject(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, busyRoom())
	typeKeys(m, to("ACM-22", "esc")...)
	hasNot(t, m, "· ·")
}

// A count in a column's title is whole or not there.
func TestCountsOfColumnsAreNotCut(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, many())
	typeKeys(m, "/", "9", "enter")
	for _, l := range strings.Split(screen(m), "\n") {
		if l = ansi.Strip(l); strings.Contains(l, "─ Ready") || strings.Contains(l, "━ Ready") {
			if strings.Contains(l, "…") {
				t.Errorf("a count is cut: %q", l)
			}
			return
		}
	}
	t.Error("there is no column Ready")
}

// A loop without workers has nothing to drain or to abort.
func TestStoppingAnIdleLoop(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Workers = nil
	m, ctl := room(80, 24, s)
	typeKeys(m, "X")
	has(t, m, "No worker is running.")
	hasNot(t, m, "abort")
	typeKeys(m, "1")
	if got := ctl.commands(); len(got) != 1 || got[0].Kind != state.CommandDrain {
		t.Errorf("sent %+v", got)
	}
}

// What sending does is read to its end on a narrow screen.
func TestHintsOfAFieldAreNotCut(t *testing.T) {
	t.Parallel()
	m, _ := room(60, 24, busyRoom())
	typeKeys(m, "s")
	has(t, m, "interrupts it at once")
	x, y := m.fieldCursor()
	if lines := strings.Split(ansi.Strip(screen(m)), "\n"); x != 2 || !strings.Contains(lines[y-1], "Say to the developer") {
		t.Errorf("typing goes on at %d, %d of\n%s", x, y, strings.Join(lines, "\n"))
	}
}
