//go:build windows

package proc

// Suspendable is false: consoles know no suspended jobs.
func Suspendable() bool { return false }

// Suspend does nothing here.
func Suspend() {}
