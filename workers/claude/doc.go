// Package claude speaks to Claude Code: the command line it is started with,
// what its environment may hold, the lines it takes and the events it gives
// (stream-json both ways; claude/README.md of the shared notes, version
// 2.1.332).
//
// It promises that no line of any length or content makes it fail, that types
// it does not know are passed over, and that a reviewer's command line can
// change nothing. It starts nothing, reads no file, and never puts a secret
// on a command line.
package claude
