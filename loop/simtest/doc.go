// Package simtest holds the simulated world, which tries to break the loop: a
// board, pull requests, workers, worktrees, the journal and the clock, all in
// memory and all driven by one seed, while loops fail, crash and start again
// and their owner does as owners do.
//
// Its tests promise that the same seed plays the same history: nothing in it
// waits for a real clock, and no goroutine decides anything. After every step
// the invariants are checked, and when the faults stop everything has to come
// to rest. It has no code of its own but tests, and nothing imports it.
package simtest
