package state

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// About is the issue that a command is about, or the pull request where it names
// no issue; empty if it is about neither.
func (c *Command) About() string { return cmp.Or(string(c.Ref), c.PR) }

// NamedIn reports whether a reason names what the command is about, so that
// nobody has to put it before: in what stands before its first colon, as a word
// of its own. DSP-12 does not name DSP-1.
func (c *Command) NamedIn(reason string) bool {
	name := c.About()
	if name == "" {
		return false
	}
	before := ""
	rest, _, _ := strings.Cut(reason, ": ")
	for {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, rest = before+rest[:i], rest[i+len(name):]
		if !runsInto(before) && !runsOn(rest) {
			return true
		}
		before += name
	}
}

// runsInto says whether a word that began in text goes on after it.
func runsInto(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return inWord(r) || strings.ContainsRune("-#/", r)
}

// runsOn says whether text goes on with a word that began before it.
func runsOn(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "-"))
	return inWord(r)
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
