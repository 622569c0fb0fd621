package workers

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabWidth is how many spaces a tab becomes.
const tabWidth = 4

// Clean makes text from an agent safe to show: control characters are shown
// and not sent (design.md, section 14), line ends become line feeds, tabs
// spaces, and what is longer than limit bytes is cut with an ellipsis. Line
// feeds are the only control characters left.
func Clean(s string, limit int) string {
	if limit > 0 && len(s) <= limit && isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), max(limit, 0)) + utf8.UTFMax)
	var last rune
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		i += w
		if b.Len() >= limit {
			b.WriteRune('…')
			break
		}
		if r == '\r' {
			if i < len(s) && (s[i] == '\n' || s[i] == '\r') {
				continue // CRLF is a line end; a run of returns is shown once
			}
			if i == len(s) || last == '\n' {
				continue
			}
		}
		writeShown(&b, r)
		last = r
	}
	return b.String()
}

func isClean(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return isCleanSlow(s[i:])
		}
		if c < ' ' && c != '\n' || c == 0x7f {
			return false
		}
	}
	return true
}

func isCleanSlow(s string) bool {
	for _, r := range s {
		if r != '\n' && (r == utf8.RuneError || hidden(r)) {
			return false
		}
	}
	return true
}

// hidden says whether a character would steer a terminal or hide what stands
// there: controls, formatting marks of either direction, separators that some
// terminals take for line ends.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == '\u2028', r == '\u2029', r == '\u061c', r == '\u200e', r == '\u200f', r == '\ufeff':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

func writeShown(b *strings.Builder, r rune) {
	switch {
	case r == '\n', r == '\u2028', r == '\u2029':
		b.WriteByte('\n')
	case r == '\t':
		for range tabWidth {
			b.WriteByte(' ')
		}
	case r < ' ':
		b.WriteRune('\u2400' + r) // the control pictures
	case r == 0x7f:
		b.WriteRune('\u2421')
	case hidden(r):
		b.WriteRune(utf8.RuneError)
	default:
		b.WriteRune(r)
	}
}

// FirstLine is the first line of text that holds anything, for a place where
// there is room for one line.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
