// Package script is the scripted agent: a program that plays a file of steps
// where the real agent would think, and speaks the same stream while it does.
// The demo and the tests run it under the same supervisor as any agent.
//
// It promises that its standard output and input cannot be told from those of
// the real command by the shape of the lines (system/init, assistant and user
// lines one per content block, results with a cumulative cost, control
// requests, replayed messages, exit codes); that what it shows as a tool call
// it really did; and that a try which is played again on half-finished work
// ends in the same result, because steps ask the repository and the board what
// is there already.
//
// It acts only through git and our own command line, found on its PATH, and
// writes files inside its working directory only. It never reads the board's
// or the loop's files, never runs a shell string, and never talks to a network.
package script
