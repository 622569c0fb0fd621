package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutationsApply: every mutation of the list still finds its line, once,
// and changes it. Whether a test then fails is asked by `make mutations`.
func TestMutationsApply(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	list, err := load(filepath.Join("..", "mutations.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 25 {
		t.Errorf("only %d mutations", len(list))
	}
	for i := range list {
		m := &list[i]
		before, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
		if err != nil {
			t.Error(err)
			continue
		}
		after, err := m.apply(root)
		if err != nil {
			t.Errorf("%s no longer applies to %s: %v; write it for the guard as it now is", m.Name, m.File, err)
		} else if after == string(before) {
			t.Errorf("%s changes nothing", m.Name)
		}
		for _, p := range m.Tests {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p))); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	const text = "package p\n\nfunc f() {\n\tif a {\n\t}\n}\n\nfunc g() {\n\tif a {\n\t}\n\tif b {\n\t}\n}\n"
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		m       mutation
		fault   string
		changed string
	}{
		{"once in the file", mutation{Old: "if b {", New: "if c {"}, "", "\tif c {\n"},
		{"once in its function", mutation{In: "func g(", Old: "if a {", New: "if c {"}, "", "func g() {\n\tif c {\n"},
		{"in a function above the same text", mutation{In: "func f(", Old: "if a {", New: "if c {"}, "", "func f() {\n\tif c {\n"},
		{"twice", mutation{Old: "if a {", New: "x"}, "more than once", ""},
		{"nowhere", mutation{Old: "if z {", New: "x"}, "not there", ""},
		{"below its function only", mutation{In: "func f(", Old: "if b {", New: "x"}, "not there", ""},
		{"no such function", mutation{In: "func h(", Old: "if a {", New: "x"}, "no line begins", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.m.File = "p.go"
			got, err := c.m.apply(root)
			switch {
			case c.fault == "" && err != nil:
				t.Fatal(err)
			case c.fault != "":
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("answered %v, want %q", err, c.fault)
				}
			case !strings.Contains(got, c.changed) || len(got) != len(text):
				t.Fatalf("made %q", got)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no old text":      `[{"name":"n","rule":"r","file":"f","new":"x","tests":["."]}]`,
		"no tests":         `[{"name":"n","rule":"r","file":"f","old":"o","new":"x"}]`,
		"more than a line": `[{"name":"n","rule":"r","file":"f","old":"o\np","new":"x","tests":["."]}]`,
		"an unknown key":   `[{"nam":"n"}]`,
		"two of a name":    `[{"name":"n","rule":"r","file":"f","old":"o","new":"x","tests":["."]},{"name":"n","rule":"r","file":"f","old":"p","new":"x","tests":["."]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "m.json")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if list, err := load(file); err == nil {
				t.Errorf("took %+v", list)
			}
		})
	}
}
