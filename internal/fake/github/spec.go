package github

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Spec is GitHub's description of its REST API (OpenAPI), as far as requests
// are held to it: the method at the path, the query's names, and of a body its
// names, its required ones and their types.
type Spec struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas    map[string]json.RawMessage `json:"schemas"`
		Parameters map[string]json.RawMessage `json:"parameters"`
	} `json:"components"`
}

//go:embed rest.json
var restText []byte

// REST is the description of the part of the API that is asked here, in our own
// words; a test holds it to GitHub's own where that is at hand.
var REST = sync.OnceValue(func() *Spec {
	s := &Spec{}
	if err := json.Unmarshal(restText, s); err != nil {
		panic(err) // it is part of the program
	}
	return s
})

type operation struct {
	Parameters []struct {
		Ref      string `json:"$ref"`
		Name, In string
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type schema struct {
	Ref        string                     `json:"$ref"`
	Type       json.RawMessage            `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Enum       []any                      `json:"enum"`
	Items      json.RawMessage            `json:"items"`
}

// Check says how a request departs from the description. What is not REST
// passes: GraphQL, and git's own requests.
func (s *Spec) Check(r *http.Request) error {
	if r.URL.Path == "/graphql" || strings.HasPrefix(r.URL.Path, "/git/") {
		return nil
	}
	raw, ok := s.find(r.Method, r.URL.Path)
	if !ok {
		return fmt.Errorf("there is no %s %s", r.Method, r.URL.Path)
	}
	var op operation
	if err := json.Unmarshal(raw, &op); err != nil { //nolint:musttag // the names are the description's own, in any case
		return err
	}
	known := s.queryNames(&op)
	for name := range r.URL.Query() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s %s takes no %q", r.Method, r.URL.Path, name)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	media, takes := op.RequestBody.Content["application/json"]
	if len(bytes.TrimSpace(body)) == 0 || !takes {
		return nil
	}
	if err := s.fits(media.Schema, body, "body"); err != nil {
		return fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err)
	}
	return nil
}

// find is the operation at a path; words beat parameters, and a parameter at
// the end may hold slashes, as names of branches do.
func (s *Spec) find(method, path string) (json.RawMessage, bool) {
	var best json.RawMessage
	words := -1
	for template, ops := range s.Paths {
		op, has := ops[strings.ToLower(method)]
		if n, ok := matches(template, path); ok && has && n > words {
			best, words = op, n
		}
	}
	return best, words >= 0
}

// matches counts the words that a template and a path share.
func matches(template, path string) (words int, ok bool) {
	t, p := strings.Split(template, "/"), strings.Split(path, "/")
	if len(p) > len(t) && slices.Contains([]string{"{ref}", "{basehead}"}, t[len(t)-1]) {
		p = append(p[:len(t)-1:len(t)-1], strings.Join(p[len(t)-1:], "/"))
	}
	if len(t) != len(p) {
		return 0, false
	}
	for i := range t {
		switch {
		case t[i] == p[i]:
			words++
		case !strings.HasPrefix(t[i], "{") || p[i] == "":
			return 0, false
		}
	}
	return words, true
}

func (s *Spec) queryNames(op *operation) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.Ref != "" {
			_ = json.Unmarshal(s.Components.Parameters[last(p.Ref)], &p) //nolint:musttag // as above; one that is not there has no name
		}
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// fits holds a value to a schema; alternatives (oneOf, anyOf) are let pass.
func (s *Spec) fits(raw json.RawMessage, value []byte, at string) error {
	var want schema
	if len(raw) == 0 || json.Unmarshal(raw, &want) != nil {
		return nil //nolint:nilerr // what cannot be read asks for nothing
	}
	if want.Ref != "" {
		return s.fits(s.Components.Schemas[last(want.Ref)], value, at)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if len(want.Enum) > 0 && !slices.Contains(want.Enum, v) {
		return fmt.Errorf("%s is %v, none of %v", at, v, want.Enum)
	}
	var kind string
	_ = json.Unmarshal(want.Type, &kind) // a list of types is let pass
	switch kind {
	case "object":
		return s.object(&want, value, at)
	case "array":
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return fmt.Errorf("%s is no list", at)
		}
		var errs []error
		for i, item := range list {
			errs = append(errs, s.fits(want.Items, item, fmt.Sprintf("%s[%d]", at, i)))
		}
		return errors.Join(errs...)
	case "string":
		if _, ok := v.(string); !ok {
			return fmt.Errorf("%s is no text", at)
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%s is neither true nor false", at)
		}
	case "integer":
		if _, ok := v.(float64); !ok {
			return fmt.Errorf("%s is no number", at)
		}
	}
	return nil
}

func (s *Spec) object(want *schema, value []byte, at string) error {
	var got map[string]json.RawMessage
	if json.Unmarshal(value, &got) != nil {
		return fmt.Errorf("%s is no object", at)
	}
	for _, name := range want.Required {
		if _, has := got[name]; !has {
			return fmt.Errorf("%s lacks %s", at, name)
		}
	}
	for name, v := range got {
		p, has := want.Properties[name]
		if !has && len(want.Properties) > 0 {
			return fmt.Errorf("%s has no %s", at, name)
		}
		if err := s.fits(p, v, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}
