package keymap

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestOneKeyOneMeaning(t *testing.T) {
	t.Parallel()
	meaning := map[Mode]map[string]Action{Browsing: {}, Typing: {}, Choosing: {}}
	for _, e := range Default().Entries() {
		if e.Does == "" || e.Short == "" || e.Group == "" || len(e.Keys)+len(e.After) == 0 {
			t.Errorf("%s: incomplete: %+v", e.Action, e)
		}
		for _, k := range e.Keys {
			if have, ok := meaning[e.Mode][k]; ok {
				t.Errorf("%s: %s means %s and %s", e.Mode, k, have, e.Action)
			}
			meaning[e.Mode][k] = e.Action
			if e.Mode == Browsing && slices.Contains(Forbidden(), k) {
				t.Errorf("%s (%s) must never be bound while browsing", k, e.Action)
			}
			if (strings.HasPrefix(k, "alt+") || k == "ctrl+enter" || k == "shift+enter") && len(e.Keys) == 1 {
				t.Errorf("%s is the only way to %s", k, e.Action)
			}
		}
	}
	after := map[string]Action{}
	for _, e := range Default().Entries() {
		for _, k := range e.After {
			if have, ok := after[k]; ok {
				t.Errorf("g%s means %s and %s", k, have, e.Action)
			}
			after[k] = e.Action
		}
	}
}

// TestTheTable holds the keys against the table of the specification, key by
// key.
func TestTheTable(t *testing.T) {
	t.Parallel()
	want := map[string]Action{
		"up": Up, "k": Up, "down": Down, "j": Down, "left": Left, "h": Left, "right": Right, "l": Right,
		"pgup": PageUp, "pgdown": PageDown, "ctrl+u": HalfUp, "ctrl+d": HalfDown, "home": First, "end": Last, "G": Last,
		"enter": Open, "esc": Back, "tab": NextPane, "shift+tab": PrevPane,
		"1": Board, "2": Workers, "3": Needs, "4": Pulls, "5": Log, "g": Goto, "!": NextNeed,
		"/": Find, "ctrl+f": Find, "n": NextMatch, "N": PrevMatch, ",": PrevPiece, ".": NextPiece, "e": NextError,
		"space": Mark, "v": Layout, "f": Follow, "a": Answer, "s": Steer, "i": Interrupt, "x": Stop,
		"t": Transcript, "d": Diff, "w": Why, "m": Move, "J": CarryDown, "K": CarryUp, "c": Claim, "r": Release,
		"b": Create, "E": Edit, "o": Browse, "y": Copy, "p": Pause, "z": Undo, "u": Undo,
		"D": Dispatch, "M": Merge, "R": Request, "U": Update, "T": TakeOver, "X": StopLoop,
		":": Palette, "ctrl+p": Palette, "?": Help, "f1": Help, "ctrl+r": Fire, "ctrl+l": Redraw, "ctrl+z": Suspend,
		"q": Leave, "ctrl+c": Leave,
	}
	m := Default()
	for k, a := range want {
		if got := m.Action(Browsing, k); got != a {
			t.Errorf("%s does %q, the table says %q", k, got, a)
		}
	}
	for _, e := range m.Entries() {
		if e.Mode != Browsing {
			continue
		}
		for _, k := range e.Keys {
			if _, ok := want[k]; !ok {
				t.Errorf("%s (%s) is not in the table", k, e.Action)
			}
		}
	}
	for k, a := range map[string]Action{
		"b": Board, "w": Workers, "n": Needs, "p": Pulls, "l": Log, "i": Issue, "m": Money, "f": Next, "g": First,
	} {
		if got := m.After(k); got != a {
			t.Errorf("g%s does %q, the table says %q", k, got, a)
		}
	}
	for k, a := range map[string]Action{
		"enter": Send, "ctrl+j": NewLine, "alt+enter": NewLine, "shift+enter": NewLine, "ctrl+g": Editor,
		"esc": Keep, "ctrl+c": Keep, "tab": NextField, "ctrl+p": Palette, "f1": Help,
	} {
		if got := m.Action(Typing, k); got != a {
			t.Errorf("in a field %s does %q, the table says %q", k, got, a)
		}
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		with map[string][]string
		want []string // in the error; none for a map that stands
	}{
		"another key":        {map[string][]string{"stop": {"f8"}}, nil},
		"two actions change": {map[string][]string{"stop": {"t"}, "transcript": {"x"}}, nil},
		"a taken key":        {map[string][]string{"stop": {"t"}}, []string{"stop", "transcript", `"t"`}},
		"two on one":         {map[string][]string{"stop": {"f8"}, "steer": {"f8"}}, []string{"stop", "steer", "f8"}},
		"no such action":     {map[string][]string{"launch": {"f8"}}, []string{"launch", "no such action"}},
		"a forbidden key":    {map[string][]string{"stop": {"ctrl+s"}}, []string{"stop", "ctrl+s"}},
		"an empty key":       {map[string][]string{"stop": {" "}}, []string{"space"}},
		"no key":             {map[string][]string{"stop": {}}, []string{"at least one key"}},
		"a menu's digit":     {map[string][]string{"stop": {"9"}}, []string{"digits"}},
		"a field's key":      {map[string][]string{"field-send": {"f8"}}, []string{"no such action"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := New(tc.with)
			if len(tc.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				for action, keys := range tc.with {
					if got := m.Action(Browsing, keys[0]); string(got) != action {
						t.Errorf("%s does %q", keys[0], got)
					}
				}
				return
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}
