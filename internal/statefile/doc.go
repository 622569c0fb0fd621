// Package statefile keeps files that other processes read, and that must
// survive a crash: atomic replacement, append-only lines, kernel locks.
//
// It promises that a reader of a replaced file sees the old content or the new
// one, whole; that a write that returned nil is on disk; that an append-only
// file stays readable after a torn last line; and that a lock dies with the
// process that holds it. A lock file is never unlinked: a waiter that has it
// open would lock a name that no longer exists, and two would hold "the" lock.
//
// It knows no content, starts no goroutine and never retries a failed write.
package statefile
