//go:build !race

package ghproject_test

// share is which part of the histories is played.
const share = 1
