// Package control is the control socket of a loop: snapshots, events, commands
// and what is read on demand, as plain HTTP with JSON over a unix socket that
// only its owner may open. docs/control-api.md has the routes.
//
// It promises that a slow or vanished reader never holds up the loop, that a
// command is answered only when the loop has taken or refused it, and that a
// client of another version hears so. It holds no rule: what a command does is
// the loop's.
package control
