package workers

import (
	"slices"
	"strings"
)

// maxMissing is how many missing parts are told of one run.
const maxMissing = 5

// Missing is what an agent said that it goes without, each once, in the order
// in which it was said: a plugin that did not load, an MCP server that did not
// start. The zero value is ready.
type Missing struct{ parts []string }

// Add takes one of them, and says whether it is new and is told.
func (m *Missing) Add(text string) bool {
	text = strings.Join(strings.Fields(Clean(text, 300)), " ")
	if len(m.parts) >= maxMissing || slices.Contains(m.parts, text) {
		return false
	}
	m.parts = append(m.parts, text)
	return true
}

// String is all of them in one line; empty when nothing is missing.
func (m *Missing) String() string { return strings.Join(m.parts, "; ") }
