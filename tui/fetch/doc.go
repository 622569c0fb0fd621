// Package fetch keeps what a pane reads on demand: a value under a key, asked
// for in a command and never inside Update.
//
// It promises that a late answer to an old question is dropped, that a value
// stands until its successor is there, and that there is at most one question
// under way for each Value. It knows no loop and no screen.
package fetch
