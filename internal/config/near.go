package config

import (
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// maybe is the way out where the message lists all names itself.
func maybe(got string, known []string) string {
	if _, ok := board.Nearest(got, known); ok {
		return meant(got, known)
	}
	return ""
}

// meant is the way out of an unknown name: the nearest one, or all of them.
func meant(got string, known []string) string {
	if k, ok := board.Nearest(got, known); ok {
		return `did you mean "` + k + `"?`
	}
	known = slices.Clone(known)
	slices.Sort(known)
	return "known here: " + strings.Join(known, ", ")
}
