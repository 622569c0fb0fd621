package linear

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

// whole is Linear's whole schema, where it is at hand: beside the checkout, or
// where DISPATCHER_SCHEMAS says.
func whole(t *testing.T) *ast.Schema {
	t.Helper()
	dir := os.Getenv("DISPATCHER_SCHEMAS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "schemas")
	}
	text, err := os.ReadFile(filepath.Join(dir, "linear.graphql"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the whole schema is not at hand (%s); set DISPATCHER_SCHEMAS to the folder that holds linear.graphql", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := gqlparser.LoadSchema(&ast.Source{Name: "linear.graphql", Input: string(text)})
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
	for name, ours := range schema().Types {
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

// TestCost holds our count against figures that are known: a node of three
// fields was measured at 1.3, and the reference operations were summed by
// Linear's formula.
func TestCost(t *testing.T) {
	t.Parallel()
	cases := []struct {
		query string
		vars  map[string]any
		want  float64
	}{
		{`query { issues(first: 10) { nodes { id title identifier } } }`, nil, 10 * 1.3},
		{`query { issues { nodes { id title identifier } } }`, nil, 50 * 1.3},
		{`query($n: Int) { issues(first: $n) { nodes { id } } }`, map[string]any{"n": 100}, 100 * 1.1},
		{`query { viewer { id name } }`, nil, 1.2},
	}
	for _, c := range cases {
		req := &request{text: c.query, vars: c.vars}
		if _, err := req.check(); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
		if d := req.cost - c.want; d > 0.001 || d < -0.001 {
			t.Errorf("%s costs %.2f, want %.2f", c.query, req.cost, c.want)
		}
	}
	poll, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "schemas", "operations", "linear", "updated_issues.graphql"))
	if err != nil {
		t.Log("the reference operations are not at hand")
		return
	}
	req := &request{text: string(poll), vars: map[string]any{"project": "p", "since": "2026-01-01T00:00:00Z", "first": 50}}
	if _, err := req.check(); err != nil {
		t.Fatal(err)
	}
	if d := req.cost - 1485; d > 0.5 || d < -0.5 {
		t.Errorf("updated_issues costs %.1f, not the 1,485 that Linear's formula gives", req.cost)
	}
}
