package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Forbidden are keys that nothing may be bound to while browsing: those of
// multiplexers and of flow control, those that a terminal sends for others,
// and those that are hard to type for many.
func Forbidden() []string {
	return []string{
		"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q", `ctrl+\`, "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[",
		"[", "]", "{", "}", `\`, "|", "@", "#", "~",
	}
}

// Error says which override cannot be, and why.
type Error struct {
	Action string
	Key    string
	Why    string
}

func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("keys: %q: %s", e.Action, e.Why)
	}
	return fmt.Sprintf("keys: %q on %q: %s", e.Action, e.Key, e.Why)
}

// override puts other keys in place of the table's; letters after g stay.
func override(entries []Entry, with map[string][]string) ([]Entry, error) {
	names := make([]string, 0, len(with))
	for name := range with {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Mode == Browsing && string(e.Action) == name })
		if i < 0 {
			return nil, &Error{name, "", "there is no such action; docs/keys.md names them"}
		}
		for _, k := range with[name] {
			if why := unfit(k); why != "" {
				return nil, &Error{name, k, why}
			}
		}
		entries[i].Keys = slices.Clone(with[name])
	}
	return entries, collide(entries)
}

func unfit(key string) string {
	switch {
	case strings.TrimSpace(key) == "":
		return "a key needs a name; the space bar is \"space\""
	case slices.Contains(Forbidden(), key):
		return "terminals and multiplexers use this key themselves, or it is hard to type for many"
	case key == "0" || len(key) == 1 && key[0] >= '6' && key[0] <= '9':
		return "digits choose in menus"
	}
	return ""
}

// collide names the first two actions that share a key in one mode.
func collide(entries []Entry) error {
	type at struct {
		mode Mode
		key  string
	}
	have := map[at]Action{}
	for i := range entries {
		e := &entries[i]
		for _, k := range e.Keys {
			p := at{e.Mode, k}
			if other, ok := have[p]; ok && other != e.Action {
				return &Error{string(e.Action), k, fmt.Sprintf("%q has this key too; give one of them another", other)}
			}
			have[p] = e.Action
		}
		if len(e.Keys)+len(e.After) == 0 {
			return &Error{string(e.Action), "", "it needs at least one key"}
		}
	}
	return nil
}
