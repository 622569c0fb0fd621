// Package keymap is the control room's keys as data: one table of actions with
// their keys, what they do and what they need, from which everything that
// names a key is made.
//
// One key has one meaning in every view (screens.md, Keys); a table in which
// one has two is refused with both named. It knows no pane and no issue.
package keymap

import (
	"slices"
	"strings"
)

// Map is a table made ready to look keys up in.
type Map struct {
	entries []Entry
	byKey   map[Mode]map[string]int
	after   map[string]int
	action  map[Action]int
}

// New answers the map of the table, with some keys overridden: the name of an
// action to all its keys. What cannot be is an *Error.
func New(overrides map[string][]string) (*Map, error) {
	entries, err := override(Defaults(), overrides)
	if err != nil {
		return nil, err
	}
	m := &Map{
		entries: entries, byKey: map[Mode]map[string]int{Browsing: {}, Typing: {}, Choosing: {}},
		after: map[string]int{}, action: map[Action]int{},
	}
	for i := range entries {
		e := &entries[i]
		for _, k := range e.Keys {
			m.byKey[e.Mode][k] = i
		}
		for _, k := range e.After {
			m.after[k] = i
		}
		if _, ok := m.action[e.Action]; !ok {
			m.action[e.Action] = i
		}
	}
	return m, nil
}

// Default answers the map without overrides.
func Default() *Map {
	m, err := New(nil)
	if err != nil {
		panic(err) // a test walks the table
	}
	return m
}

// Action is what a key does in a mode; empty for none.
func (m *Map) Action(mode Mode, key string) Action {
	if i, ok := m.byKey[mode][key]; ok {
		return m.entries[i].Action
	}
	return ""
}

// After is what a letter does after g; empty for none.
func (m *Map) After(key string) Action {
	if i, ok := m.after[key]; ok {
		return m.entries[i].Action
	}
	return ""
}

// Entry is the line of the table for an action.
func (m *Map) Entry(a Action) Entry {
	if i, ok := m.action[a]; ok {
		return m.entries[i]
	}
	return Entry{Action: a}
}

// Entries are all lines of the table.
func (m *Map) Entries() []Entry { return slices.Clone(m.entries) }

// Key is the first key of an action as a person reads it; `g m` for one that
// has only a letter after g.
func (m *Map) Key(a Action) string {
	e := m.Entry(a)
	switch {
	case len(e.Keys) > 0:
		return Shown(e.Keys[0])
	case len(e.After) > 0:
		return "g" + Shown(e.After[0])
	}
	return ""
}

// Keys are all keys of an action as a person reads them.
func (m *Map) Keys(a Action) string { return keysOf(m.Entry(a)) }

// KeysOf are all keys of one line of the table as a person reads them.
func (m *Map) KeysOf(e Entry) string { return keysOf(e) }

func keysOf(e Entry) string {
	out := make([]string, 0, len(e.Keys)+len(e.After))
	for _, k := range e.Keys {
		out = append(out, Shown(k))
	}
	for _, k := range e.After {
		out = append(out, "g"+Shown(k))
	}
	return strings.Join(out, " ")
}

// Shown is a key's name as a person reads it.
func Shown(key string) string {
	if s, ok := map[string]string{
		"enter": "↵", "up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "PgUp", "pgdown": "PgDn",
		"home": "Home", "end": "End", "f1": "F1",
	}[key]; ok {
		return s
	}
	return key
}
