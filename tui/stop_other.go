//go:build !unix

package tui

import "os"

// stopSignals is empty: nothing suspends a process here.
var stopSignals []os.Signal
