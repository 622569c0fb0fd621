package keymap

import "strings"

// Section is the entries under one heading.
type Section struct {
	Title   string
	Entries []Entry
}

// Sections are the entries under their headings, in the order of the table.
func (m *Map) Sections() []Section {
	var out []Section
	for _, e := range m.entries {
		if len(out) == 0 || out[len(out)-1].Title != e.Group {
			out = append(out, Section{Title: e.Group})
		}
		g := &out[len(out)-1]
		g.Entries = append(g.Entries, e)
	}
	return out
}

// Markdown is docs/keys.md: every group as a table.
func (m *Map) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys of the control room\n\n" +
		"Made from the table in `tui/keymap` by `go test ./tui -run TestKeyDocs -update`; a test checks that it is fresh.\n\n" +
		"One key has one meaning in every view; with nothing to act on it says why. Small letters read, can be taken back, or ask first;\n" +
		"capitals reach beyond the room and always ask or open a draft. The palette (`:`) lists every action with its key.\n\n" +
		"The name in the last column binds other keys to an action, in `keys` of your own settings file ([room.md](room.md)):\n" +
		"`\"keys\": {\"stop\": [\"f8\"], \"find\": [\"/\", \"f3\"]}` gives the action exactly these keys; letters after `g` stay.\n" +
		"Two actions on one key are refused at the start, both named.\n")
	for _, g := range m.Sections() {
		b.WriteString("\n## " + g.Title + "\n\n| key | does | name |\n| --- | --- | --- |\n")
		for _, e := range g.Entries {
			name := "`" + string(e.Action) + "`"
			if e.Mode != Browsing {
				name = ""
			}
			b.WriteString("| " + spelled(e) + " | " + cell(e.Does) + " | " + name + " |\n")
		}
	}
	return b.String()
}

func spelled(e Entry) string {
	out := make([]string, 0, len(e.Keys)+len(e.After))
	for _, s := range e.Keys {
		out = append(out, "`"+cell(s)+"`")
	}
	for _, s := range e.After {
		out = append(out, "`g` `"+cell(s)+"`")
	}
	return strings.Join(out, " · ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
