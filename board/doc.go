// Package board is the model that every board shares: issues and their roles,
// claims, comment tags, pull request facts, the table of who may move a row
// where, and the policy that refuses everything else.
//
// It promises that a rule about a row stands here once and holds for every
// backend: Policy wraps a Backend and is the only way the command line and the
// loop write to a board. A write that a backend accepts is durable when the
// call returns; an error that wraps ErrUnknownOutcome says that it may or may
// not have happened, and that the caller must read before it decides.
//
// It never talks to a network, reads a file or knows a clock of its own: time
// comes in as an argument, storage as a Backend.
package board
