//go:build race

package histories

// share is which part of the histories is played: the race detector makes each
// many times slower.
const share = 20
