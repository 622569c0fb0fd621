// Package next is the page of the next firing: what it would do with which row,
// and why it would leave the others alone.
//
// It asks the loop for the answer in commands, again after every firing, and
// keeps the selection with its row. Nothing that it shows has been decided: it
// is what the rules say now. It sends nothing.
package next
