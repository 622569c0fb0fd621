package themes

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// Theme is a palette with the signs and borders drawn beside it.
type Theme struct {
	Name    string
	Dark    bool // suits a dark terminal
	Palette Palette
	// ASCII draws signs and borders with plain ASCII, for terminals that draw
	// ambiguous characters two cells wide.
	ASCII bool
	// Plain draws what Words reads.
	Plain bool
	// Basic leaves the sixteen colours to the terminal's owner, for terminals
	// that have no more.
	Basic bool
}

// The names that something in the program means.
const (
	NameDark  = "dusk" // the default on a dark ground
	NameLight = "dawn" // the default on a light ground
)

// All lists the built-in themes, the default first.
func All() []Theme {
	return []Theme{
		{Name: NameDark, Dark: true, Palette: dusk},
		{Name: "night", Dark: true, Palette: night},
		{Name: "ember", Dark: true, Palette: ember},
		{Name: "slate", Dark: true, Palette: slate},
		{Name: NameLight, Palette: dawn},
		{Name: "paper", Palette: paper},
		{Name: "frost", Palette: frost},
		{Name: "high-contrast", Dark: true, Palette: stark},
		{Name: "high-contrast-light", Palette: starkLight},
	}
}

// For answers the default theme for a terminal of that ground. Who does not
// know the ground yet asks for dark: an answer may never come.
func For(isDark bool) Theme {
	name := NameLight
	if isDark {
		name = NameDark
	}
	t, _ := ByName(name)
	return t
}

// ByName answers the built-in theme of that name.
func ByName(name string) (Theme, bool) { return Named(All(), name) }

// Named answers the theme of that name, the last of them where there are
// several: a theme of the user's own may have a built-in one's name.
func Named(all []Theme, name string) (Theme, bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Name == name {
			return all[i], true
		}
	}
	return Theme{}, false
}

// Styles is everything a screen draws with. Panes get it and name no colour.
type Styles struct {
	Text, Strong, Muted, Border, Focus, Title, TitleFocus Ink
	Accent, Key, Alive, Good, Attention, Warn, Danger     Ink
	Chosen                                                color.Color
	Signs                                                 Signs
	Borders                                               Borders
	Name                                                  string
}

// Styles builds the theme's inks.
func (t Theme) Styles() Styles {
	p := t.Palette
	if t.Basic {
		p = basic(t.Dark)
	}
	s := Styles{
		// Text stays in the terminal's own foreground: it is the one colour
		// its owner is sure to be able to read.
		Text:       Ink{},
		Strong:     Ink{}.Bold(),
		Muted:      Color(p.Muted),
		Border:     Color(p.Border),
		Focus:      Color(p.Accent),
		Title:      Color(p.Text).Bold(),
		TitleFocus: Color(p.Accent).Bold().Reverse(),
		Accent:     Color(p.Accent),
		Key:        Color(p.Accent).Bold(),
		Alive:      Color(p.Alive),
		Good:       Color(p.Good),
		Attention:  Color(p.Attention).Bold(),
		Warn:       Color(p.Warn),
		Danger:     Color(p.Danger),
		Chosen:     p.Chosen,
		Signs:      drawnSigns,
		Borders:    drawnBorders,
		Name:       t.Name,
	}
	if t.ASCII {
		s.Signs, s.Borders = asciiSigns, asciiBorders
		s.Name += " ascii"
	}
	if t.Plain {
		s.Signs, s.Borders = plainSigns, plainBorders
		s.Name += " plain"
	}
	return s
}

// basic is the palette of a terminal with sixteen colours. Their looks are its
// owner's choice, so each has the name that fits best; the selected row has no
// ground of its own, which could swallow its text, and keeps its bar.
func basic(dark bool) Palette {
	if dark {
		return Palette{
			Muted: ansi.White, Border: ansi.BrightBlack, Accent: ansi.BrightBlue, Alive: ansi.BrightCyan, Good: ansi.Cyan,
			Attention: ansi.BrightYellow, Warn: ansi.Yellow, Danger: ansi.BrightRed, Text: ansi.BrightWhite,
		}
	}
	return Palette{
		Muted: ansi.BrightBlack, Border: ansi.BrightBlack, Accent: ansi.Blue, Alive: ansi.Blue, Good: ansi.Blue,
		Attention: ansi.Magenta, Warn: ansi.Magenta, Danger: ansi.Red, Text: ansi.Black,
	}
}

// Tone answers the ink of a tone.
func (s *Styles) Tone(t Tone) Ink {
	switch t {
	case ToneMuted:
		return s.Muted
	case ToneAccent:
		return s.Accent
	case ToneAlive:
		return s.Alive
	case ToneGood:
		return s.Good
	case ToneAttention:
		return s.Attention
	case ToneWarn:
		return s.Warn
	case ToneDanger:
		return s.Danger
	case TonePlain:
		return s.Text
	}
	return s.Text
}
