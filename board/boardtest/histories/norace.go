//go:build !race

package histories

// share is which part of the histories is played.
const share = 1
