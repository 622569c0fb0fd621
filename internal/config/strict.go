package config

import (
	"bytes"
	"reflect"
)

// Strict is a file of settings while it is read, for the rules of whoever owns
// it.
type Strict struct{ d *decoder }

// Fault records that the value at path breaks a rule; the hint is the way out.
func (s *Strict) Fault(path, hint, format string, args ...any) {
	s.d.fault(path, hint, format, args...)
}

// Readable says whether the file states a value at path that could be read.
func (s *Strict) Readable(path string) bool { return s.d.readable(path) }

// Meant is the way out of an unknown name: the nearest one, or all of them.
func (s *Strict) Meant(got string, known []string) string { return meant(got, known) }

// Decode reads another file of settings as strictly as the configuration: an
// unknown key, a key twice, another type, a value outside the limits of its
// tag. What the file does not state keeps the value that into has already. The
// rules of check come on top. Into points to a struct of exported fields with
// json tags, and is whole exactly when there are no violations.
func Decode(data []byte, into any, check func(*Strict)) []Violation {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	v := reflect.ValueOf(into).Elem()
	d := newDecoder(data, v.Type())
	root, err := parse(data)
	if err != nil {
		d.syntax(err, "{}")
		return d.violations
	}
	d.set(v, root, "")
	if d.bad[""] {
		return d.violations
	}
	d.checkBounds(v, "")
	if check != nil {
		check(&Strict{d})
	}
	sortViolations(d.violations)
	return d.violations
}
