package github_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// whole is GitHub's whole schema, where it is at hand: beside the checkout, or
// where DISPATCHER_SCHEMAS says.
func whole(t *testing.T) *ast.Schema {
	t.Helper()
	dir := os.Getenv("DISPATCHER_SCHEMAS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "schemas")
	}
	text, err := os.ReadFile(filepath.Join(dir, "github.graphql"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the whole schema is not at hand (%s); set DISPATCHER_SCHEMAS to the folder that holds github.graphql", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := gqlparser.LoadSchema(&ast.Source{Name: "github.graphql", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaIsPartOfTheWhole holds our part of the schema against the whole:
// every type, field, argument and value stands there with the same type, and
// none is deprecated or internal.
func TestSchemaIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	all := whole(t)
	count := 0
	for name, ours := range github.Schema().Types {
		if ours.BuiltIn {
			continue
		}
		theirs := all.Types[name]
		if theirs == nil || theirs.Kind != ours.Kind {
			t.Errorf("%s is not in the whole schema", name)
			continue
		}
		for _, f := range ours.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			count++
			sameField(t, name, f, theirs.Fields.ForName(f.Name))
		}
		for _, v := range ours.EnumValues {
			if theirs.EnumValues.ForName(v.Name) == nil {
				t.Errorf("%s has no value %s", name, v.Name)
			}
		}
	}
	t.Logf("%d fields are as in the whole schema", count)
}

func sameField(t *testing.T, typ string, ours, theirs *ast.FieldDefinition) {
	t.Helper()
	switch {
	case theirs == nil:
		t.Errorf("%s has no field %s", typ, ours.Name)
		return
	case ours.Type.String() != theirs.Type.String():
		t.Errorf("%s.%s is %s, not %s", typ, ours.Name, theirs.Type, ours.Type)
	case theirs.Directives.ForName("deprecated") != nil:
		t.Errorf("%s.%s is deprecated", typ, ours.Name)
	case strings.Contains(theirs.Description, "[Internal]") || strings.Contains(theirs.Description, "[INTERNAL]") || strings.Contains(theirs.Description, "[ALPHA]"):
		t.Errorf("%s.%s is not for everybody", typ, ours.Name)
	}
	for _, a := range ours.Arguments {
		b := theirs.Arguments.ForName(a.Name)
		if b == nil || a.Type.String() != b.Type.String() {
			t.Errorf("%s.%s has no argument %s of %s", typ, ours.Name, a.Name, a.Type)
		}
	}
	for _, b := range theirs.Arguments {
		if b.Type.NonNull && b.DefaultValue == nil && ours.Arguments.ForName(b.Name) == nil {
			t.Errorf("%s.%s needs the argument %s", typ, ours.Name, b.Name)
		}
	}
}

// TestCLISchemaIsPartOfTheWhole holds what gh may ask against the whole; what
// is deprecated there gh still asks.
func TestCLISchemaIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	all := whole(t)
	count := 0
	for name, ours := range github.CLISchema().Types {
		theirs := all.Types[name]
		if theirs == nil {
			t.Errorf("%s is not in the whole schema", name)
			continue
		}
		for _, f := range ours.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			count++
			if g := theirs.Fields.ForName(f.Name); g == nil || g.Type.String() != f.Type.String() {
				t.Errorf("%s.%s %s is not in the whole schema", name, f.Name, f.Type)
			}
		}
	}
	t.Logf("%d fields are as in the whole schema", count)
}
