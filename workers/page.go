package workers

import (
	"strings"
	"unicode/utf8"
)

// page takes the lines of a tail from number from on, and forgets the others.
// The zero value keeps none.
type page struct {
	from, most int
	lines      []Line
	see        func(n int, l *Line) // is shown every line, as the agent gave it
}

func (p *page) take(n int, l Line) {
	if p.see != nil {
		p.see(n, &l)
	}
	if n >= p.from && len(p.lines) < p.most {
		p.lines = append(p.lines, cleanLine(l))
	}
}

func (p *page) line(n int) *Line {
	if i := n - p.from; i >= 0 && i < len(p.lines) {
		return &p.lines[i]
	}
	return nil
}

// needle is a text that is looked for without regard to case.
type needle struct {
	text  string // lower case
	ascii bool
}

func folded(text string) needle {
	n := needle{text: strings.ToLower(text), ascii: true}
	for i := range len(n.text) {
		n.ascii = n.ascii && n.text[i] < utf8.RuneSelf
	}
	return n
}

// in says whether a line holds the text, in what is shown of it.
func (n needle) in(l *Line) bool {
	return n.within(l.Text[:min(len(l.Text), lineText)]) || l.Tool != "" && n.within(l.Tool)
}

func (n needle) within(s string) bool {
	if !n.ascii {
		return strings.Contains(strings.ToLower(s), n.text)
	}
	// Either case of its first letter, whichever comes next.
	either := n.text[:1] + strings.ToUpper(n.text[:1])
	for len(s) >= len(n.text) {
		i := strings.IndexAny(s, either)
		if i < 0 || len(s)-i < len(n.text) {
			return false
		}
		if strings.EqualFold(s[i:i+len(n.text)], n.text) {
			return true
		}
		s = s[i+1:]
	}
	return false
}
