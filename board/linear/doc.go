// Package linear is the board on Linear.
//
// It promises that everything it decides on was read from Linear: it keeps a
// copy of the project's rows only to ask for what has changed, and reads a row
// again before it writes to it. A write is confirmed by its own answer; one
// whose answer was lost is looked for before it is tried again, and is answered
// with board.ErrUnknownOutcome when it cannot be found. States, milestones and
// labels are found by their names at each use, so that a rename fails loudly.
// Every request of the process passes through one budget, which stops at the
// hour's limit and leaves room for the owner's other tools.
//
// Claims are advisory here (design.md, section 6): of several fresh ones the
// earliest by Linear's clock stands, and whoever reads that theirs is not the
// one takes it back.
//
// It never creates, closes or archives issues, never touches a row outside its
// project, and never shows its key: not in an error, not in a log, and not to
// another host.
package linear
