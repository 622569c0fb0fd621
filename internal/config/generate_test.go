package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

//go:generate go test -run ^TestGeneratedFilesAreFresh$ . -update

var update = flag.Bool("update", false, "rewrite the generated files")

// TestGeneratedFilesAreFresh holds the JSON schema and the page about the file
// against the struct; -update rewrites them.
func TestGeneratedFilesAreFresh(t *testing.T) {
	t.Parallel()
	s := schema(t)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	docs := filepath.Join("..", "..", "docs")
	for path, want := range map[string][]byte{
		"schema.json": text,
		filepath.Join(docs, "config.schema.json"): text,
		filepath.Join(docs, "config.md"):          page(s),
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
	if !bytes.Equal(config.JSONSchema(), text) && !*update {
		t.Error("the program carries another schema than its struct")
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	if err := r.AddGoComments("github.com/backside4charter/dispatcher/internal/config", "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(&config.Config{})
	s.Title = config.FileName
	s.Description = "How dispatcher works this repository."
	roles := &jsonschema.Schema{}
	for _, role := range board.Roles() {
		roles.Enum = append(roles.Enum, string(role))
	}
	for _, section := range []string{"Native", "Linear", "GitHub"} {
		states, _ := s.Definitions[section].Properties.Get("states")
		states.PropertyNames = roles
		if section == "Native" {
			continue
		}
		for _, role := range board.Roles() {
			if section == "Linear" || role != board.RoleQuestion {
				states.Required = append(states.Required, string(role))
			}
		}
	}
	for _, platform := range []config.Platform{config.PlatformLinear, config.PlatformGitHub} {
		is := jsonschema.NewProperties()
		is.Set("platform", &jsonschema.Schema{Const: string(platform)})
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: is},
			Then: &jsonschema.Schema{Required: []string{string(platform), "repository"}},
		})
	}
	return s
}

// page renders the schema for people.
func page(s *jsonschema.Schema) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# %[1]s

<!-- Generated from internal/config/config.go by "make generate"; do not edit. -->

`+"`%[1]s`"+` stands at the root of the repository, is committed, and marks that root: commands look for it from the
working folder upward, or take it from `+"`--config` or `DISPATCHER_CONFIG`"+`. In a linked git worktree the main checkout's file
is used. The smallest one is

`+"```json\n%[2]s\n```"+`

The file is read strictly: an unknown key, a key that stands twice or a value of another type is a violation, and all
violations are reported at once, each with its path. `+"`config.schema.json`"+` beside this page is the same as a JSON schema;
name it as `+"`$schema`"+` and an editor completes the keys. Keys and credentials never stand in the file.

`, config.FileName, config.Minimal)
	b.WriteString("## Top level\n\n")
	table(&b, s)
	var sections []string
	sections = collect(s, s, sections)
	for _, name := range sections {
		d := s.Definitions[name]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", title(s, name), strings.ReplaceAll(d.Description, "\n", " "))
		table(&b, d)
	}
	return b.Bytes()
}

// collect lists the definitions in the order in which the struct reaches them.
func collect(root, s *jsonschema.Schema, seen []string) []string {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		name := refOf(p.Value)
		if name == "" || slices.Contains(seen, name) || root.Definitions[name].Type != "object" {
			continue
		}
		seen = collect(root, root.Definitions[name], append(seen, name))
	}
	return seen
}

// refOf is the definition that a property, its elements or its values have.
func refOf(s *jsonschema.Schema) string {
	for ; s != nil; s = inner(s) {
		if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
			return name
		}
	}
	return ""
}

func inner(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items != nil {
		return s.Items
	}
	return s.AdditionalProperties
}

// title is the path under which a definition is first used.
func title(root *jsonschema.Schema, name string) string {
	var find func(s *jsonschema.Schema, prefix string) string
	find = func(s *jsonschema.Schema, prefix string) string {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			path, ref := prefix+p.Key, refOf(p.Value)
			switch {
			case p.Value.Items != nil:
				path += "[]"
			case p.Value.AdditionalProperties != nil:
				path += ".<name>"
			}
			if ref == name {
				return "`" + path + "`"
			}
			if ref != "" && root.Definitions[ref].Properties != nil {
				if found := find(root.Definitions[ref], path+"."); found != "" {
					return found
				}
			}
		}
		return ""
	}
	return find(root, "")
}

func table(b *bytes.Buffer, s *jsonschema.Schema) {
	b.WriteString("| key | value | default | meaning |\n| --- | --- | --- | --- |\n")
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		def := ""
		switch {
		case slices.Contains(s.Required, p.Key):
			def = "required"
		case p.Value.Default != nil:
			def = fmt.Sprintf("`%v`", p.Value.Default)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Key, value(p.Value), def,
			strings.ReplaceAll(strings.ReplaceAll(p.Value.Description, "\n", " "), "|", "\\|"))
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
	case s.Type == "object" || s.AdditionalProperties != nil:
		return "name to " + value(s.AdditionalProperties)
	case s.Ref != "":
		return "object"
	case s.Type == "string":
		return "text"
	case s.Minimum != "" && s.Maximum != "":
		return fmt.Sprintf("%s, %s to %s", s.Type, s.Minimum, s.Maximum)
	case s.Minimum != "":
		return fmt.Sprintf("%s, %s or more", s.Type, s.Minimum)
	}
	return s.Type
}
