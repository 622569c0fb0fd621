package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

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

// dark is the default: blue, orange and a yellow that stay apart for every
// common colour blindness, on a dark ground.
var dark = Palette{
	Ground:    lipgloss.Color("#1c1c1c"),
	Text:      lipgloss.Color("#e4e4e4"),
	Muted:     lipgloss.Color("#9e9e9e"),
	Border:    lipgloss.Color("#626262"),
	Accent:    lipgloss.Color("#7fb8ff"),
	Alive:     lipgloss.Color("#56b4e9"),
	Good:      lipgloss.Color("#6fc3b2"),
	Attention: lipgloss.Color("#f5c542"),
	Warn:      lipgloss.Color("#e69f00"),
	Danger:    lipgloss.Color("#ff8a5c"),
	Chosen:    lipgloss.Color("#2a323c"),
}

var light = Palette{
	Ground:    lipgloss.Color("#ffffff"),
	Text:      lipgloss.Color("#1c1c1c"),
	Muted:     lipgloss.Color("#626262"),
	Border:    lipgloss.Color("#8a8a8a"),
	Accent:    lipgloss.Color("#005a9c"),
	Alive:     lipgloss.Color("#0067a5"),
	Good:      lipgloss.Color("#00664d"),
	Attention: lipgloss.Color("#7a5200"),
	Warn:      lipgloss.Color("#8f4a00"),
	Danger:    lipgloss.Color("#a83200"),
	Chosen:    lipgloss.Color("#dbe9f6"),
}

var highContrast = Palette{
	Ground:    lipgloss.Color("#000000"),
	Text:      lipgloss.Color("#ffffff"),
	Muted:     lipgloss.Color("#d0d0d0"),
	Border:    lipgloss.Color("#b0b0b0"),
	Accent:    lipgloss.Color("#9fd0ff"),
	Alive:     lipgloss.Color("#87cefa"),
	Good:      lipgloss.Color("#8fe3d0"),
	Attention: lipgloss.Color("#ffe14d"),
	Warn:      lipgloss.Color("#ffc04d"),
	Danger:    lipgloss.Color("#ffa37f"),
	Chosen:    lipgloss.Color("#1f2f4f"),
}
