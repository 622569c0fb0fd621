// Package plan is every rule about what should happen, as pure functions:
// which rows may be worked and why the others wait, which are worked next, how
// a finished run is routed, what is restored, what the status line says.
//
// It gets values and returns values. No clock, no context, no logging, no
// input or output; the same facts always give the same decisions. Each
// function names the line of the specification that it implements.
package plan
