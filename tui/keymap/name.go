package keymap

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// Name is the key that was pressed as the table names it: full-width forms
// count as ASCII, and where a letter is not Latin the place of the key counts,
// if the terminal tells it or the person has said which keyboard it is.
func Name(k tea.Key, keyboard string) string {
	if k.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock) != 0 {
		return k.String()
	}
	runes := []rune(k.Text)
	if len(runes) != 1 {
		return k.String()
	}
	r := runes[0]
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		return string(r - 0xfee0)
	case r == 0x3000:
		return "space"
	case r < 0x80 || !unicode.IsLetter(r):
		return k.String()
	}
	if k.BaseCode > 0x20 && k.BaseCode < 0x7f {
		return cased(k.BaseCode, k.Mod.Contains(tea.ModShift) || unicode.IsUpper(r))
	}
	if latin, ok := place(r, keyboard); ok {
		return string(latin)
	}
	return k.String()
}

func cased(r rune, upper bool) string {
	if upper {
		return strings.ToUpper(string(r))
	}
	return string(r)
}

// qwerty and the keyboards name the same places in the same order.
const qwerty = "qwertyuiop[]asdfghjkl;'zxcvbnm,."

var keyboards = map[string]string{
	"cyrillic": "йцукенгшщзхъфывапролджэячсмитьбю",
	"greek":    ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,.",
	"hebrew":   "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ",
}

// Keyboards lists the names that Name knows besides the empty one.
func Keyboards() []string { return []string{"cyrillic", "greek", "hebrew"} }

// place is the Latin letter on the key of a letter.
func place(r rune, keyboard string) (rune, bool) {
	low := unicode.ToLower(r)
	at := 0
	for _, k := range keyboards[keyboard] {
		if k == low {
			latin := rune(qwerty[at])
			if r != low {
				latin = unicode.ToUpper(latin)
			}
			return latin, true
		}
		at++
	}
	return 0, false
}
