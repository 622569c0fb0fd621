package linear

import (
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/schematest"
)

// TestSchemaIsPartOfTheWhole holds our part of the schema against the whole.
func TestSchemaIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	schematest.IsPart(t, schema(), schematest.Whole(t, "linear.graphql"))
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
	poll := schematest.File(t, "operations/linear/updated_issues.graphql")
	req := &request{text: string(poll), vars: map[string]any{"project": "p", "since": "2026-01-01T00:00:00Z", "first": 50}}
	if _, err := req.check(); err != nil {
		t.Fatal(err)
	}
	if d := req.cost - 1485; d > 0.5 || d < -0.5 {
		t.Errorf("updated_issues costs %.1f, not the 1,485 that Linear's formula gives", req.cost)
	}
}
