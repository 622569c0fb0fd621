// Package themes turns a palette of meaning-named colours into the inks, signs
// and borders the control room draws with.
//
// It promises that every state a screen shows keeps a sign or a word besides
// its colour, that the default palette tells states apart for red-green
// blindness (blue, orange, shape), and that no theme names a colour outside
// this package. Colours are written as true colour; whoever writes to the
// terminal samples them down, to none at all where NO_COLOR says so.
//
// It never asks the terminal anything: who knows the background picks the
// theme. It knows no issue, no worker and no screen.
package themes
