package report

import "strings"

// line is one line of a message, without trailing blanks.
type line struct {
	text string
	code bool // inside a code fence, or a fence's own marker
}

// document is a message as lines, with code fences recognised.
type document struct {
	lines []line
	open  bool // a fence is never closed
}

// split cuts a message into lines. Only line feeds end a line: a carriage
// return in the middle of one hides nothing from an exact comparison.
func split(text string) document {
	var doc document
	var f fence
	for raw := range strings.SplitSeq(text, "\n") {
		t := strings.TrimRight(raw, " \t\r")
		if f.mark == 0 {
			if f.starts(t) {
				doc.lines = append(doc.lines, line{text: t, code: true})
				continue
			}
			doc.lines = append(doc.lines, line{text: t})
			continue
		}
		doc.lines = append(doc.lines, line{text: t, code: true})
		if f.ends(t) {
			f = fence{}
		}
	}
	doc.open = f.mark != 0
	return doc
}

// ends are the first and the last non-empty line outside code fences.
func (d document) ends() (first, last string) {
	for _, l := range d.lines {
		if l.code || l.text == "" {
			continue
		}
		if first == "" {
			first = l.text
		}
		last = l.text
	}
	return first, last
}

// fence is an open code fence. The zero value is none.
type fence struct {
	mark   byte // '`' or '~'; 0 when none is open
	length int
	indent int
}

// starts opens the fence when the line does, at any indentation: inside a list
// a fence may stand deep. A back-tick fence has no back-tick in its info
// string; a line like "```x```" is inline code.
func (f *fence) starts(text string) bool {
	body := strings.TrimLeft(text, " \t")
	n := run(body)
	if n < 3 {
		return false
	}
	if body[0] == '`' && strings.Contains(body[n:], "`") {
		return false
	}
	*f = fence{mark: body[0], length: n, indent: len(text) - len(body)}
	return true
}

// ends says whether the line closes the fence: the same mark, at least as
// long, nothing after it, and not indented as code inside the block would be.
func (f *fence) ends(text string) bool {
	body := strings.TrimLeft(text, " \t")
	n := run(body)
	return n >= f.length && body[0] == f.mark && n == len(body) && len(text)-len(body) <= f.indent+3
}

// run is the length of the run of fence marks that s starts with.
func run(s string) int {
	if s == "" || (s[0] != '`' && s[0] != '~') {
		return 0
	}
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}
