//go:build !linux

package native

// watch is not there on these systems: a poll looks at every file.
type watch struct{}

func newWatch(string) *watch { return nil }

func (*watch) close() {}

func (*watch) drain() (names map[string]bool, ok bool) { return nil, false }
