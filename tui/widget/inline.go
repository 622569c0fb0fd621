package widget

import (
	"strings"

	"github.com/backside4charter/dispatcher/themes"
)

// Inline splits clean text into spans: `code`, **strong**, *stressed* text and
// [links](address) lose their marks and get inks. A mark without its partner is
// text.
func Inline(s string, ink themes.Ink, st *themes.Styles) Line {
	if len(s) > inlineMax {
		return Line{{ink, s}}
	}
	return inline(s, ink, st, true)
}

// inlineMax is how long a line may be whose marks are read: no person writes a
// longer one, and every mark is looked for to the end of it.
const inlineMax = 4000

func inline(s string, ink themes.Ink, st *themes.Styles, stress bool) Line {
	var out Line
	plain := 0
	flush := func(upto int) {
		if upto > plain {
			out = append(out, Span{ink, s[plain:upto]})
		}
	}
	for i := 0; i < len(s); {
		spans, n := inlineAt(s, i, ink, st, stress)
		if n == 0 {
			i++
			continue
		}
		flush(i)
		out = append(out, spans...)
		i += n
		plain = i
	}
	flush(len(s))
	return out
}

// inlineAt is the marked text that begins at i and how many bytes it takes,
// marks included; 0 for none.
func inlineAt(s string, i int, ink themes.Ink, st *themes.Styles, stress bool) (Line, int) {
	rest := s[i:]
	switch s[i] {
	case '`':
		n := len(rest) - len(strings.TrimLeft(rest, "`"))
		if end := strings.Index(rest[n:], rest[:n]); end > 0 {
			return Line{{st.Accent, rest[n : n+end]}}, 2*n + end
		}
	case '*', '_':
		if !stress {
			break // one kind of stress is enough, and deeper ones cost
		}
		for _, mark := range []string{rest[:min(2, len(rest))], rest[:1]} {
			if len(mark) == 2 && mark[0] != mark[1] {
				continue
			}
			if end := closes(s, i, mark); end > 0 {
				return inline(rest[len(mark):end], ink.Bold(), st, false), end + len(mark)
			}
		}
	case '[':
		text, after, ok := strings.Cut(rest[1:], "](")
		if !ok || strings.ContainsAny(text, "[]") {
			break
		}
		to, _, ok := strings.Cut(after, ")")
		if !ok || text == "" || strings.ContainsAny(to, " (") {
			break
		}
		line := Line{{st.Accent, text}}
		if to != "" && to != text {
			line = append(line, Span{st.Muted, " (" + to + ")"})
		}
		return line, 1 + len(text) + 2 + len(to) + 1
	}
	return nil, 0
}

// closes is where, from i, the mark that opens there is closed; 0 if it opens
// nothing. Marks inside a word, as in snake_case, are text.
func closes(s string, i int, mark string) int {
	open := s[i+len(mark):]
	if open == "" || open[0] == ' ' || open[0] == mark[0] || (i > 0 && (wordByte(s[i-1]) || s[i-1] == mark[0])) {
		return 0
	}
	for from := 1; from < len(open); from++ {
		at := strings.Index(open[from:], mark)
		if at < 0 {
			return 0
		}
		at += from
		end := at + len(mark)
		if open[at-1] != ' ' && (end == len(open) || !wordByte(open[end])) && (end == len(open) || open[end] != mark[0]) {
			return len(mark) + at
		}
		from = at
	}
	return 0
}

func wordByte(c byte) bool {
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// wrapSpans breaks a line into lines of at most w cells, and keeps its inks.
func wrapSpans(l Line, w int) []Line {
	text := l.Plain()
	parts := Wrap(text, w)
	if len(parts) == 1 && parts[0] == text {
		return []Line{l}
	}
	out := make([]Line, 0, len(parts))
	at := 0
	for _, p := range parts {
		i := strings.Index(text[at:], p)
		if i < 0 || strings.TrimSpace(text[at:at+i]) != "" {
			out = append(out, Line{{Text: p}}) // a break inside what cannot be broken
			continue
		}
		at += i
		out = append(out, l.slice(at, at+len(p)))
		at += len(p)
	}
	return out
}

// slice is the bytes [from, to) of the line's text.
func (l Line) slice(from, to int) Line {
	var out Line
	at := 0
	for _, s := range l {
		a, b := max(from-at, 0), min(to-at, len(s.Text))
		if a < b {
			out = append(out, Span{s.Ink, s.Text[a:b]})
		}
		at += len(s.Text)
	}
	return out
}
