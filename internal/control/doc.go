// Package control is the control socket of a loop: snapshots, a stream of
// them, and commands, as plain HTTP with JSON over a unix socket that only its
// owner may open.
//
//	GET  /v1/snapshot   the newest snapshot
//	GET  /v1/snapshots  the newest, then every newer one, one JSON object a line
//	POST /v1/command    a state.Command, answered by a state.Done; 409 with {"error": …} when it is refused
//
// It promises that a slow or vanished reader never holds up the loop, and that
// a command is answered only when the loop has taken or refused it. It holds no
// rule: what a command does is the loop's.
package control
