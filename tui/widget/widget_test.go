package widget

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/themes"
)

// hostile holds one text for each way in which text has broken screens.
var hostile = map[string]string{
	"plain":             "Cache invalidation",
	"alt screen":        "a\x1b[?1049hb",
	"cursor moves":      "a\x1b[2J\x1b[1;1Hb",
	"title":             "a\x1b]0;owned\x07b",
	"hyperlink":         "a\x1b]8;;http://x\x1b\\b",
	"clipboard":         "a\x1b]52;c;aGk=\x07b",
	"unclosed osc":      "a\x1b]0;rest of the title",
	"unclosed colour":   "a\x1b[31",
	"colour":            "a\x1b[31mred\x1b[0m",
	"nul and bel":       "a\x00\x07b",
	"carriage returns":  strings.Repeat("\r", 10000),
	"c1":                "a\u009b31mb\u0085c",
	"bad utf8":          "a\xff\xfeb\xc3",
	"tab and newline":   "a\tb\nc",
	"emoji":             "🚀 launch ☕",
	"zwj family":        "👨‍👩‍👧‍👦 family",
	"skin tone":         "👍🏽 ok",
	"flag":              "🇩🇪🇫🇷 flags",
	"half a flag":       "a🇩b",
	"variation":         "❤️ ⚠️ 1️⃣",
	"combining":         "e\u0301 o\u0308",
	"zalgo":             "z" + strings.Repeat("\u0301", 40),
	"lonely mark":       "\u0301x",
	"cjk":               "日本語のタイトル 中文标题 한국어",
	"hangul jamo":       "\u1112\u1161\u11ab",
	"rtl":               "שלום עולם مرحبا",
	"bidi override":     "a\u202egnp.exe\u202c",
	"isolates":          "\u2066a\u2069\u200f",
	"hindi":             "हिन्दी में शीर्षक क्षि",
	"thai":              "ภาษาไทยที่นี่",
	"zero width":        "a\u200b\u200c\u200d\ufeff\u2060b",
	"tags":              "🏴\U000e0067\U000e0062\U000e007f",
	"private use":       "\ue0b0 powerline",
	"line separator":    "a\u2028b",
	"soft hyphen":       "a\u00adb",
	"ambiguous":         "± × … — ○ ●",
	"keycap and marks":  "#️⃣ *️⃣",
	"arabic ligature":   "ﷺ",
	"only zwj":          "\u200d\u200d",
	"emoji then letter": "👩‍🚀a",
}

func TestCleanIsSafeAndMeasured(t *testing.T) {
	t.Parallel()
	for name, in := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkClean(t, in)
		})
	}
}

func checkClean(t *testing.T, in string) {
	t.Helper()
	out := Clean(in)
	if !utf8.ValidString(out) {
		t.Errorf("%q becomes invalid UTF-8 %q", in, out)
	}
	for _, r := range out {
		if r < 0x20 || (r >= 0x7f && r < 0xa0) || isBidi(r) {
			t.Errorf("%q keeps the control character %U: %q", in, r, out)
		}
	}
	if g, w := ansi.StringWidth(out), ansi.StringWidthWc(out); g != w {
		t.Errorf("%q becomes %q, %d cells by grapheme and %d by code point", in, out, g, w)
	}
	if again := Clean(out); !strings.ContainsRune(out, 0x200b) && ansi.StringWidth(again) != ansi.StringWidth(out) {
		t.Errorf("cleaning %q twice changes its width: %q", out, again)
	}
	for w := range 12 {
		if got := Fit(out, w); ansi.StringWidth(got) != w || ansi.StringWidthWc(got) != w {
			t.Errorf("Fit(%q, %d) = %q", out, w, got)
		}
	}
}

