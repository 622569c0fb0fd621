// Package loop is the engine: one goroutine that owns the loop's state, and
// firings, passes through a fixed list of steps, that read the board, ask
// loop/plan what should happen and carry it out through the small interfaces
// declared here.
//
// What it promises: a claim is journalled before it is taken and leaves the
// journal only when it is provably gone; a settlement moves the state first
// and releases last; every effect may be carried out twice; a heartbeat never
// waits for a firing; readers get immutable snapshots, latest wins. A restart
// recognises its own claims, re-adopts living workers and puts back the rows
// of those that never started.
//
// Who touches what: the owner goroutine (Engine.Run) owns everything in
// Engine.view. A firing runs on a goroutine of its own, one at a time, and
// owns the book, the journalled runs, while it lasts; it tells the owner of
// changes by events. Watchers, the heart and the checks post events too.
//
// It never decides a rule, never parses a transcript, and needs no terminal.
package loop
