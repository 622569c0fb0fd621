// Package pulls is the view of the open pull requests: one row each, with
// state, checks, how it merges, how far it is behind, and its last review.
//
// As the room shrinks columns are left out, never cut in half. It sends
// nothing.
package pulls
