package config

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMissing is what a MissingError is: there is no configuration where one
// was looked for.
var ErrMissing = errors.New("no configuration")

// Minimal is the smallest file that works: a board in files.
const Minimal = `{"platform": "native"}`

// MissingError says where a configuration was looked for and what to write
// where.
type MissingError struct {
	Looked string // what was looked at, as a phrase
	Put    string // path of the file to create
}

// Error prints a minimal file and where to put it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s\nWrite a minimal one (a board in files, nothing else needed) to %s:\n\n  %s\n",
		e.Looked, e.Put, Minimal)
}

// Is makes errors.Is(err, ErrMissing) true.
func (e *MissingError) Is(target error) bool { return target == ErrMissing }

// Violation is one fault of a configuration file.
type Violation struct {
	Path    string // of the field, for example `loop.maxDevelopers`; empty is the whole file
	Message string // what is wrong, in a phrase
	Hint    string // the way out; may be empty
	Line    int    // 1-based; 0 where the fault is something absent
	Column  int    // 1-based, in characters
}

// String is the violation on one line.
func (v Violation) String() string {
	var b strings.Builder
	if v.Path != "" {
		b.WriteString(v.Path)
		b.WriteString(": ")
	}
	b.WriteString(v.Message)
	if v.Hint != "" {
		b.WriteString("; ")
		b.WriteString(v.Hint)
	}
	if v.Line > 0 {
		fmt.Fprintf(&b, " (line %d:%d)", v.Line, v.Column)
	}
	return b.String()
}

// ViolationsError is everything that is wrong with one file, in file order,
// what is absent last.
type ViolationsError struct {
	Path       string
	Violations []Violation
}

// Error lists every violation on a line of its own.
func (e *ViolationsError) Error() string {
	var b strings.Builder
	noun := "violations"
	if len(e.Violations) == 1 {
		noun = "violation"
	}
	fmt.Fprintf(&b, "%s: %d %s", e.Path, len(e.Violations), noun)
	for _, v := range e.Violations {
		b.WriteString("\n  ")
		b.WriteString(v.String())
	}
	return b.String()
}
