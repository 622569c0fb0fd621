package tui

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/tui/keymap"
)

// never lists what no binding may use while browsing (screens.md, Keys): keys
// of multiplexers, of flow control, those a terminal sends for others, and
// those that are hard to type for many.
var never = []string{
	"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q", "ctrl+\\", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[",
	"[", "]", "{", "}", "\\", "|", "@", "#", "~",
}

func browseGroups() []keymap.Group {
	var out []keymap.Group
	for _, g := range Groups() {
		if g.Title != "In a field" && g.Title != "In a menu" {
			out = append(out, g)
		}
	}
	return out
}

func TestOneKeyOneMeaning(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, g := range browseGroups() {
		for _, b := range g.Bindings {
			if len(b.Keys()) == 0 || b.Help().Key == "" || b.Help().Desc == "" {
				t.Errorf("%s: a binding without keys or help: %+v", g.Title, b)
			}
			for _, k := range b.Keys() {
				if have, ok := meaning[k]; ok && have != b.Help().Desc {
					t.Errorf("%s means %q and %q", k, have, b.Help().Desc)
				}
				meaning[k] = b.Help().Desc
				if slices.Contains(never, k) {
					t.Errorf("%s (%s) must never be bound while browsing", k, b.Help().Desc)
				}
				if strings.HasPrefix(k, "alt+") || k == "ctrl+enter" || k == "shift+enter" {
					if len(b.Keys()) == 1 {
						t.Errorf("%s is the only way to %q", k, b.Help().Desc)
					}
				}
			}
		}
	}
	for _, e := range keymap.NotHere() {
		for _, k := range e.Keys {
			if have, ok := meaning[k]; ok {
				t.Errorf("%s means %q and is said to be a command", k, have)
			}
		}
	}
}

func TestFieldsHaveAWayOnEveryKeyboard(t *testing.T) {
	t.Parallel()
	f := keymap.NewField()
	if f.NewLine.Keys()[0] != "ctrl+j" || f.Send.Keys()[0] != "enter" || f.Keep.Keys()[0] != "esc" {
		t.Errorf("fields are typed with %+v", f)
	}
}

// TestTheTable holds the keys against the table of the specification: a key
// that is bound here has the meaning it has there.
func TestTheTable(t *testing.T) {
	t.Parallel()
	table := map[string]string{
		"1": "board", "2": "workers", "3": "needs you", "4": "pull requests", "5": "log",
		"!": "next that needs you", "enter": "open", "esc": "back", "tab": "next pane", "shift+tab": "previous pane",
		"/": "find", "ctrl+f": "find", "n": "next match", "N": "previous match", ",": "previous piece", ".": "next piece",
		"e": "next error", "v": "other layout", "f": "follow", "a": "answer", "x": "stop the worker", "t": "transcript", "p": "pause or resume",
		"ctrl+r": "fire now", "ctrl+l": "redraw", "?": "help", "f1": "help", "q": "leave", "ctrl+c": "leave",
		"up": "up", "k": "up", "down": "down", "j": "down", "pgup": "page up", "pgdown": "page down",
		"ctrl+u": "half page up", "ctrl+d": "half page down", "home": "first", "end": "last", "G": "last",
		"left": "column or pane to the left", "h": "column or pane to the left",
		"right": "column or pane to the right", "l": "column or pane to the right",
	}
	for _, g := range browseGroups() {
		for _, b := range g.Bindings {
			for _, k := range b.Keys() {
				if k == "g" {
					continue
				}
				if want, ok := table[k]; !ok || want != b.Help().Desc {
					t.Errorf("%s means %q; the table says %q", k, b.Help().Desc, want)
				}
				delete(table, k)
			}
		}
	}
	for k, want := range table {
		t.Errorf("%s (%s) is not bound", k, want)
	}
}

func TestKeyDocs(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "keys.md")
	want := keymap.Markdown(Groups())
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a folder of documents
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read the key docs: %v (make them: go test ./tui -run TestKeyDocs -update)", err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is stale: go test ./tui -run TestKeyDocs -update")
	}
}

func TestHelpShowsEveryKey(t *testing.T) {
	t.Parallel()
	for v := viewBoard; v <= viewIssue; v++ {
		m, _ := room(120, 60, sample())
		m.view = v
		text := strings.Join(m.helpLines(100), "\n")
		for _, g := range Groups() {
			for _, b := range g.Bindings {
				if !strings.Contains(text, b.Help().Key) {
					t.Errorf("%s: help does not show %s", v.name(), b.Help().Key)
				}
			}
		}
	}
}
