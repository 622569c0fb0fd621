package github_test

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

var readSpec = sync.OnceValues(func() (*fake.Spec, error) { return fake.SpecAtHand("../../..") })

// spec is GitHub's description of its REST API, where it is at hand; nil
// elsewhere. Every request of every test here is held to it. Queries are held
// to the fake's schema, and that to GitHub's whole one, by tests of the fake.
func spec(t *testing.T) *fake.Spec {
	t.Helper()
	s, err := readSpec()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDescriptionAtHand says whether requests were held to the description, and
// that it refuses what is wrong.
func TestDescriptionAtHand(t *testing.T) {
	t.Parallel()
	s := spec(t)
	if s == nil {
		t.Skip("GitHub's description of its REST API is not at hand; set DISPATCHER_SCHEMAS to the folder that holds github-rest.json")
	}
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
		{"GET", "/repos/a/b/compare/main...task/x", "", true},
		{"GET", "/repos/a/b/pulls?state=open", "", true},
		{"GET", "/repos/a/b/pulls?stat=open", "", false},
		{"DELETE", "/repos/a/b/pulls/1", "", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, strings.NewReader(tc.body))
		if err := s.Check(r); (err == nil) != tc.ok {
			t.Errorf("%s %s %s: %v", tc.method, tc.path, tc.body, err)
		}
	}
}
