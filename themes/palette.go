package themes

import "image/color"

// Palette is a set of colours, each named by what it means. Ground is the
// background the palette was chosen for; it is never drawn, it says which
// terminal the palette suits and what contrast is measured against.
type Palette struct {
	Ground color.Color

	Text   color.Color // what is read
	Muted  color.Color // what may be skipped: ages, units, second lines
	Border color.Color // lines between panes
	Accent color.Color // focus, keys, headings

	Alive     color.Color // a worker at work
	Good      color.Color // done, green checks
	Attention color.Color // waits for a person
	Warn      color.Color // stale, behind, pending
	Danger    color.Color // failed, conflict, refused

	Chosen color.Color // background of the selected row in the focused pane
}

// Tone names a colour of the palette by meaning, for values that carry their
// own state.
type Tone int

// The tones. TonePlain is the text colour.
const (
	TonePlain Tone = iota
	ToneMuted
	ToneAccent
	ToneAlive
	ToneGood
	ToneAttention
	ToneWarn
	ToneDanger
)
