// Package log is the view of what the loop did: one line a firing, unfolding
// into its decisions with their reasons, the newest last; and a line for each
// time in which nobody was there.
//
// It follows the end until it is scrolled, and keeps its place while new lines
// arrive. An error keeps a mark until the cursor was on it. It sends nothing.
package log
