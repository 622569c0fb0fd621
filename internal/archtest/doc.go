// Package archtest holds the tests that keep the code's shape: which room may
// import which, what a room never touches, that every package says what it
// promises, and how long files and functions may be. It has no code of its own
// and nothing imports it.
//
// A room is a folder with Go code. The table in rooms_test.go names every room
// with what it may import; a new room is added there first, on purpose.
package archtest
