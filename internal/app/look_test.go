package app

import "testing"

// A terminal that has no cursor to move gets the room as lines, unasked.
func TestADumbTerminalGetsLines(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]bool{"dumb": true, "xterm": false, "": false} {
		dir := t.TempDir()
		f := &Factory{Getenv: func(name string) string {
			return map[string]string{"TERM": term, "DISPATCHER_SETTINGS": dir}[name]
		}}
		as, err := f.taste(Manner{})
		if err != nil {
			t.Fatal(err)
		}
		if as.look.Plain != want {
			t.Errorf("TERM=%q: lines %t, want %t", term, as.look.Plain, want)
		}
	}
}
