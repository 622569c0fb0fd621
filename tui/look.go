package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/backside4charter/dispatcher/themes"
)

// Look is how a person likes the room. The zero value is a usable room.
type Look struct {
	// Themes are all that can be chosen; the built-in ones if empty.
	Themes []themes.Theme
	// Theme is the name of one. Empty asks the terminal whether it is dark, and
	// takes Dark until it answers, Light when it says so.
	Theme       string
	Dark, Light string
	// ASCII draws signs and borders with plain ASCII.
	ASCII bool
	// Mouse takes clicks and the wheel.
	Mouse bool
	// Still draws nothing that moves.
	Still bool
	// Slow is for slow lines: few frames, nothing moves, clocks by the minute.
	Slow bool
	// Plain is for screen readers: one column of lines, words for signs, each
	// change a new line.
	Plain bool
	// Keys are keys of the person's own: an action's name to all of its keys.
	Keys map[string][]string
	// Keyboard is where letters lie, if they are not Latin: keymap.Keyboards.
	Keyboard string
}

// all answers every theme that can be chosen.
func (l *Look) all() []themes.Theme {
	if len(l.Themes) == 0 {
		return themes.All()
	}
	return l.Themes
}

// theme answers the theme that was asked for by name, else that for a terminal
// of this ground, and whether it was asked for.
func (l *Look) theme(isDark bool) (themes.Theme, bool) {
	t, asked := themes.Named(l.all(), l.Theme)
	if !asked {
		name := l.Light
		if isDark {
			name = l.Dark
		}
		var ok bool
		if t, ok = themes.Named(l.all(), name); !ok {
			t = themes.For(isDark)
		}
	}
	t.ASCII, t.Plain = l.ASCII, l.Plain
	return t, asked || l.Plain
}

// ground takes the terminal's answer about its background, unless a theme was
// asked for by name.
func (m *Model) ground(isDark bool) {
	m.light = !isDark
	m.dirty = true
	if t, asked := m.opts.Look.theme(isDark); !asked {
		m.restyle(t)
	}
}

// grounded gives a theme the ground that it was made for where the terminal has
// the other one: text without a colour of its own could not be read on it.
func (m *Model) grounded(v *tea.View) {
	if p := &m.theme.Palette; m.theme.Dark == m.light && !m.basic && !m.noInk && !m.opts.Look.Plain {
		v.BackgroundColor, v.ForegroundColor = p.Ground, p.Text
	}
}

// profile takes how many colours the terminal has.
func (m *Model) profile(p colorprofile.Profile) {
	m.noInk = p < colorprofile.ANSI
	if basic := p == colorprofile.ANSI; basic != m.basic {
		m.basic = basic
		m.restyle(m.theme)
	}
}

// themeNames lists what setTheme takes, for the palette.
func (m *Model) themeNames() []string {
	all := m.opts.Look.all()
	out := make([]string, 0, len(all))
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// setTheme draws the room in another theme from now on.
func (m *Model) setTheme(name string) {
	if t, ok := themes.Named(m.opts.Look.all(), name); ok {
		t.ASCII, t.Plain = m.opts.Look.ASCII, m.opts.Look.Plain
		m.opts.Look.Theme = name
		m.restyle(t)
		m.say(themes.ToneGood, "theme "+name+`; "theme": "`+name+`" in room.json keeps it`)
	}
}

// takesText says that what is typed is text now.
func (m *Model) takesText() bool {
	switch m.mode {
	case modeAnswer, modeFind, modePalette:
		return true
	case modeMenu:
		return m.menu.word != nil
	case modeHelp:
		return m.help.typing
	case modeBrowse, modeGoto:
	}
	return false
}

// overlaid says that something lies over the view and takes all keys.
func (m *Model) overlaid() bool {
	return m.mode == modeMenu || m.mode == modeHelp || m.mode == modePalette || (m.mode == modeAnswer && m.field != nil && !m.field.hosted)
}

// restyle draws every pane anew.
func (m *Model) restyle(t themes.Theme) {
	t.Basic = m.basic
	m.theme = t
	st := t.Styles()
	m.styles = &st
	m.eachPane(func(p roomPane) { p.SetStyles(&st) })
	m.dirty = true
}
