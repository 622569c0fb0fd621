package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/themes"
)

// Mark draws every place where the text stands, in any case of letters, in an
// ink of its own. An empty text marks nothing; one that is broken by a line's
// inks is not found.
func (l Line) Mark(text string, ink themes.Ink) Line {
	if text == "" {
		return l
	}
	var out Line
	for _, s := range l {
		rest := s.Text
		for {
			from, to := index(rest, text)
			if from < 0 {
				break
			}
			if from > 0 {
				out = append(out, Span{s.Ink, rest[:from]})
			}
			out = append(out, Span{ink, rest[from:to]})
			rest = rest[to:]
		}
		if rest != "" {
			out = append(out, Span{s.Ink, rest})
		}
	}
	return out
}

// Holds says whether s holds a text, in any case of letters.
func Holds(s, text string) bool {
	from, _ := index(s, text)
	return from >= 0
}

// index is where a text stands in s, in any case of letters: lowering the case
// of a whole string can change its length, hence rune by rune.
func index(s, text string) (from, to int) {
	if text == "" {
		return -1, -1
	}
	if plain(s) && plain(text) {
		i := strings.Index(strings.ToLower(s), strings.ToLower(text))
		return i, i + len(text)
	}
	for i := range s {
		if n := prefix(s[i:], text); n >= 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// prefix is how many bytes of s the text takes at its start, -1 if it does not
// stand there.
func prefix(s, text string) int {
	n := 0
	for _, want := range text {
		if n >= len(s) {
			return -1
		}
		got, size := utf8.DecodeRuneInString(s[n:])
		if got != want && unicode.ToLower(got) != unicode.ToLower(want) {
			return -1
		}
		n += size
	}
	return n
}
