package themes

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// reset ends every inked run of text.
const reset = "\x1b[m"

// Ink is how a run of text is drawn. It is an immutable value: the methods
// answer another ink. The zero Ink leaves text as it is.
//
// It exists beside lipgloss.Style because a frame holds hundreds of short
// runs: an ink is one prefix, joined once.
type Ink struct {
	fg, bg              color.Color
	bold, reverse, line bool
	prefix              string
}

func (i Ink) build() Ink {
	s := ansi.NewStyle()
	if i.bold {
		s = s.Bold()
	}
	if i.reverse {
		s = s.Reverse(true)
	}
	if i.line {
		s = s.Underline(true)
	}
	if i.fg != nil {
		s = s.ForegroundColor(i.fg)
	}
	if i.bg != nil {
		s = s.BackgroundColor(i.bg)
	}
	i.prefix = ""
	if len(s) > 0 {
		i.prefix = s.String()
	}
	return i
}

// Color answers an ink of one foreground colour.
func Color(c color.Color) Ink { return Ink{fg: c}.build() }

// Bold answers the ink with heavier letters.
func (i Ink) Bold() Ink { i.bold = true; return i.build() }

// Reverse answers the ink with text and ground exchanged.
func (i Ink) Reverse() Ink { i.reverse = true; return i.build() }

// Underline answers the ink with a line under the text.
func (i Ink) Underline() Ink { i.line = true; return i.build() }

// On answers the ink on the background c; nil leaves the ink as it is.
func (i Ink) On(c color.Color) Ink {
	if c == nil {
		return i
	}
	i.bg = c
	return i.build()
}

// Render draws s, which must be free of escape sequences: the first reset
// inside would end the ink.
func (i Ink) Render(s string) string {
	if i.prefix == "" || s == "" {
		return s
	}
	return i.prefix + s + reset
}

// Prefix is the escape sequence that starts the ink, empty for none.
func (i Ink) Prefix() string { return i.prefix }
