package widget

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/themes"
)

func press(f *Field, keys ...string) {
	codes := map[string]tea.KeyPressMsg{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl},
		"ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		if msg, ok := codes[k]; ok {
			f.Update(msg)
			continue
		}
		for _, r := range k {
			f.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

func TestFieldEdits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys []string
		want string
	}{
		"typing":             {[]string{"hello"}, "hello"},
		"in the middle":      {[]string{"helo", "left", "l"}, "hello"},
		"backspace":          {[]string{"hellx", "backspace", "o"}, "hello"},
		"delete":             {[]string{"hxello", "home", "right", "delete"}, "hello"},
		"word":               {[]string{"one two", "ctrl+w"}, "one "},
		"to the start":       {[]string{"one two", "left", "ctrl+u"}, "o"},
		"to the end":         {[]string{"one two", "ctrl+left", "ctrl+k"}, "one "},
		"new line":           {[]string{"a", "ctrl+j", "b"}, "a\nb"},
		"up and down":        {[]string{"ab", "ctrl+j", "cd", "up", "x", "down", "y"}, "abx\ncdy"},
		"home in a line":     {[]string{"ab", "ctrl+j", "cd", "home", "x"}, "ab\nxcd"},
		"first and last":     {[]string{"ab", "ctrl+j", "cd", "ctrl+home", "x", "ctrl+end", "y"}, "xab\ncdy"},
		"wide":               {[]string{"日本", "left", "x"}, "日x本"},
		"whole emoji":        {[]string{"a", "👍🏽", "backspace", "b"}, "ab"},
		"backspace at start": {[]string{"backspace", "delete", "left", "a"}, "a"},
		"word right":         {[]string{"one two", "home", "ctrl+right", "!"}, "one! two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := NewField(true)
			f.SetSize(20, 4)
			for _, k := range tc.keys {
				if k == "👍🏽" {
					f.Update(tea.PasteMsg{Content: k})
					continue
				}
				press(f, k)
			}
			if f.Value() != tc.want {
				t.Errorf("%q, want %q", f.Value(), tc.want)
			}
		})
	}
}

func TestFieldPastes(t *testing.T) {
	t.Parallel()
	f := NewField(true)
	f.Update(tea.PasteMsg{Content: "a\r\nb\rc\xff"})
	if f.Value() != "a\nb\nc\ufffd" {
		t.Errorf("pasted %q", f.Value())
	}
	one := NewField(false)
	one.Update(tea.PasteMsg{Content: "a\nb"})
	if one.Value() != "a b" {
		t.Errorf("pasted %q into one line", one.Value())
	}
	f.Update(tea.PasteMsg{Content: strings.Repeat("x", fieldMax)})
	if len(f.Value()) > fieldMax {
		t.Error("a field grows without end")
	}
}

func TestFieldBreaksAtBackslash(t *testing.T) {
	t.Parallel()
	f := NewField(true)
	press(f, `one\`)
	if !f.Break() || f.Value() != "one\n" {
		t.Errorf("%q", f.Value())
	}
	if f.Break() {
		t.Error("a line break without a backslash")
	}
}

func TestFieldLeavesOtherKeysAlone(t *testing.T) {
	t.Parallel()
	f := NewField(true)
	for _, msg := range []tea.KeyPressMsg{{Code: tea.KeyEnter}, {Code: tea.KeyEscape}, {Code: tea.KeyTab}, {Code: 'p', Mod: tea.ModCtrl}, {Code: 'c', Mod: tea.ModCtrl}, {Code: tea.KeyF1}} {
		if f.Update(msg) || f.Value() != "" {
			t.Errorf("%s types %q", msg, f.Value())
		}
	}
}

func TestFieldDrawsAtEverySize(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	for name, text := range hostile {
		for _, w := range []int{1, 2, 3, 5, 8, 13} {
			for _, h := range []int{1, 3} {
				f := NewField(true)
				f.SetSize(w, h)
				f.Update(tea.PasteMsg{Content: text[:min(len(text), 120)] + " and more\nlines"})
				for range 12 {
					lines := f.View(&st)
					if len(lines) != h {
						t.Fatalf("%s %dx%d: %d lines", name, w, h, len(lines))
					}
					for _, l := range lines {
						if ansi.StringWidth(l) != w {
							t.Fatalf("%s %dx%d: a line of %d: %q", name, w, h, ansi.StringWidth(l), l)
						}
					}
					if x, y := f.Cursor(); x < 0 || x >= w || y < 0 || y >= h {
						t.Fatalf("%s %dx%d: the cursor stands at %d,%d", name, w, h, x, y)
					}
					press(f, "left")
				}
			}
		}
	}
}

func TestFieldWrapsAtWords(t *testing.T) {
	t.Parallel()
	var st themes.Styles
	f := NewField(true)
	f.SetSize(10, 4)
	press(f, "hello brave new world")
	want := []string{"hello     ", "brave new ", "world     ", "          "}
	for i, l := range f.View(&st) {
		if l != want[i] {
			t.Errorf("line %d is %q, want %q", i, l, want[i])
		}
	}
	if x, y := f.Cursor(); x != 5 || y != 2 {
		t.Errorf("the cursor stands at %d,%d", x, y)
	}
}
