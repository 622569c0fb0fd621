package board

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NewIssue is what the owner writes to make an issue.
type NewIssue struct {
	Title     string
	Body      string
	Milestone string // NoMilestone or empty for none; comes into being here
	Labels    []string
	Blockers  []Ref
	Parent    Ref
	State     Role // default backlog
}

// Edit changes an issue's text and belongings; nil leaves a field as it is.
type Edit struct {
	Title        *string
	Body         *string
	Milestone    *string
	Assignee     *string // a person; empty gives the row back
	Parent       *Ref    // empty takes it out
	AddLabels    []string
	RemoveLabels []string
}

// Place is where a row goes in its board's order: exactly one of the three.
type Place struct {
	Before Ref
	After  Ref
	Top    bool
}

// Creator is a board that keeps its issues itself, so that the owner makes and
// orders them here.
type Creator interface {
	Create(ctx context.Context, by Actor, n NewIssue) (Issue, error)
	Edit(ctx context.Context, by Actor, ref Ref, e Edit) (Issue, error)
	// Block makes blocker hold ref back, or no longer; a cycle is refused with
	// ErrCycle.
	Block(ctx context.Context, by Actor, ref, blocker Ref, on bool) error
	Place(ctx context.Context, by Actor, ref Ref, p Place) error
}

// Porter is a board that can be written to one document, and filled from one.
type Porter interface {
	Export(ctx context.Context) ([]byte, error)
	// Import fills an empty board; a board with issues is refused.
	Import(ctx context.Context, by Actor, document []byte) (issues int, err error)
}

// Limits of what an issue may hold, in bytes.
const (
	maxTitle = 1000
	maxBody  = 1 << 20
	maxName  = 200
)

// CleanTitle is a title on one line: control characters become spaces and the
// ends are trimmed. It fails for a title without anything to read.
func CleanTitle(s string) (string, error) {
	s = oneLine(s)
	if s == "" {
		return "", fmt.Errorf("%w: a title is needed", ErrForbidden)
	}
	if len(s) > maxTitle {
		return "", fmt.Errorf("%w: the title has %d bytes, %d are allowed; put the rest into the description", ErrForbidden, len(s), maxTitle)
	}
	return s, nil
}

// CleanBody is a body that every board can keep: valid UTF-8 and without NUL.
func CleanBody(s string) (string, error) {
	if len(s) > maxBody {
		return "", fmt.Errorf("%w: the text has %d bytes, %d are allowed", ErrForbidden, len(s), maxBody)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD"), nil
}

// CleanMilestone is the name of a milestone; NoMilestone is the empty name.
func CleanMilestone(s string) (string, error) {
	if s = oneLine(s); s == NoMilestone {
		return "", nil
	}
	if len(s) > maxName {
		return "", fmt.Errorf("%w: the milestone's name has %d bytes, %d are allowed", ErrForbidden, len(s), maxName)
	}
	return s, nil
}

// CleanLabel is the name of a label. The name `question` is refused: that is a
// state now (dispatcher-system.md, Labels).
func CleanLabel(s string) (string, error) {
	s = oneLine(s)
	switch {
	case s == "":
		return "", fmt.Errorf("%w: a label needs a name", ErrForbidden)
	case len(s) > maxName:
		return "", fmt.Errorf("%w: the label's name has %d bytes, %d are allowed", ErrForbidden, len(s), maxName)
	case strings.Contains(s, ","):
		return "", fmt.Errorf("%w: a label's name holds no comma", ErrForbidden)
	case equalFold(s, "question"):
		return "", fmt.Errorf("%w: question is a state, not a label; move the row to it", ErrForbidden)
	}
	return s, nil
}

func oneLine(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}
