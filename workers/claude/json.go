package claude

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The stream is read with a scanner of our own: of each line we need a few
// fields of many, key order is not stable, and five workers may write
// thousands of lines a second. The scanner finds members without building
// anything. It accepts every JSON value; of what is not JSON it accepts some,
// and never panics.

// member is one key of an object with its raw value.
type member struct {
	key []byte // without quotes, not unescaped
	val raw
}

// raw is one JSON value as it stands in the line.
type raw []byte

// object is the members of one JSON object, in their order.
type object []member

// room is how many members most objects of the stream have at most.
const room = 48

// members appends the members of the object in b to dst; false if b holds no
// whole object.
func members(dst object, b []byte) (object, bool) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return dst, false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return dst, space(b, i+1) == len(b)
	}
	for i < len(b) && b[i] == '"' {
		end := skipString(b, i)
		if end < 0 {
			return dst, false
		}
		key := b[i+1 : end-1]
		if i = space(b, end); i >= len(b) || b[i] != ':' {
			return dst, false
		}
		i = space(b, i+1)
		if end = skip(b, i); end < 0 {
			return dst, false
		}
		dst = append(dst, member{key, raw(b[i:end])})
		if i = space(b, end); i >= len(b) {
			return dst, false
		}
		if b[i] == '}' {
			return dst, space(b, i+1) == len(b)
		}
		if b[i] != ',' {
			return dst, false
		}
		i = space(b, i+1)
	}
	return dst, false
}

// get is the value of a key; nil if it is not there. Of a key that comes twice
// the last one counts.
func (o object) get(key string) raw {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].key) == key {
			return o[i].val
		}
	}
	return nil
}

// elements calls f with each element of the array in b.
func elements(b raw, f func(raw)) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return
	}
	for i = space(b, i+1); i < len(b) && b[i] != ']'; i = space(b, i) {
		end := skip(b, i)
		if end < 0 {
			return
		}
		f(b[i:end])
		if i = space(b, end); i >= len(b) || b[i] != ',' {
			return
		}
		i++
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skip answers where the value that begins at i ends; -1 if it does not. It
// does not recurse: depth costs nothing.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

func skipString(b []byte, i int) int {
	quote := -1
	for i++; i < len(b); {
		if quote < i {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				return -1
			}
			quote = i + n
		}
		e := bytes.IndexByte(b[i:quote], '\\')
		if e < 0 {
			return quote + 1
		}
		i += e + 2 // beyond the quote, if it was the one escaped
	}
	return -1
}

// kind is the first character of the value, which tells its type; 0 for none.
func (v raw) kind() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// is says whether the value is this string, which needs no escapes.
func (v raw) is(s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// isTrue says whether the value is true.
func (v raw) isTrue() bool { return string(v) == "true" }

// text is a string value of at most limit bytes, and a character more where
// the limit falls into one; empty for anything else.
func (v raw) text(limit int) string {
	if v.kind() != '"' || len(v) < 2 {
		return ""
	}
	in := v[1 : len(v)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		if len(in) <= limit {
			return string(in)
		}
		for limit < len(in) && !utf8.RuneStart(in[limit]) {
			limit++
		}
		return string(in[:limit])
	}
	out := make([]byte, 0, min(len(in), limit+utf8.UTFMax))
	for i := 0; i < len(in) && len(out) < limit; {
		e := bytes.IndexByte(in[i:], '\\')
		if e < 0 {
			e = len(in) - i
		}
		if over := len(out) + e - limit; over > 0 {
			e -= over
			for i+e < len(in) && !utf8.RuneStart(in[i+e]) {
				e++
			}
			return string(append(out, in[i:i+e]...))
		}
		out = append(out, in[i:i+e]...)
		if i += e; i < len(in) {
			out, i = unescape(out, in, i)
		}
	}
	return string(out)
}

// unescape appends the character whose escape begins at i and answers where to
// go on.
func unescape(out, in []byte, i int) ([]byte, int) {
	if i+1 >= len(in) {
		return out, len(in)
	}
	switch c := in[i+1]; c {
	case 'n':
		return append(out, '\n'), i + 2
	case 't':
		return append(out, '\t'), i + 2
	case 'r':
		return append(out, '\r'), i + 2
	case 'b':
		return append(out, '\b'), i + 2
	case 'f':
		return append(out, '\f'), i + 2
	case 'u':
		r := hex4(in, i+2)
		if r < 0 {
			return utf8.AppendRune(out, utf8.RuneError), i + 2
		}
		i += 6
		if utf16.IsSurrogate(r) && i+1 < len(in) && in[i] == '\\' && in[i+1] == 'u' {
			if both := utf16.DecodeRune(r, hex4(in, i+2)); both != utf8.RuneError {
				return utf8.AppendRune(out, both), i + 6
			}
		}
		return utf8.AppendRune(out, r), i // a lone half becomes the replacement character
	default:
		return append(out, c), i + 2 // quote, backslash, slash
	}
}

func hex4(in []byte, i int) rune {
	if i+4 > len(in) {
		return -1
	}
	n, err := strconv.ParseUint(string(in[i:i+4]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// integer is a number value, cut to its whole part; 0 for anything else.
func (v raw) integer() int64 {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	return int64(v.number())
}

// number is a number value; 0 for anything else.
func (v raw) number() float64 {
	switch c := v.kind(); {
	case c == '-', c >= '0' && c <= '9':
	default:
		return 0
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0
	}
	return f
}
