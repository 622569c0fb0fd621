package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/backside4charter/dispatcher/loop/state"
)

// sizes at which every scene is kept.
var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

// small are the scenes that are kept at 40x12, too.
var small = []string{"board", "needs-answer", "leave", "permission", "diff", "money", "log", "pulls"}

func TestScreens(t *testing.T) {
	draws(t)
	for _, sc := range slices.Concat(scenes, conditions) {
		at := sizes
		if slices.Contains(small, sc.name) {
			at = append([][2]int{{40, 12}}, at...)
		}
		for _, size := range at {
			t.Run(fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				m := sc.play(size[0], size[1])
				checkScreen(t, m)
				golden.RequireEqual(t, plainScreen(m)+"\n")
			})
		}
	}
}

// draws is for tests that draw from one goroutine each: a short run, which is
// the race detector's, has nothing to find there.
func draws(t *testing.T) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it draws from one goroutine; go test ./... plays it")
	}
}

// plainScreen is the screen without colours and without blanks at the ends of
// lines.
func plainScreen(m *Model) string {
	lines := strings.Split(ansi.Strip(screen(m)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// checkScreen fails unless the screen is exactly as large as the terminal, by
// both ways of measuring, and holds no control character but colours.
func checkScreen(t *testing.T, m *Model) {
	t.Helper()
	drawn := screen(m)
	if m.w == 0 || m.h == 0 {
		if drawn != "" {
			t.Fatalf("%dx%d draws %q", m.w, m.h, drawn)
		}
		return
	}
	lines := strings.Split(drawn, "\n")
	if len(lines) != m.h {
		t.Fatalf("%dx%d: %d lines", m.w, m.h, len(lines))
	}
	for i, l := range lines {
		text := ansi.Strip(l)
		if g, w := ansi.StringWidth(text), ansi.StringWidthWc(text); g != m.w || w != m.w {
			t.Fatalf("%dx%d: line %d is %d and %d cells wide: %q", m.w, m.h, i, g, w, text)
		}
		for _, r := range text {
			if r < 0x20 || (r >= 0x7f && r < 0xa0) {
				t.Fatalf("%dx%d: line %d holds %U", m.w, m.h, i, r)
			}
		}
	}
	if c := m.View().Cursor; c != nil && (c.X < 0 || c.X >= m.w || c.Y < 0 || c.Y >= m.h) {
		t.Fatalf("%dx%d: the cursor stands at %d,%d", m.w, m.h, c.X, c.Y)
	}
}

// sweep is every size up to 40x12, those at which shapes change, and the usual
// large ones.
func sweep() [][2]int {
	var out [][2]int
	for w := range 41 {
		for h := range 13 {
			out = append(out, [2]int{w, h})
		}
	}
	for _, w := range []int{41, 59, 60, 80, 99, 100, 108, 131} {
		for _, h := range []int{1, 2, 5, 8, 12, 45} {
			out = append(out, [2]int{w, h})
		}
	}
	return append(out, [2]int{80, 24}, [2]int{120, 40}, [2]int{200, 60}, [2]int{300, 80}, [2]int{1, 200}, [2]int{500, 1})
}

// TestFailure44EverySize draws every scene at every size, and then at a usual
// one again: no panic, and nothing stays behind.
func TestFailure44EverySize(t *testing.T) {
	draws(t)
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			m := sc.play(120, 40)
			want := screen(m)
			for _, size := range sweep() {
				m.resize(size[0], size[1])
				m.dirty = true
				checkScreen(t, m)
			}
			m.resize(120, 40)
			if got := screen(m); got != want {
				t.Errorf("after all sizes the screen is\n%s\nwant\n%s", ansi.Strip(got), ansi.Strip(want))
			}
		})
	}
}

// TestFailure46TitlesThatShiftColumns puts each kind of text that terminals
// measure differently into every title, and holds every row of every scene to
// the width of the screen, measured both ways.
func TestFailure46TitlesThatShiftColumns(t *testing.T) {
	draws(t)
	for name, title := range map[string]string{
		"emoji": "🚀 fix 🧀 it", "ZWJ family": "👨\u200d👩\u200d👧\u200d👦 account", "skin tone": "👍🏽 yes", "flags": "🇩🇪🇫🇷🇩 half", "keycaps": "1️⃣ #️⃣",
		"selector": "❤️ ☎️ ✈", "combining": "e\u0301a\u0308 z\u0301\u0302\u0303\u0304\u0305", "wide": "日本語と中文와 한글", "jamo": "\u1112\u1161\u11ab",
		"right to left": "שלום مرحبا ok", "override": "\u202egnp.exe\u202c", "ambiguous": "→ ① Ω ■ … °C", "Indic": "हिन्दी क्षि", "zero width": "a\u200bb\u200c\u2060\ufeffc",
		"tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "half width": "ﾊﾝｶｸ ｶﾞ", "private": "\ue0b0 \ue100 \uf8ff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, sc := range scenes {
				s := sc.snap()
				if s == nil {
					continue
				}
				for i := range s.Rows {
					s.Rows[i].Issue.Title = title + " " + s.Rows[i].Issue.Title
				}
				for i := range s.Needs {
					s.Needs[i].Title = title
				}
				for i := range s.Pulls {
					s.Pulls[i].PR.Title = title
				}
				for _, size := range [][2]int{{80, 24}, {200, 60}, {41, 12}} {
					m, _ := room(size[0], size[1], s)
					typeKeys(m, sc.keys...)
					checkScreen(t, m)
				}
			}
		})
	}
}

