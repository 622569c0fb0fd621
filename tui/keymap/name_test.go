package keymap

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestName(t *testing.T) {
	t.Parallel()
	text := func(s string) tea.Key { return tea.Key{Code: []rune(s)[0], Text: s} }
	for name, tc := range map[string]struct {
		key      tea.Key
		keyboard string
		want     string
	}{
		"a letter":                 {text("j"), "", "j"},
		"a capital":                {tea.Key{Code: 'm', ShiftedCode: 'M', Text: "M", Mod: tea.ModShift}, "", "M"},
		"space":                    {tea.Key{Code: tea.KeySpace, Text: " "}, "", "space"},
		"enter":                    {tea.Key{Code: tea.KeyEnter}, "", "enter"},
		"with control":             {tea.Key{Code: 'p', Mod: tea.ModCtrl}, "", "ctrl+p"},
		"full width":               {text("ｊ"), "", "j"},
		"full width mark":          {text("！"), "", "!"},
		"full width space":         {text("\u3000"), "", "space"},
		"the place that is told":   {tea.Key{Code: 'о', BaseCode: 'j', Text: "о"}, "", "j"},
		"its capital":              {tea.Key{Code: 'ь', BaseCode: 'm', Text: "Ь", Mod: tea.ModShift}, "", "M"},
		"cyrillic by setting":      {text("о"), "cyrillic", "j"},
		"cyrillic capital":         {text("Ь"), "cyrillic", "M"},
		"cyrillic without":         {text("о"), "", "о"},
		"greek by setting":         {text("ξ"), "greek", "j"},
		"hebrew by setting":        {text("ח"), "hebrew", "j"},
		"a letter of nobody":       {text("ñ"), "cyrillic", "ñ"},
		"latin stays":              {text("x"), "cyrillic", "x"},
		"the latin keyboard":       {text("о"), "latin", "о"},
		"a sign that is no letter": {text("€"), "cyrillic", "€"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Name(tc.key, tc.keyboard); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestKeyboards holds the layouts to one place for each key.
func TestKeyboards(t *testing.T) {
	t.Parallel()
	for _, name := range Keyboards() {
		if got, want := len([]rune(keyboards[name])), len(qwerty); got != want {
			t.Errorf("%s has %d places, want %d", name, got, want)
		}
	}
}
