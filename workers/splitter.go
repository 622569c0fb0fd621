package workers

import (
	"bytes"
	"unicode/utf8"
)

// The bounds of one line in memory.
const (
	// StringLimit is how much of one JSON string is kept of a line that is
	// longer than that.
	StringLimit = 256 << 10
	// LineLimit is how much of a line is kept in all.
	LineLimit = 4 << 20
)

// Splitter cuts a stream into lines. Lines come in any pieces, end with a line
// feed or with both, and may be of any length: of a long one every JSON string
// is cut to StringLimit, so that it stays a JSON value with all its keys, and
// memory stays bounded. The zero value is ready.
type Splitter struct {
	buf  []byte
	end  int64 // bytes of the stream up to the line handed out last, its end included
	open int64 // bytes fed beyond that
	long bool  // the line has outgrown StringLimit and is squeezed

	// State of the squeezer.
	inString bool
	escape   int // bytes of an escape sequence still to come
	kept     int // bytes of this string kept
	cutting  bool
}

// Feed takes the next piece of the stream and hands every line that ends in it
// to line, without its line end. The slice is valid during the call only.
func (s *Splitter) Feed(p []byte, line func([]byte)) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.open += int64(len(p))
			s.add(p)
			return
		}
		s.end += s.open + int64(i) + 1
		s.open = 0
		if len(s.buf) == 0 && !s.long && i <= StringLimit {
			line(trimReturn(p[:i]))
		} else {
			s.add(p[:i])
			s.flush(line)
		}
		p = p[i+1:]
	}
}

// Rest hands out a last line that has no line feed, if there is one.
func (s *Splitter) Rest(line func([]byte)) {
	if len(s.buf) > 0 {
		s.end += s.open
		s.open = 0
		s.flush(line)
	}
}

// End is how many bytes of the stream the lines handed out so far took, those
// of the line that is being handed out included.
func (s *Splitter) End() int64 { return s.end }

// Pending says whether a line has begun and not ended.
func (s *Splitter) Pending() bool { return len(s.buf) > 0 }

func (s *Splitter) flush(line func([]byte)) {
	line(trimReturn(s.buf))
	if cap(s.buf) > 2*StringLimit {
		s.buf = nil // one long line must not cost memory for ever
	}
	*s = Splitter{buf: s.buf[:0], end: s.end}
}

func (s *Splitter) add(p []byte) {
	if !s.long {
		if len(s.buf)+len(p) <= StringLimit {
			s.buf = append(s.buf, p...)
			return
		}
		s.long = true
		head := s.buf
		s.buf = make([]byte, 0, 2*StringLimit)
		s.squeeze(head)
	}
	s.squeeze(p)
}

// squeeze appends p without what is beyond the limits. It follows JSON only as
// far as to know where strings begin and end.
func (s *Splitter) squeeze(p []byte) {
	for len(p) > 0 {
		switch {
		case !s.inString:
			i := bytes.IndexByte(p, '"') + 1
			if i == 0 {
				s.keep(p)
				return
			}
			s.keep(p[:i])
			s.inString, s.kept, s.cutting = true, 0, false
			p = p[i:]
		case s.escape > 0:
			s.keepString(p[:1]) // an escape is kept or left out as a whole
			s.step(p[0])
			p = p[1:]
		default:
			p = s.plain(p)
		}
	}
}

// plain takes the part of a string up to its next quote or escape, that
// character included, and answers what is left. It looks in short windows: a
// search for a far quote must not be done again after every escape.
func (s *Splitter) plain(p []byte) []byte {
	window := p[:min(len(p), 512)]
	i := len(window)
	if quote := bytes.IndexByte(window, '"'); quote >= 0 {
		i = quote
	}
	if escape := bytes.IndexByte(window[:i], '\\'); escape >= 0 {
		i = escape
	}
	s.keepString(p[:i])
	if i == len(window) {
		return p[i:]
	}
	if p[i] == '"' {
		s.inString = false
		s.keep(p[i : i+1])
	} else {
		// A cut falls before a whole escape, never inside of it.
		s.cutting = s.cutting || s.kept >= StringLimit
		s.escape = 1
		s.keepString(p[i : i+1])
	}
	return p[i+1:]
}

// keepString keeps a part of a string, up to the limit and to the end of the
// character that lies there.
func (s *Splitter) keepString(p []byte) {
	if s.cutting {
		return
	}
	if s.escape == 0 && s.kept+len(p) > StringLimit {
		n := max(0, StringLimit-s.kept)
		for n < len(p) && !utf8.RuneStart(p[n]) {
			n++
		}
		s.cutting = n < len(p)
		p = p[:n]
	}
	s.kept += len(p)
	s.keep(p)
}

// step follows an escape sequence: a backslash, then one character, or u and
// four digits.
func (s *Splitter) step(c byte) {
	switch {
	case s.escape == 1 && c == 'u':
		s.escape = 6
	case s.escape == 1:
		s.escape = 0
	case s.escape > 2:
		if s.escape--; s.escape == 2 {
			s.escape = 0
		}
	}
}

func (s *Splitter) keep(p []byte) {
	s.buf = append(s.buf, p[:min(len(p), max(0, LineLimit-len(s.buf)))]...)
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
