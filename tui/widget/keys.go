package widget

import (
	"fmt"

	"charm.land/bubbles/v2/key"
)

// ListKeys are the keys that move in the focused pane, the same in all.
type ListKeys struct {
	Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last key.Binding
}

// NewListKeys answers the movement keys of screens.md, Keys.
func NewListKeys() ListKeys {
	bind := func(help, desc string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
	}
	return ListKeys{
		Up:       bind("↑ k", "up", "up", "k"),
		Down:     bind("↓ j", "down", "down", "j"),
		PageUp:   bind("PgUp", "page up", "pgup"),
		PageDown: bind("PgDn", "page down", "pgdown"),
		HalfUp:   bind("ctrl+u", "half page up", "ctrl+u"),
		HalfDown: bind("ctrl+d", "half page down", "ctrl+d"),
		First:    bind("Home gg", "first", "home"),
		Last:     bind("End G", "last", "end", "G"),
	}
}

// All lists the bindings, for help.
func (k ListKeys) All() []key.Binding {
	return []key.Binding{k.Up, k.Down, k.PageUp, k.PageDown, k.HalfUp, k.HalfDown, k.First, k.Last}
}

// Match answers the move that a key means.
func (k ListKeys) Match(msg fmt.Stringer) Move {
	for i, b := range k.All() {
		if key.Matches(msg, b) {
			return []Move{MoveUp, MoveDown, MovePageUp, MovePageDown, MoveHalfUp, MoveHalfDown, MoveFirst, MoveLast}[i]
		}
	}
	return MoveNone
}
