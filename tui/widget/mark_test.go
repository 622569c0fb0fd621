package widget

import (
	"testing"

	"github.com/backside4charter/dispatcher/themes"
)

func TestMark(t *testing.T) {
	t.Parallel()
	ink := themes.Ink{}.Bold()
	for in, want := range map[string]string{
		"":                    "",
		"nothing here":        "nothing here",
		"Cache and cache":     "[Cache] and [cache]",
		"der Straßencache İx": "der Straßen[cache] İx",
		"cachecache":          "[cache][cache]",
	} {
		got := ""
		for _, s := range (Line{{Text: in}}).Mark("cAche", ink) {
			if s.Ink == ink {
				got += "[" + s.Text + "]"
				continue
			}
			got += s.Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if l := (Line{{Text: "x"}}).Mark("", ink); len(l) != 1 || l[0].Ink == ink {
		t.Errorf("the empty text marks %v", l)
	}
	if !Holds("ÄPFEL", "äpf") || Holds("abc", "") {
		t.Error("Holds")
	}
}

func FuzzMark(f *testing.F) {
	f.Add("Straße", "SS")
	f.Add("İstanbul", "i")
	f.Fuzz(func(t *testing.T, s, text string) {
		if got := (Line{{Text: s}}).Mark(text, themes.Ink{}.Bold()).Plain(); got != s {
			t.Errorf("marking %q in %q makes it %q", text, s, got)
		}
	})
}
