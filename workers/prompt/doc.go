// Package prompt renders what a worker is told: the role text that goes into
// its system prompt, and the task that is its first message, for developer,
// reviewer and cleaner.
//
// It promises that every prompt holds what the specification demands of it
// (dispatcher-system.md, Prompt must-haves and Workers); that text written by
// others stands inside a block whose name holds a random word, so that it
// cannot pass for an instruction (design.md, section 14); that what people
// outside the trusted authors wrote is left out and counted; and that a prompt
// stays bounded however long an issue or its reviews are, with a note where
// text was cut. The commands in it are the same wherever the pull request
// lives.
//
// It is pure: values in, text out. It never reads the board, a file or a
// clock; a repository's own templates come in as text.
package prompt
