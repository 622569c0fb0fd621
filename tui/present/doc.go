// Package present puts the values of a snapshot into words: why a row stands
// where it stands, what a worker does, how checks stand, what waits for a
// person.
//
// It is pure: values and a time in, text out. It knows no pane, no size and no
// key, and it answers cleaned text only, so that its callers may draw it as it
// is.
package present
