// Package workers is the workers as panes: the strip below the board with one
// box a worker, and the view with a list beside one large transcript, or with
// all of them in a grid.
//
// It promises that a stream's text is wrapped, cleaned and measured, that only
// what the screen shows is laid out, that a transcript that is read stays where
// it is while new lines arrive (only following moves it), and that a transcript
// of any length is read in windows: it is never held whole.
//
// What is not in the snapshot is asked for in commands. What is typed to a
// worker is a draft until it is sent; it is sent as a command of the loop, and
// never twice.
package workers
