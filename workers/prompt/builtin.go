package prompt

import (
	"sync"

	"github.com/backside4charter/dispatcher/board"
)

// builtin is the set without overrides. The embedded templates parse, a test
// says so.
var builtin = sync.OnceValues(func() (*Set, error) { return New(nil) })

// RoleText is Set.RoleText of the built-in templates.
func RoleText(kind board.Kind) (string, error) {
	s, err := builtin()
	if err != nil {
		return "", err
	}
	return s.RoleText(kind)
}

// Developer is Set.Developer of the built-in templates.
func Developer(in DeveloperInput) (string, error) {
	s, err := builtin()
	if err != nil {
		return "", err
	}
	return s.Developer(in)
}

// Reviewer is Set.Reviewer of the built-in templates.
func Reviewer(in ReviewerInput) (string, error) {
	s, err := builtin()
	if err != nil {
		return "", err
	}
	return s.Reviewer(in)
}

// Cleaner is Set.Cleaner of the built-in templates.
func Cleaner(in CleanerInput) (string, error) {
	s, err := builtin()
	if err != nil {
		return "", err
	}
	return s.Cleaner(in)
}
