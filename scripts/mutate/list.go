package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutation is one deliberate mistake in one line.
type mutation struct {
	Name string `json:"name"` // what the guard asks for
	Rule string `json:"rule"` // where that is written
	File string `json:"file"`
	// In is the beginning of a line above Old, for one that stands in more than
	// one place; empty is the beginning of the file.
	In    string   `json:"in,omitempty"`
	Old   string   `json:"old"`
	New   string   `json:"new"`
	Tests []string `json:"tests"`         // the packages of which one must fail
	Run   string   `json:"run,omitempty"` // these tests only
}

func load(file string) ([]mutation, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the mutations: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var list []mutation
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	seen := map[string]bool{}
	for n := range list {
		m := &list[n]
		switch {
		case m.Name == "" || m.Rule == "" || m.File == "" || m.Old == "" || len(m.Tests) == 0:
			return nil, fmt.Errorf("%s: mutation %d (%s) lacks a name, a rule, a file, an old text or tests", file, n+1, m.Name)
		case strings.Contains(m.Old+m.New, "\n"):
			return nil, fmt.Errorf("%s: %s is no change of one line", file, m.Name)
		case seen[m.Name]:
			return nil, fmt.Errorf("%s: two are called %s", file, m.Name)
		}
		seen[m.Name] = true
	}
	return list, nil
}

// apply answers the mutated text of the file below root.
func (m *mutation) apply(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return "", err
	}
	text, from := string(data), 0
	if m.In != "" {
		at := strings.Index("\n"+text, "\n"+m.In)
		if at < 0 {
			return "", fmt.Errorf("no line begins with %q", m.In)
		}
		from = at
	}
	part := text[from:]
	if end := strings.Index(part, "\n}\n"); m.In != "" && end >= 0 {
		part = part[:end]
	}
	switch strings.Count(part, m.Old) {
	case 0:
		return "", errors.New("the old text is not there")
	case 1:
		return text[:from] + strings.Replace(part, m.Old, m.New, 1) + text[from+len(part):], nil
	}
	return "", errors.New("the old text is there more than once; say where with \"in\"")
}
