// Package issue shows one issue: where it stands and where it goes, its
// description with the boxes, its comments, why it is not worked or who works
// it, every rule that was asked, and its history; and the same in short beside
// a list.
//
// It promises that each part fails alone: what is in the picture is shown at
// once, what has to be read follows, and what cannot be read says so in its
// own box. Long texts are laid out once for what they hold and their width. It
// sends nothing but the tick of a box.
package issue
