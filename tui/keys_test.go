package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/tui/keymap"
)

func TestKeyDocs(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "keys.md")
	want := keymap.Default().Markdown()
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

// TestHelpAndPaletteHaveEveryAction walks the table: help shows every line of
// it, the palette every action of browsing.
func TestHelpAndPaletteHaveEveryAction(t *testing.T) {
	t.Parallel()
	for v := viewBoard; v < viewCount; v++ {
		m, _ := room(120, 60, sample())
		if m.panes[v] == nil {
			continue
		}
		m.view = v
		m.openHelp()
		text := strings.Join(m.helpLines(100), "\n")
		inPalette := map[keymap.Action]bool{}
		for _, it := range m.paletteItems(false) {
			inPalette[it.action] = true
		}
		for _, e := range m.keys.Entries() {
			if !strings.Contains(text, m.keys.KeysOf(e)[:1]) || !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Fields(e.Does)[0]) {
				t.Errorf("%s: help does not show %s", v.name(), e.Action)
			}
			if e.Mode == keymap.Browsing && !inPalette[e.Action] {
				t.Errorf("%s: the palette does not have %s", v.name(), e.Action)
			}
		}
	}
}

// TestEveryActionAnswers gives every action of the table to every view, with
// and without something to act on: none may be without an effect or a word.
func TestEveryActionAnswers(t *testing.T) {
	draws(t)
	quiet := map[keymap.Action]bool{keymap.Back: true, keymap.Redraw: true, keymap.NextPane: true, keymap.PrevPane: true, keymap.Follow: true, keymap.Layout: true, keymap.NextNeed: true}
	for v := viewBoard; v < viewCount; v++ {
		for name, snap := range map[string]bool{"full": true, "empty": false} {
			for _, e := range keymap.Default().Entries() {
				if e.Mode != keymap.Browsing || moves(e.Action) || e.Action == keymap.Left || e.Action == keymap.Right || quiet[e.Action] {
					continue
				}
				s := sample()
				if !snap {
					s.Rows, s.Workers, s.Pulls, s.Needs, s.Log = nil, nil, nil, nil, nil
				}
				m, ctl := room(120, 40, s)
				if m.panes[v] == nil {
					continue
				}
				m.view = v
				before := plainScreen(m)
				settle(m, m.act(e.Action))
				after := plainScreen(m)
				stays := leadsTo[e.Action] == v && e.Action != keymap.Issue && e.Needs == keymap.NeedsNothing
				if after == before && len(ctl.commands()) == 0 && m.left == "" && !stays && e.Action != keymap.Suspend &&
					!(e.Action == keymap.Open && v != viewBoard && v != viewPulls && v != viewLog) && !(e.Action == keymap.Diff && v == viewDiff) {
					t.Errorf("%s in %s (%s) says and does nothing", e.Action, v.name(), name)
				}
			}
		}
	}
}
