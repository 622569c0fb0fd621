//go:build race

package simtest

// share is which part of the histories is played: the race detector makes each
// many times slower.
const share = 20
