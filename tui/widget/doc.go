// Package widget is what several panes of the control room share: text made
// safe for a screen, lines cut and padded to exact widths, boxes, lists with a
// visible window, ages in words.
//
// It promises that every line it answers is exactly as wide as asked, on
// terminals that measure by grapheme and on those that measure by code point,
// and that no control character of an untrusted text survives Clean.
//
// It knows no issue, no worker and no loop, and does no I/O.
package widget
