// Package workers is the workers as panes: the strip below the board with one
// box a worker, and the view with a list beside one large transcript.
//
// It promises that a stream's text is wrapped, cleaned and measured, that only
// what the screen shows is laid out, and that a transcript that is read stays
// where it is while new lines arrive: only following moves it.
//
// It shows the window of lines that a snapshot carries; the whole transcript
// is on disk. It sends nothing.
package workers
