//go:build !race

package simtest

// share is which part of the histories is played.
const share = 1