func TestCleanShows(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\x1b[31mred\x1b[0m": "ared",
		"a\x1b]0;x":           "a␛]0;x",
		"a\x07b":              "a␇b",
		"\r\r\r\rdone":        "␍done",
		"a\u202eb":            "a�b",
		"👨‍👩‍👧 x":             "👨 x",
		"👍🏽":                  "👍",
		"a🇩b":                 "aDb",
		"e\u0301":             "e\u0301",
		"日本":                  "日本",
		"a\nb\tc":             "a b c",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(checkClean)
}

func TestLineIsExactlyAsWideAsAsked(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	for name, text := range hostile {
		text = Clean(text)
		line := Line{{st.Alive, "● "}, {st.Strong, text}, {st.Muted, " · 12m"}}
		right := Line{{st.Warn, Cut(text, 6)}}
		for _, w := range []int{0, 1, 2, 3, 4, 5, 7, 9, 14, 20, 29} {
			for _, chosen := range []bool{true, false} {
				if got := line.Render(w, chosen, &st); ansi.StringWidth(got) != w {
					t.Fatalf("%s: Render(%d) is %d wide: %q", name, w, ansi.StringWidth(got), got)
				}
				if got := Sides(line, right, w, chosen, &st); ansi.StringWidth(got) != w {
					t.Fatalf("%s: Sides(%d) is %d wide: %q", name, w, ansi.StringWidth(got), got)
				}
			}
			for _, l := range Markdown("# "+text+"\n- [x] "+text+"\n```\n"+text+"\n```\n> "+text+"\n   1. "+text, w+1, &st) {
				if ansi.StringWidth(l) != w+1 {
					t.Fatalf("%s: Markdown(%d) has a line of %d: %q", name, w+1, ansi.StringWidth(l), l)
				}
			}
		}
	}
}

func TestLineSaysWhatItLeavesOff(t *testing.T) {
	t.Parallel()
	var st themes.Styles
	line := Line{{Text: "abc"}, {Text: "def"}}
	for w, want := range map[int]string{6: "abcdef", 5: "abcd…", 4: "abc…", 3: "ab…", 1: "…", 8: "abcdef  "} {
		if got := line.Render(w, false, &st); got != want {
			t.Errorf("Render(%d) = %q, want %q", w, got, want)
		}
	}
}

// What stands below a field leaves room for the rest, and says so where it is
// cut.
func TestNotesLeaveRoom(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	for h, want := range map[int]int{4: 1, 11: 1, 12: 3, 24: 6, 40: 10, 400: 90} {
		got := Notes([]string{strings.Repeat("labels of it, ", 90)}, 20, h, st.Muted, &st)
		if cut := strings.HasSuffix(ansi.Strip(got[len(got)-1]), "…"); len(got) != want || cut != (h < 400) {
			t.Errorf("of %d lines it takes %d, the last %q", h, len(got), got[len(got)-1])
		}
	}
}

func TestBoxNeverBreaks(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	for w := range 24 {
		for h := range 8 {
			iw, _ := Inner(w, h)
			content := []string{Fit("日本語 content", iw), Fit("second", iw)}
			got := Box{Title: "Ready 4 日本", Note: "4 of 31", Foot: "esc", Focus: w%2 == 0}.Render(content, w, h, &st)
			if w > 0 && len(got) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(got))
			}
			for _, l := range got {
				if ansi.StringWidth(l) != w {
					t.Fatalf("%dx%d: a line of %d: %q", w, h, ansi.StringWidth(l), ansi.Strip(l))
				}
			}
		}
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 0: "now", 59 * time.Second: "now", time.Minute: "1m", 97 * time.Minute: "97m",
		3 * time.Hour: "3h", 47 * time.Hour: "47h", 72 * time.Hour: "3d",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%s) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0:00", 42 * time.Second: "0:42", 12 * time.Minute: "12:00", 3723 * time.Second: "1:02:03",
	} {
		if got := Clock(d); got != want {
			t.Errorf("Clock(%s) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 2114: "2,114", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{12: "12 tokens", 48_200: "48k tokens", 2_100_000: "2.1M tokens"} {
		if got := Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-1: "", 8 * time.Millisecond: "8 ms", 1234 * time.Millisecond: "1.2 s", 90 * time.Second: "1:30",
	} {
		if got := Took(d); got != want {
			t.Errorf("Took(%s) = %q, want %q", d, got, want)
		}
	}
	if Lasted(time.Second) != "<1m" || Lasted(3*time.Minute) != "3m" {
		t.Error("Lasted does not say how long")
	}
	if Ago(time.Time{}, time.Now()) != "" || Since(time.Time{}, time.Now()) != "" {
		t.Error("the zero time has an age")
	}
}

func TestWindowKeepsTheSelectionVisible(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		for h := range 6 {
			var w Window
			for _, m := range []Move{MoveDown, MoveDown, MovePageDown, MoveHalfDown, MoveLast, MoveUp, MovePageUp, MoveHalfUp, MoveFirst, MoveLast} {
				w.Apply(m, n, h)
				if w.Sel < 0 || (n > 0 && w.Sel >= n) || w.Top < 0 || w.Sel < w.Top || w.Sel >= w.Top+max(h, 1) {
					t.Fatalf("%d items, %d lines, after %d: %+v", n, h, m, w)
				}
			}
		}
	}
}

// TestCleanTwice holds text that is cleaned again to what it was: panes and
// the room clean what they do not know to be clean.
func TestCleanTwice(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"हिन्दी क्षि", "ﾊﾝｶｸ ｶﾞ", "각 한글", "e\u0301\u0301\u0301", "a\u200b\u200bb", "\u200b", "👨‍👩‍👧 🇩🇪", "x\u200bि"} {
		once := Clean(s)
		twice := Clean(once)
		if once != twice || ansi.StringWidth(twice) != ansi.StringWidthWc(twice) {
			t.Errorf("%q becomes %q, then %q", s, once, twice)
		}
	}
}
