//go:build race

package ghproject_test

// share is which part of the histories is played: the race detector makes each
// many times slower.
const share = 20
