// Package log is the view of what the loop did: a heading for each firing and
// its decisions with their reasons below, the newest last.
//
// It follows the end until it is scrolled, and keeps its place while new lines
// arrive. It sends nothing.
package log
