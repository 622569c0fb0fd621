package github_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// served is the fake with one issue in a project and one pull request.
type served struct {
	*testing.T
	s   *github.Server
	url string
}

func serve(t *testing.T) *served {
	t.Helper()
	repo := gittest.New(t)
	repo.Git("branch", "task/x")
	v := &served{T: t, s: github.New(github.Options{})}
	v.s.AddRepo("acme", "widgets", repo.Dir, "main")
	v.s.AddUser("olive", 42, "olive-token")
	p := v.s.AddProject("acme", 2, "Ready", "Done")
	v.s.NewIssue("acme/widgets", github.Issue{Title: "one"}, "Ready", p)
	v.s.With("acme/widgets", func(r *github.Repo) {
		r.Open(&github.Pull{Number: 9, Title: "T", Base: "main", Head: "task/x", Author: "olive"})
	})
	srv := httptest.NewServer(v.s)
	t.Cleanup(srv.Close)
	v.url = srv.URL
	return v
}

// ask sends one request; an answer that does not come is -1.
func (v *served) ask(method, path, body string) (status int, answer string, head http.Header) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer olive-token")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return -1, "", nil
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func (v *served) graphql(query string) (status int, answer string, head http.Header) {
	v.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		v.Fatal(err)
	}
	return v.ask("POST", "/graphql", string(body))
}

func (v *served) comments() int {
	n := 0
	v.s.With("acme/widgets", func(r *github.Repo) { n = len(r.Issue(1).Comments) })
	return n
}

const (
	sayIt = `mutation { addComment(input: {subjectId: "I_acme/widgets_1", body: "hello"}) { commentEdge { node { id } } } }`
	read  = `{ repository(owner: "acme", name: "widgets") { issue(number: 1) { comments(first: 9) { nodes { body } } } pullRequest(number: 9) { mergeable } } }`
)

// How each failure looks, and whether what was asked for has happened.
func TestFaults(t *testing.T) {
	t.Parallel()
	for kind, want := range map[github.FaultKind]struct {
		status  int
		says    string
		happens bool
	}{
		github.FaultSecondary:   {403, "secondary rate limit", false},
		github.FaultBare:        {403, "secondary rate limit", false},
		github.FaultInBody:      {200, "secondary rate limit", false},
		github.FaultAbuse:       {429, "secondary rate limit", false},
		github.FaultPrimary:     {403, "API rate limit exceeded", false},
		github.FaultRateLimited: {200, `"type":"RATE_LIMITED"`, false},
		github.FaultRateLimit:   {200, `"code":"graphql_rate_limit"`, false},
		github.FaultBadGate:     {502, "<html>", false},
		github.FaultHangUp:      {-1, "", false},
		github.FaultExpired:     {401, "Bad credentials", false},
		github.FaultLost:        {-1, "", true},
		github.FaultLateGate:    {502, "<html>", true},
		github.FaultInternal:    {200, "Something went wrong", true},
		github.FaultCut:         {200, `{"data"`, true},
		github.FaultEmpty:       {200, "upstream timeout", false},
		github.FaultVoid:        {200, `{"data":{}}`, true},
		github.FaultDelay:       {200, `"commentEdge"`, true},
		github.FaultStale:       {200, `"commentEdge"`, true}, // of reads only
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			v := serve(t)
			v.s.Inject(github.Fault{Kind: kind, Times: 1, Delay: time.Millisecond, Query: "addComment"})
			v.graphql(read) // is of another kind
			status, text, head := v.graphql(sayIt)
			if status != want.status || !strings.Contains(text, want.says) {
				t.Errorf("answered %d %s", status, text)
			}
			if waits := head.Get("Retry-After") != ""; waits != slices.Contains([]github.FaultKind{github.FaultSecondary, github.FaultInBody, github.FaultAbuse}, kind) {
				t.Errorf("asks to wait: %v", waits)
			}
			if kind == github.FaultCut && json.Valid([]byte(text)) {
				t.Errorf("the answer is whole: %s", text)
			}
			if (v.comments() == 1) != want.happens {
				t.Errorf("%d comments", v.comments())
			}
			if status, text, _ := v.graphql(sayIt); status != 200 || !strings.Contains(text, "commentEdge") {
				t.Errorf("the next one is answered %d %s", status, text)
			}
		})
	}
}

// A read that lags behind does not see the last write, and the one after it does.
func TestStaleAndUnknown(t *testing.T) {
	t.Parallel()
	v := serve(t)
	v.s.Inject(github.Fault{Kind: github.FaultStale, Reads: true, Times: 1})
	v.graphql(sayIt)
	for _, want := range []bool{false, true} {
		if _, text, _ := v.graphql(read); strings.Contains(text, "hello") != want || !strings.Contains(text, `"MERGEABLE"`) {
			t.Errorf("want it seen %v: %s", want, text)
		}
	}
	v.s.Inject(github.Fault{Kind: github.FaultUnknown, Times: 2})
	if _, text, _ := v.graphql(read); !strings.Contains(text, `"UNKNOWN"`) {
		t.Error(text)
	}
	if _, text, _ := v.ask("GET", "/repos/acme/widgets/pulls/9", ""); !strings.Contains(text, `"mergeable":null`) {
		t.Error(text)
	}
}

// The old name of a repository leads to it, over both APIs and for git.
func TestRename(t *testing.T) {
	t.Parallel()
	v := serve(t)
	v.s.Rename("acme/widgets", "gadgets")
	if _, text, _ := v.ask("GET", "/repos/acme/widgets/pulls/9", ""); !strings.Contains(text, "acme/gadgets/pull/9") {
		t.Error(text)
	}
	if status, text, _ := v.ask("PATCH", "/repos/acme/widgets/pulls/9", `{"title": "U"}`); status != 200 || !strings.Contains(text, `"title":"U"`) {
		t.Error(status, text)
	}
	if _, text, _ := v.graphql(`{ repository(owner: "acme", name: "widgets") { nameWithOwner } }`); !strings.Contains(text, "acme/gadgets") {
		t.Error(text)
	}
	if n := github.Count(v.s.Requests()); n.GraphQL != 1 || n.Points != 1 || n.REST != 4 || n.Free != 0 {
		t.Errorf("%+v", n)
	}
	refs := gittest.New(t).Git("ls-remote", strings.Replace(v.url, "http://", "http://x:olive-token@", 1)+"/git/acme/widgets.git")
	if !strings.Contains(refs, "refs/heads/task/x") {
		t.Error(refs)
	}
}
