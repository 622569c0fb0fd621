// Package diff is the page of one change: of a pull request with its text and
// its reviews, or of a worktree against its base. Its files stand beside the
// lines of one of them, unified or side by side.
//
// It promises that only the lines on the screen are laid out, that a file is
// marked as seen for the head it was read at and no other, and that nothing
// moves under the reader: a head that moves meanwhile is said, and shown when
// it is asked for. It asks for the change in commands and sends nothing.
package diff
