package github_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/fake/schematest"
)

// TestRequestsAreHeldToTheDescription says what the description refuses.
func TestRequestsAreHeldToTheDescription(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, path, body string
		ok                 bool
	}{
		{"POST", "/repos/a/b/pulls", `{"title": "T", "head": "x", "base": "main", "draft": true}`, true},
		{"POST", "/repos/a/b/pulls", `{"title": "T", "head": "x"}`, false},
		{"POST", "/repos/a/b/pulls", `{"title": "T", "head": "x", "base": "main", "hurry": true}`, false},
		{"POST", "/repos/a/b/pulls", `{"title": "T", "head": "x", "base": "main", "draft": "yes"}`, false},
		{"POST", "/repos/a/b/pulls/1/reviews", `{"event": "COMMENT", "body": "B", "comments": [{"path": "x", "line": 1, "body": "B"}]}`, true},
		{"POST", "/repos/a/b/pulls/1/reviews", `{"event": "SHOUT", "body": "B"}`, false},
		{"POST", "/repos/a/b/pulls/1/reviews", `{"event": "COMMENT", "comments": [{"path": "x", "line": 1}]}`, false},
		{"POST", "/app/installations/1/access_tokens", `{"repositories": ["b"]}`, true},
		{"POST", "/app/installations/1/access_tokens", `{"repositories": "b"}`, false},
		{"GET", "/repos/a/b/compare/main...task/x", "", true},
		{"GET", "/repos/a/b/commits/abc/check-runs?filter=latest&page=2", "", true},
		{"GET", "/repos/a/b/pulls?state=open", "", true},
		{"GET", "/repos/a/b/pulls?stat=open", "", false},
		{"GET", "/repos/a/b/pulls/1/nothing", "", false},
		{"DELETE", "/repos/a/b/pulls/1", "", false},
		{"GET", "/app", "", true},
		{"GET", "/apps", "", false},
		{"GET", "/users/acme-developer[bot]", "", true},
		{"GET", "/rate_limit", "", true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, strings.NewReader(tc.body))
		if err := github.REST().Check(r); (err == nil) != tc.ok {
			t.Errorf("%s %s %s: %v", tc.method, tc.path, tc.body, err)
		}
	}
}

// node is a part of a description, without what a reader is told.
type node struct {
	Ref        string           `json:"$ref"`
	Type       any              `json:"type"`
	Enum       []string         `json:"enum"`
	Required   []string         `json:"required"`
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
}

type described struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Ref      string `json:"$ref"`
			Name, In string
		} `json:"parameters"`
		RequestBody struct {
			Content map[string]struct {
				Schema *node `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
	Components struct {
		Schemas    map[string]*node `json:"schemas"`
		Parameters map[string]struct{ Name, In string }
	} `json:"components"`
}

func description(t *testing.T, text []byte) *described {
	t.Helper()
	d := &described{}
	if err := json.Unmarshal(text, d); err != nil { //nolint:musttag // the names are the description's own, in any case
		t.Fatal(err)
	}
	return d
}

// TestDescriptionIsPartOfTheWhole holds our description of the REST API to
// GitHub's: each operation is there, takes what ours takes, and requires no more.
func TestDescriptionIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	all := description(t, schematest.File(t, "github-rest.json"))
	part, err := os.ReadFile("rest.json")
	if err != nil {
		t.Fatal(err)
	}
	ours := description(t, part)
	for path, ops := range ours.Paths {
		for method, op := range ops {
			at := method + " " + path
			theirs, has := all.Paths[path][method]
			if !has {
				t.Errorf("there is no %s", at)
				continue
			}
			var takes []string
			for _, p := range theirs.Parameters {
				if p.Ref != "" {
					ref := all.Components.Parameters[filepath.Base(p.Ref)]
					p.Name, p.In = ref.Name, ref.In
				}
				takes = append(takes, p.In+" "+p.Name)
			}
			for _, p := range op.Parameters {
				if !slices.Contains(takes, p.In+" "+p.Name) {
					t.Errorf("%s takes no %s %q", at, p.In, p.Name)
				}
			}
			all.same(t, at, op.RequestBody.Content["application/json"].Schema, theirs.RequestBody.Content["application/json"].Schema)
		}
	}
	if len(ours.Paths) < 15 {
		t.Errorf("it describes %d paths alone", len(ours.Paths))
	}
}

func (d *described) same(t *testing.T, at string, ours, theirs *node) {
	t.Helper()
	if theirs != nil && theirs.Ref != "" {
		theirs = d.Components.Schemas[filepath.Base(theirs.Ref)]
	}
	switch {
	case ours == nil && (theirs == nil || len(theirs.Required) == 0):
		return
	case ours == nil || theirs == nil:
		t.Errorf("%s: one of the two takes nothing", at)
		return
	case ours.Type != theirs.Type || !slices.Equal(ours.Enum, theirs.Enum) || !slices.Equal(ours.Required, theirs.Required):
		t.Errorf("%s: ours is %v %v %v, GitHub's %v %v %v", at, ours.Type, ours.Enum, ours.Required, theirs.Type, theirs.Enum, theirs.Required)
	}
	for name, p := range ours.Properties {
		if theirs.Properties[name] == nil {
			t.Errorf("%s has no %s", at, name)
			continue
		}
		d.same(t, at+"."+name, p, theirs.Properties[name])
	}
	d.same(t, at+"[]", ours.Items, theirs.Items)
}
