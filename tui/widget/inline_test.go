package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/themes"
)

func TestInline(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	show := func(l Line) string {
		var b strings.Builder
		for _, s := range l {
			switch s.Ink {
			case st.Accent:
				b.WriteString("‹" + s.Text + "›")
			case st.Text.Bold():
				b.WriteString("«" + s.Text + "»")
			default:
				b.WriteString(s.Text)
			}
		}
		return b.String()
	}
	for in, want := range map[string]string{
		"plain":                         "plain",
		"run `go test ./...` now":       "run ‹go test ./...› now",
		"**both** and *one* and __two_": "«both» and «one» and __two_",
		"snake_case_name and 2*3*4":     "snake_case_name and 2*3*4",
		"a * b * c":                     "a * b * c",
		"[docs](https://x.org/a)":       "‹docs› (https://x.org/a)",
		"[ ] not a (link)":              "[ ] not a (link)",
		"an open `mark":                 "an open `mark",
		"**bold `code` in it**":         "«bold »‹code›« in it»",
		"**a *b* c**":                   "«a *b* c»",
		"***":                           "***",
		"":                              "",
	} {
		if got := show(Inline(in, st.Text, &st)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownRows(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	rows, starts := MarkdownRows("# Head\n\nA **long** line of words that wraps here.\n- [x] one\n- [ ] two `three`\n---\n| a | b |\n````md\n```\nx\n````\nend", 20, &st)
	var plain []string
	for _, r := range rows {
		plain = append(plain, strings.TrimRight(ansi.Strip(r), " "))
	}
	want := []string{
		"Head", "", "A long line of words", "that wraps here.", "[x] one", "[ ] two three", "────────────────────",
		"| a | b |", "````md", "  ```", "  x", "````", "end",
	}
	if got := strings.Join(plain, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	if starts[3] != 4 || starts[4] != 5 || len(starts) != 12 {
		t.Errorf("the lines begin at %v", starts)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n**b** [c](d) `e`\n- [ ] x\n```\ny", 10)
	f.Add("日本語**語**と_x_", 4)
	f.Add("*-*-*", 3)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if w < 1 || w > 200 || len(text) > 2000 {
			return
		}
		st := themes.For(true).Styles()
		for _, r := range Markdown(text, w, &st) {
			s := ansi.Strip(r)
			if g, c := ansi.StringWidth(s), ansi.StringWidthWc(s); g != w || c != w {
				t.Fatalf("%q in %d cells: %q is %d and %d wide", text, w, s, g, c)
			}
		}
	})
}
