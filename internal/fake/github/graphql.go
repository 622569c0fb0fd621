package github

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/backside4charter/dispatcher/internal/fake/gql"
)

// schemaText is the part of GitHub's schema that the program uses, written
// down by us; a test holds it against the whole.
//
//go:embed schema.graphql
var schemaText string

// Schema is the parsed schema.
var Schema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
})

// obj answers the fields of one object.
type obj func(field string, args map[string]any) (any, error)

// typed is an object of an abstract type.
type typed struct {
	name string
	obj  obj
}

func (s *Server) graphQL(w http.ResponseWriter, r *http.Request, g grant) {
	var q struct {
		Query     string
		Variables map[string]any
	}
	if !decode(w, r, &q) {
		return
	}
	doc, errs := gql.Parse(schemaOf(r), q.Query)
	if len(errs) > 0 {
		answer(w, http.StatusOK, map[string]any{"errors": errs})
		return
	}
	if len(doc.Operations) != 1 {
		answer(w, http.StatusOK, map[string]any{"errors": gqlerror.List{gqlerror.Errorf("one operation is expected")}})
		return
	}
	op := doc.Operations[0]
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &selection{vars: q.Variables}
	s.viewer, s.reader = g.login(), g
	s.charge(r, max(1, (x.requests(op.SelectionSet, 1)+50)/100))
	root := s.query(g)
	if op.Operation == ast.Mutation {
		s.remember()
		s.changed = true
		root = s.mutation(g)
	}
	var data map[string]any
	var err error
	s.then(callOf(r), func() { data, err = x.object(typed{"", root}, op.SelectionSet) })
	if err != nil {
		e := map[string]any{"message": err.Error()}
		if t, ok := errors.AsType[*typedError](err); ok {
			e["type"] = t.kind
		}
		answer(w, http.StatusOK, map[string]any{"data": nil, "errors": []any{e}})
		return
	}
	all := map[string]any{"data": data}
	if len(x.errs) > 0 {
		all["errors"] = x.errs
	}
	answer(w, http.StatusOK, all)
}

// charge counts what a query costs. The lock is held.
func (s *Server) charge(r *http.Request, points int) {
	s.points += points
	if at := callOf(r).at; at >= 0 {
		s.log[at].Points = points
	}
}

// typedError is an error with GitHub's type.
type typedError struct{ kind, message string }

func (e *typedError) Error() string { return e.message }

// selection carries out the selections of a validated operation.
type selection struct {
	vars map[string]any
	path []any // of the field that is answered
	errs []any // of fields that were refused: they are null, and the others are there
}

// refuse leaves the field that is answered out of an answer, as GitHub does for
// want of a permission (kirodotdev/KiroCrew#4830 quotes such a path), or of the
// thing itself.
func (x *selection) refuse(why *typedError) {
	x.errs = append(x.errs, map[string]any{"type": why.kind, "path": slices.Clone(x.path), "message": why.message})
}

// notAccessible is what GitHub tells an App that lacks a permission.
const notAccessible = "Resource not accessible by integration"

// errRefused is the answer of a field that a token may not read. An object of a
// list is refused by having notAccessible for its type.
var errRefused = &typedError{"FORBIDDEN", notAccessible}

// skipped says whether a selection is left out by its own @include.
func (x *selection) skipped(ds ast.DirectiveList) bool {
	d := ds.ForName("include")
	return d != nil && d.ArgumentMap(x.vars)["if"] != true
}

func (x *selection) object(o typed, sel ast.SelectionSet) (map[string]any, error) {
	out := map[string]any{}
	for _, s := range sel {
		switch s := s.(type) {
		case *ast.Field:
			if x.skipped(s.Directives) {
				continue
			}
			v, err := x.field(o, s)
			if err != nil {
				return nil, err
			}
			out[s.Alias] = v
		case *ast.InlineFragment:
			if err := x.part(o, s.TypeCondition, s.SelectionSet, out); err != nil {
				return nil, err
			}
		case *ast.FragmentSpread:
			if err := x.part(o, s.Definition.TypeCondition, s.Definition.SelectionSet, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// part adds the selection of a fragment, where the object is of its type.
func (x *selection) part(o typed, of string, sel ast.SelectionSet, out map[string]any) error {
	if o.name != "" && of != "" && of != o.name {
		return nil
	}
	more, err := x.object(o, sel)
	maps.Copy(out, more)
	return err
}

func (x *selection) field(o typed, f *ast.Field) (any, error) {
	if f.Name == "__typename" {
		if o.name != "" {
			return o.name, nil
		}
		return f.ObjectDefinition.Name, nil
	}
	x.path = append(x.path, f.Alias)
	defer func() { x.path = x.path[:len(x.path)-1] }()
	v, err := o.obj(f.Name, f.ArgumentMap(x.vars))
	if t, ok := errors.AsType[*typedError](err); ok && !f.Definition.Type.NonNull {
		x.refuse(t)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return x.value(v, f)
}

func (x *selection) value(v any, f *ast.Field) (any, error) {
	switch v := v.(type) {
	case obj:
		return x.object(typed{"", v}, f.SelectionSet)
	case typed:
		return x.object(v, f.SelectionSet)
	case []typed:
		return x.list(v, f)
	case nil:
		if f.Definition.Type.NonNull {
			return nil, fmt.Errorf("the field %s must not be null", f.Name)
		}
	}
	return v, nil
}

func (x *selection) list(all []typed, f *ast.Field) ([]any, error) {
	list := make([]any, 0, len(all))
	for i, o := range all {
		x.path = append(x.path, i)
		var m any
		var err error
		switch {
		case o.obj != nil:
			m, err = x.object(o, f.SelectionSet)
		case o.name == notAccessible:
			x.refuse(errRefused)
		}
		x.path = x.path[:len(x.path)-1]
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// requests counts what a query costs by the published formula: the requests
// needed to fill every connection; a hundred are one point.
func (x *selection) requests(sel ast.SelectionSet, parents int) int {
	sum := 0
	for _, s := range sel {
		switch s := s.(type) {
		case *ast.Field:
			if x.skipped(s.Directives) {
				continue
			}
			args := f0(s.ArgumentMap(x.vars))
			n := max(args("first"), args("last"))
			if ids, list := s.ArgumentMap(x.vars)["ids"].([]any); list {
				sum += x.requests(s.SelectionSet, parents*len(ids))
				continue
			}
			if n > 0 {
				sum += parents + x.requests(s.SelectionSet, parents*n)
			} else {
				sum += x.requests(s.SelectionSet, parents)
			}
		case *ast.InlineFragment:
			sum += x.requests(s.SelectionSet, parents)
		case *ast.FragmentSpread:
			sum += x.requests(s.Definition.SelectionSet, parents)
		}
	}
	return sum
}

func f0(args map[string]any) func(string) int {
	return func(name string) int {
		switch n := args[name].(type) {
		case int:
			return n
		case int64:
			return int(n)
		case float64:
			return int(n)
		case json.Number:
			i, err := n.Int64()
			if err == nil {
				return int(i)
			}
		}
		return 0
	}
}
