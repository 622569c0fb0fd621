package app

import (
	"github.com/backside4charter/dispatcher/internal/settings"
	"github.com/backside4charter/dispatcher/tui"
)

// look reads how the person before this terminal likes the control room.
func (f *Factory) look() (tui.Look, error) {
	s, err := settings.Load(settings.Dir(f.Getenv))
	if err != nil {
		return tui.Look{}, err
	}
	out := tui.Look{
		Themes: s.Themes, Theme: s.Theme, Dark: s.DarkTheme, Light: s.LightTheme,
		ASCII: s.AmbiguousWidth == "wide", Mouse: s.Mouse, Still: !s.Motion || s.Slow, Keys: s.Keys,
	}
	if s.Theme == settings.Auto {
		out.Theme = ""
	}
	return out, nil
}
