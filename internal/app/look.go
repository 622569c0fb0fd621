package app

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/internal/settings"
	"github.com/backside4charter/dispatcher/tui"
	"github.com/backside4charter/dispatcher/tui/attention"
	"github.com/backside4charter/dispatcher/tui/keymap"
)

// Manner is how a command asks for the control room this once.
type Manner struct {
	Plain bool // lines for a screen reader
	Slow  bool // few frames, for a slow line
}

// taste is how the person before this terminal likes the control room, and how
// it calls for them.
type taste struct {
	look      tui.Look
	attention attention.Options
}

// taste reads the person's settings; what the command asks for comes on top.
func (f *Factory) taste(m Manner) (taste, error) {
	s, err := settings.Load(settings.Dir(f.Getenv))
	if err != nil {
		return taste{}, err
	}
	if _, err := keymap.New(s.Keys); err != nil {
		return taste{}, fmt.Errorf("read your settings: %s: %w", settings.FileName, err)
	}
	// A dumb terminal can't be drawn on: it has no cursor to move.
	s.Plain, s.Slow = s.Plain || m.Plain || f.Getenv("TERM") == "dumb", s.Slow || m.Slow
	return taste{look: look(&s), attention: calls(&s.Attention, f.Getenv)}, nil
}

func look(s *settings.Loaded) tui.Look {
	out := tui.Look{
		Themes: s.Themes, Theme: s.Theme, Dark: s.DarkTheme, Light: s.LightTheme,
		ASCII: s.AmbiguousWidth == "wide", Mouse: s.Mouse, Still: !s.Motion || s.Slow, Keys: s.Keys,
		Slow: s.Slow, Plain: s.Plain, Keyboard: s.Keyboard,
	}
	if s.Theme == settings.Auto {
		out.Theme = ""
	}
	return out
}

func calls(a *settings.Attention, getenv func(string) string) attention.Options {
	style, tmux := attention.Detect(getenv)
	switch a.Notify {
	case "osc9", "osc777":
		style = attention.Style(a.Notify)
	case "off":
		style = ""
	}
	out := attention.Options{
		Bell: a.Bell, Notify: style, Tmux: tmux, Title: a.Title, Progress: a.Progress,
		Away: time.Duration(a.AwayMinutes) * time.Minute,
	}
	for _, span := range a.Quiet {
		if from, to, err := settings.Span(span); err == nil {
			out.Quiet = append(out.Quiet, attention.Span{From: from, To: to})
		}
	}
	for _, kind := range a.Mute {
		out.Mute = append(out.Mute, attention.Kind(kind))
	}
	return out
}
