// Package issue shows one issue: its description with the boxes, its comments,
// why it stands where it stands, its pull request, worker and history; and the
// same in short beside a list.
//
// Long texts are laid out once per snapshot and width. It sends nothing.
package issue
