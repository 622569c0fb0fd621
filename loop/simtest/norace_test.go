//go:build !race

package simtest

// share is which part of the histories is played, unless all are asked for.
const share = 10
