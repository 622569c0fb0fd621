// Package schematest holds the part of a schema that a fake knows against the
// service's whole schema, where that is at hand. It is imported by tests only.
package schematest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// File is one of the services' own descriptions: where DISPATCHER_SCHEMAS says,
// and there it must be, else in shared/schemas beside the checkout. Elsewhere
// the test is skipped, and says what it lacks.
func File(t *testing.T, file string) []byte {
	t.Helper()
	dir, said := os.LookupEnv("DISPATCHER_SCHEMAS")
	if !said || dir == "" {
		said, dir = false, filepath.Join(checkout(t), "..", "shared", "schemas")
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if !said && errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NOT HELD against the service's own %s: there is none in %s; set DISPATCHER_SCHEMAS to the folder that holds it", file, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkout is the folder of go.mod, above the package whose test runs.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Whole is the whole schema in a file, where it is at hand, as File says.
func Whole(t *testing.T, file string) *ast.Schema {
	t.Helper()
	s, err := gqlparser.LoadSchema(&ast.Source{Name: file, Input: string(File(t, file))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// IsPart holds our part of a schema against the whole: every type, field,
// argument and value stands there with the same type, and none is deprecated or
// internal.
func IsPart(t *testing.T, part, whole *ast.Schema) {
	t.Helper()
	count := 0
	for name, ours := range part.Types {
		if ours.BuiltIn {
			continue
		}
		theirs := whole.Types[name]
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
