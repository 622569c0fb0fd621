package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// Markdown is docs/keys.md: every group as a table.
func Markdown(groups []Group) string {
	var b strings.Builder
	b.WriteString("# Keys of the control room\n\n" +
		"Made from the key maps by `go test ./tui -run TestKeyDocs -update`; a test checks that it is fresh.\n" +
		"One key has one meaning in every view. Small letters read, can be taken back, or ask first.\n")
	for _, g := range groups {
		b.WriteString("\n## " + g.Title + "\n\n| key | does |\n| --- | --- |\n")
		for _, k := range g.Bindings {
			b.WriteString("| " + names(k) + " | " + cell(k.Help().Desc) + " |\n")
		}
	}
	b.WriteString("\n## By a command, not by a key yet\n\nThe key says so and names the command.\n\n| key | for | command |\n| --- | --- | --- |\n")
	for _, e := range NotHere() {
		b.WriteString("| `" + strings.Join(e.Keys, "` `") + "` | " + e.Does + " | `" + strings.NewReplacer("{ref}", "<ref>", "{pr}", "<number>").Replace(e.Way) + "` |\n")
	}
	return b.String()
}

func names(k key.Binding) string {
	out := make([]string, 0, len(k.Keys()))
	for _, s := range k.Keys() {
		out = append(out, "`"+cell(s)+"`")
	}
	return strings.Join(out, " ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
