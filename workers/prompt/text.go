package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of each text a prompt carries, in characters. What the owner
// decides is cut last: his words are carried verbatim up to a length that no
// comment of a board or a forge reaches.
const (
	maxOwnerText   = 70_000
	maxDescription = 30_000
	maxPRBody      = 10_000
	maxReviewBody  = 8_000
	maxComment     = 4_000
	maxShort       = 2_000
	maxLine        = 400

	maxComments   = 20
	maxReviews    = 20
	maxAllReviews = 150_000 // characters of all reviews in a prompt together
	maxFindings   = 50
	maxLanded     = 100
	maxFiles      = 200
)

// fencer wraps untrusted text of one prompt.
type fencer struct {
	nonce string
}

func (f fencer) tag() string { return "untrusted-" + f.nonce }

// block is text between the two lines that mark it as data. Text that holds
// the nonce loses it: nobody who wrote it can have known it.
func (f fencer) block(name, text string) string {
	text = strings.ReplaceAll(text, f.nonce, "[removed]")
	return fmt.Sprintf("<%s name=%q>\n%s\n</%s>", f.tag(), name, strings.TrimRight(text, "\n"), f.tag())
}

// clean makes foreign text safe to read: valid UTF-8, line feeds only, no
// control or formatting characters that hide or reorder text.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, text)
}

// hidden says whether a character is not seen: controls, direction overrides,
// tag characters. Joiners stay, emoji and several scripts need them.
func hidden(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return false
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r):
		return true
	}
	return false
}

// oneLine is foreign text on one line.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return firstRunes(text, limit-1) + "…"
}

// cut shortens clean text to a number of characters and says so, and where the
// rest is.
func cut(text string, limit int, rest string) string {
	text = strings.Trim(clean(text), "\n")
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	note := fmt.Sprintf("\n[%d more characters are left out here", n-limit)
	if rest != "" {
		note += "; " + rest + " shows them"
	}
	return firstRunes(text, limit) + note + "]"
}

func firstRunes(text string, n int) string {
	i := 0
	for pos := range text {
		if i == n {
			return text[:pos]
		}
		i++
	}
	return text
}

// quoteArg is a word as a shell takes it; a leading `#` would start a comment.
func quoteArg(s string) string {
	plain := s != ""
	for i, r := range s {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			i > 0 && strings.ContainsRune("-_./", r)
		plain = plain && ok
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
