package linear

import (
	"fmt"
	"maps"

	"github.com/vektah/gqlparser/v2/ast"
)

// resolver answers the fields of a root: queries, or mutations one after
// another.
type resolver func(field string, args map[string]any) (any, error)

// exec carries out the selections of a validated operation.
type exec struct{ vars map[string]any }

func (x *exec) root(sel ast.SelectionSet, r resolver) (map[string]any, error) {
	return x.object(obj(r), sel, "")
}

// object answers the selected fields of o. typ is the object's type as far as
// a fragment asks for it; every fragment applies, since no type here is
// abstract.
func (x *exec) object(o obj, sel ast.SelectionSet, path string) (map[string]any, error) {
	out := map[string]any{}
	for _, s := range sel {
		var err error
		switch s := s.(type) {
		case *ast.Field:
			out[s.Alias], err = x.field(o, s, path)
		case *ast.InlineFragment:
			err = x.merge(out, o, s.SelectionSet, path)
		case *ast.FragmentSpread:
			err = x.merge(out, o, s.Definition.SelectionSet, path)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x *exec) merge(out map[string]any, o obj, sel ast.SelectionSet, path string) error {
	more, err := x.object(o, sel, path)
	maps.Copy(out, more)
	return err
}

func (x *exec) field(o obj, f *ast.Field, path string) (any, error) {
	path += "/" + f.Alias
	if f.Name == "__typename" {
		return f.ObjectDefinition.Name, nil
	}
	v, err := o(f.Name, f.ArgumentMap(x.vars))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path[1:], err)
	}
	return x.value(v, f, path)
}

func (x *exec) value(v any, f *ast.Field, path string) (any, error) {
	switch v := v.(type) {
	case obj:
		return x.object(v, f.SelectionSet, path)
	case []obj:
		list := make([]any, 0, len(v))
		for _, o := range v {
			m, err := x.object(o, f.SelectionSet, path)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
		return list, nil
	case nil:
		if f.Definition.Type.NonNull {
			return nil, fmt.Errorf("cannot return null for the non-nullable field %s", path[1:])
		}
	}
	return v, nil
}

// costOf is what Linear charges for a selection: a tenth for a property, one
// for an object, and for a connection its children times the page that is
// asked for, whatever there is.
func (x *exec) costOf(sel ast.SelectionSet) float64 {
	sum := 0.0
	for _, s := range sel {
		switch s := s.(type) {
		case *ast.Field:
			sum += x.costOfField(s)
		case *ast.InlineFragment:
			sum += x.costOf(s.SelectionSet)
		case *ast.FragmentSpread:
			sum += x.costOf(s.Definition.SelectionSet)
		}
	}
	return sum
}

func (x *exec) costOfField(f *ast.Field) float64 {
	if len(f.SelectionSet) == 0 {
		return 0.1
	}
	if f.Definition.Arguments.ForName("first") == nil {
		return 1 + x.costOf(f.SelectionSet)
	}
	args := f.ArgumentMap(x.vars)
	page := max(intArg(args["first"]), intArg(args["last"]))
	if page == 0 {
		page = defaultPage
	}
	return float64(page) * x.costOf(f.SelectionSet)
}
