// Package gql parses the queries that the fakes of GraphQL services are asked.
//
// It promises that only a query which holds to the schema is answered, and that
// the same one is held to it once: a client asks the same few again and again,
// and that work is a tenth of a history's.
package gql

import (
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// parsed are the queries that were held to a schema and passed.
var parsed sync.Map

type queryOf struct {
	schema *ast.Schema
	text   string
}

// Parse holds a query to a schema. The document is shared between callers, who
// leave it as it is.
func Parse(s *ast.Schema, text string) (*ast.QueryDocument, gqlerror.List) {
	key := queryOf{s, text}
	if doc, ok := parsed.Load(key); ok {
		return doc.(*ast.QueryDocument), nil //nolint:forcetypeassert // nothing else is stored
	}
	doc, errs := gqlparser.LoadQueryWithRules(s, text, rules.NewDefaultRules())
	if len(errs) == 0 {
		parsed.Store(key, doc)
	}
	return doc, errs
}
