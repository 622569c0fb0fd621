package themes

import "image/color"

// Theme is a palette with the signs and borders drawn beside it.
type Theme struct {
	Name    string
	Dark    bool // suits a dark terminal
	Palette Palette
	ASCII   bool // signs and borders of plain ASCII
}

// The names of the built-in themes.
const (
	NameDark         = "dark"
	NameLight        = "light"
	NameHighContrast = "high-contrast"
)

// All lists the built-in themes, the default first.
func All() []Theme {
	return []Theme{
		{Name: NameDark, Dark: true, Palette: dark},
		{Name: NameLight, Palette: light},
		{Name: NameHighContrast, Dark: true, Palette: highContrast},
	}
}

// For answers the default theme for a terminal of that ground. Who does not
// know the ground yet asks for dark: an answer may never come.
func For(isDark bool) Theme {
	if isDark {
		return All()[0]
	}
	return All()[1]
}

// ByName answers the built-in theme of that name.
func ByName(name string) (Theme, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
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
	return s
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
