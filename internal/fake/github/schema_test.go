package github_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/fake/schematest"
)

// TestSchemaIsPartOfTheWhole holds our part of the schema against the whole.
func TestSchemaIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	schematest.IsPart(t, github.Schema(), schematest.Whole(t, "github.graphql"))
}

// TestCLISchemaIsPartOfTheWhole holds what gh may ask against the whole; what
// is deprecated there gh still asks.
func TestCLISchemaIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	all := schematest.Whole(t, "github.graphql")
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