// TestFailure11HostileText puts every text that has broken screens into every
// place a text comes from (failures.md, 11 and 46).
func TestFailure11HostileText(t *testing.T) {
	draws(t)
	for i, text := range []string{
		"a\x1b[?1049h\x1b[2J\x1b[1;1H", "a\x1b]0;owned\x07", "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x1b\\", "\x1b[31mred", "\x1b]0;never closed",
		"\x00\x07\x08\x7f", strings.Repeat("\r", 10_000), "\u009b31m\u0085", "\xff\xfe\xc3", "👨‍👩‍👧‍👦👍🏽❤️🇩🇪🇩", "z" + strings.Repeat("\u0301", 60),
		"\u202egnp.exe", "שלום مرحبا", "हिन्दी क्षि", "\u1112\u1161\u11ab", "\u200b\u200d\ufeff", "日本語のとても長いタイトル日本語のとても長いタイトル", "tab\tand\nline",
		strings.Repeat("x", 5000), "🏴\U000e0067\U000e0062\U000e007f", "1️⃣#️⃣", "",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := hostile(text)
			for _, size := range [][2]int{{120, 40}, {61, 12}, {17, 7}} {
				m, _ := room(size[0], size[1], s)
				m.opts.Reader.(*library).text = text //nolint:forcetypeassert // room makes it one
				checkScreen(t, m)
				for _, keys := range [][]string{{"tab"}, {"enter"}, {"pgdown"}, {"2"}, {"enter"}, {"home"}, {"3"}, {"enter"}, {"a"}, {"esc"}, {"4"}, {"5"}, {"up"}, {"q"}, {"esc"}, {"1"}, {"/"}, {"x"}, {"esc"}, {"w"}, {"d"}, {"v"}, {"v"}, {"R"}, {"esc"}, {"g", "m"}, {"g", "f"}, {"down"}} {
					typeKeys(m, keys...)
					checkScreen(t, m)
				}
				if title := m.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07\n\u009b") {
					t.Fatalf("the window title is %q", title)
				}
			}
		})
	}
}

// hostile is the sample with text in every place that comes from outside.
func hostile(text string) *state.Snapshot {
	s := sample()
	s.Repository, s.Agents, s.Status, s.Step, s.PollError = text, text, text, "", ""
	s.Milestones = []string{text}
	for i := range s.Rows {
		issue := &s.Rows[i].Issue
		issue.Title, issue.Body, issue.Milestone, issue.Assignee, issue.State = text, text+"\n- [ ] "+text+"\n"+text, text, text, text
		issue.Labels = []string{text}
		s.Rows[i].Waits = text
		for j := range issue.Comments {
			issue.Comments[j].Body, issue.Comments[j].Author = text, text
		}
	}
	for i := range s.Workers {
		w := &s.Workers[i]
		w.Activity, w.Run.Title, w.Run.Branch, w.Run.Worktree, w.Run.Failure = text, text, text, text, text
		if w.Outcome != "" {
			w.Outcome = text
		}
		for j := range w.Tail {
			w.Tail[j].Text, w.Tail[j].Tool = text, text
		}
	}
	for i := range s.Pulls {
		p := &s.Pulls[i].PR
		p.Title, p.Head = text, text
		for j := range p.Reviews {
			p.Reviews[j].Body = text
		}
		for j := range p.CheckRuns {
			p.CheckRuns[j].Name = text
		}
	}
	for i := range s.Needs {
		s.Needs[i].Title, s.Needs[i].Text, s.Needs[i].PR = text, text, text
	}
	for i := range s.Log {
		s.Log[i].Text = text
	}
	for i := range s.Firings {
		s.Firings[i].Why, s.Firings[i].Status = text, text
	}
	s.Notices = []state.Notice{{ID: 1, Text: text, Ref: "ACM-9"}}
	return s
}
