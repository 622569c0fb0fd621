package settings_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/backside4charter/dispatcher/internal/settings"
	"github.com/backside4charter/dispatcher/themes"
)

//go:generate go test -run ^TestGeneratedFilesAreFresh$ . -update

var update = flag.Bool("update", false, "rewrite the generated files")

// TestGeneratedFilesAreFresh holds the JSON schemas and the page about the
// files against the structs; -update rewrites them.
func TestGeneratedFilesAreFresh(t *testing.T) {
	t.Parallel()
	room, theme := schemaOf(t, &settings.Room{}, "How a person likes the control room."), schemaOf(t, &settings.Theme{}, "A theme of one's own.")
	docs := filepath.Join("..", "..", "docs")
	for path, want := range map[string][]byte{
		"room.schema.json":                       text(t, room),
		"theme.schema.json":                      text(t, theme),
		filepath.Join(docs, "room.schema.json"):  text(t, room),
		filepath.Join(docs, "theme.schema.json"): text(t, theme),
		filepath.Join(docs, "room.md"):           page(room, theme),
	} {
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("%s is stale; `make generate` rewrites it", path)
		}
	}
	if !*update && (!bytes.Equal(settings.JSONSchema(), text(t, room)) || !bytes.Equal(settings.ThemeJSONSchema(), text(t, theme))) {
		t.Error("the program carries other schemas than its structs")
	}
}

func schemaOf(t *testing.T, v any, about string) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, RequiredFromJSONSchemaTags: true}
	if err := r.AddGoComments("github.com/backside4charter/dispatcher/internal/settings", "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(v)
	s.Description = about
	return s
}

func text(t *testing.T, s *jsonschema.Schema) []byte {
	t.Helper()
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// page renders both schemas for people.
func page(room, theme *jsonschema.Schema) []byte {
	var b bytes.Buffer
	b.WriteString(`# The control room, as you like it

<!-- Generated from internal/settings by "make generate"; do not edit. -->

` + "`room.json`" + ` holds what one person likes, for all repositories. It stands in the configuration folder of your system:
` + "`$XDG_CONFIG_HOME/dispatcher`, else `~/.config/dispatcher`; on macOS `~/Library/Application Support/dispatcher`, on Windows `%AppData%\\dispatcher`" + `.
` + "`DISPATCHER_SETTINGS`" + ` names another folder. Without the file the defaults below hold.

The file is read strictly: an unknown key, a key that stands twice or a value of another type is refused with its line, and
all faults are listed at once. ` + "`room.schema.json`" + ` beside this page is the same as a JSON schema; name it as ` + "`$schema`" + ` and an editor completes the keys.

`)
	table(&b, room)
	b.WriteString("\n## `attention`\n\n")
	table(&b, room.Definitions["Attention"])
	b.WriteString(`
One thing calls once: a question, a worker that asks for permission, an issue that is ready for your review, one that was given
up, a limit that is reached. What comes within five seconds is one call. In quiet hours nothing calls, and is not made up for
later. While you type in the room, or its window has the focus, the bell is all. A tmux shows the bell on its window; to let notifications through it needs
` + "`set -g allow-passthrough on`" + `.
`)
	b.WriteString("\n## Themes\n\nBuilt in:\n\n| name | ground | contrast of text |\n| --- | --- | --- |\n")
	for _, th := range themes.All() {
		ground, contrast := "light", "4.5 to 1"
		if th.Dark {
			ground = "dark"
		}
		if strings.HasPrefix(th.Name, "high-contrast") {
			contrast = "7 to 1"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", th.Name, ground, contrast)
	}
	b.WriteString(`
Every theme tells states apart by blue, orange and shape, so that red-green blindness hides nothing, and everything that a colour
says stands there as a sign or a word too. ` + "`NO_COLOR`" + ` draws without any. A terminal with sixteen colours keeps its own sixteen.

A theme of your own is a file ` + "`themes/<name>.json`" + ` beside ` + "`room.json`" + `, strict in the same way:

` + "```json\n" + `{ "base": "dusk", "colors": { "accent": "#c4a7e7", "chosen": "#2a2740" } }
` + "```\n\n")
	table(&b, theme)
	b.WriteString("\n### `colors`\n\n")
	table(&b, theme.Definitions["Colors"])
	return b.Bytes()
}

func table(b *bytes.Buffer, s *jsonschema.Schema) {
	b.WriteString("| key | value | default | meaning |\n| --- | --- | --- | --- |\n")
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		def := ""
		if p.Value.Default != nil {
			def = fmt.Sprintf("`%v`", p.Value.Default)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Key, value(p.Value), def, strings.ReplaceAll(p.Value.Description, "\n", " "))
	}
}

// value is what may stand at a key, in words.
func value(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprintf("`%v`", e)
		}
		return strings.Join(words, ", ")
	case s.Items != nil:
		return "list of " + value(s.Items)
	case s.AdditionalProperties != nil:
		return "name to " + value(s.AdditionalProperties)
	case s.Ref != "":
		return "object"
	case s.Type == "string":
		return "text"
	case s.Type == "boolean":
		return "true or false"
	case s.Maximum != "":
		return fmt.Sprintf("%s, %s to %s", s.Type, s.Minimum, s.Maximum)
	}
	return s.Type
}
