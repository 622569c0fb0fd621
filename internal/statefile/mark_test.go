package statefile

import (
	"path/filepath"
	"testing"
)

func TestMark(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mark")
	look := func(want bool) {
		t.Helper()
		if held, err := Marked(path); err != nil || held != want {
			t.Errorf("held: %v, %v; want %v", held, err, want)
		}
	}
	look(false) // nobody has ever made it
	m, ok, err := TryMark(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	look(true)
	if _, ok, err := TryMark(path); ok || err != nil {
		t.Errorf("a second one has it: %v, %v", ok, err)
	}
	if err := m.Clear(); err != nil {
		t.Fatal(err)
	}
	look(false)
}
