//go:build unix

package tui

import (
	"os"
	"syscall"
)

// stopSignals are what suspends a process from outside: by a terminal that
// reads ctrl+z itself, as it does for the plain room, or by another process.
var stopSignals = []os.Signal{syscall.SIGTSTP}
