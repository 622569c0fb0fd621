package workers

import "bytes"

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
	long bool // the line has outgrown StringLimit and is squeezed

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
			s.add(p)
			return
		}
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
		s.flush(line)
	}
}

// Pending says whether a line has begun and not ended.
func (s *Splitter) Pending() bool { return len(s.buf) > 0 }

func (s *Splitter) flush(line func([]byte)) {
	line(trimReturn(s.buf))
	if cap(s.buf) > 2*StringLimit {
		s.buf = nil // one long line must not cost memory for ever
	}
	*s = Splitter{buf: s.buf[:0]}
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
	for _, c := range p {
		if !s.inString {
			s.inString = c == '"'
			s.kept, s.cutting = 0, false
			s.keep(c)
			continue
		}
		if s.escape == 0 && c == '"' {
			s.inString = false
			s.keep(c)
			continue
		}
		// A cut falls before a whole character, never inside of an escape or a rune.
		if s.escape == 0 && c&0xC0 != 0x80 && s.kept >= StringLimit {
			s.cutting = true
		}
		s.step(c)
		if !s.cutting {
			s.kept++
			s.keep(c)
		}
	}
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
	case c == '\\':
		s.escape = 1
	}
}

func (s *Splitter) keep(c byte) {
	if len(s.buf) < LineLimit {
		s.buf = append(s.buf, c)
	}
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
