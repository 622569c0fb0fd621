package linear_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/fake/linear"
)

const key = "lin_api_test"

// workspace is a served workspace with one issue, ACM-1.
func workspace(t *testing.T, o linear.Options) (*linear.World, linear.Made, func(query string, vars map[string]any) (int, string)) {
	t.Helper()
	w, err := linear.New(o)
	if err != nil {
		t.Fatal(err)
	}
	made := w.Set(linear.Setup{Key: key, Team: "ACM", Labels: []string{"UI", "Kind/Bug"}})
	if _, err := w.AddIssue(linear.Draft{Title: "one", State: "Ready", Milestone: "m1", Labels: []string{"UI"}}); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w)
	t.Cleanup(srv.Close)
	return w, made, func(query string, vars map[string]any) (int, string) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"query": query, "variables": vars})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/graphql", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}
}

// TestRules plays what Linear does to what is asked of it.
func TestRules(t *testing.T) {
	t.Parallel()
	w, made, ask := workspace(t, linear.Options{})
	vars := map[string]any{"dev": made.Developer, "me": made.Owner}
	cases := []struct {
		name, query string
		status      int
		want        string
	}{
		{"an issue by identifier in any case", `{ issue(id: "acm-1") { identifier title state { name type } labels(first: 5) { nodes { name } } } }`, 200, `"identifier":"ACM-1"`},
		{"an unknown field", `{ issue(id: "ACM-1") { colour } }`, 400, `Cannot query field \"colour\"`},
		{"an unknown issue", `{ issue(id: "ACM-9") { id } }`, 200, `Entity not found: Issue`},
		{"introspection is too dear", `{ __schema { types { name } } }`, 400, `262144`},
		{"too complex", `{ issues(first: 250) { nodes { id comments { nodes { id } } } } }`, 400, `Maximum allowed complexity: 10000`},
		{"too long a page", `{ issues(first: 251) { nodes { id } } }`, 200, `must not be greater than 250`},
		{"delegating sets the assignee", `mutation($dev: String!) { issueUpdate(id: "ACM-1", input: {delegateId: $dev}) { success issue { delegate { displayName } assignee { displayName isMe } } } }`, 200, `"assignee":{"displayName":"olive","isMe":true},"delegate":{"displayName":"developer-agent"}`},
		{"an app user is no assignee", `mutation($dev: String!) { issueUpdate(id: "ACM-1", input: {assigneeId: $dev}) { issue { delegate { app } } } }`, 200, `"app":true`},
		{"a person is no delegate", `mutation($me: String!) { issueUpdate(id: "ACM-1", input: {delegateId: $me}) { success } }`, 200, `must be an app user`},
		{"null clears", `mutation { issueUpdate(id: "ACM-1", input: {delegateId: null, assigneeId: null}) { issue { delegate { id } assignee { id } } } }`, 200, `"assignee":null,"delegate":null`},
		{"labelIds replaces all", `mutation { issueUpdate(id: "ACM-1", input: {labelIds: []}) { issue { labels(first: 5) { nodes { name } } } } }`, 200, `"nodes":[]`},
		{"a comment without a word", `mutation { commentCreate(input: {issueId: "ACM-1", body: " "}) { success } }`, 200, `must not be empty`},
		{"a client's id is a UUID", `mutation { commentCreate(input: {issueId: "ACM-1", body: "x", id: "1"}) { success } }`, 200, `must be a UUID`},
		{"a link is one for each URL", `mutation { a: attachmentLinkURL(issueId: "ACM-1", url: "https://x.example/1") { attachment { id } } b: attachmentLinkURL(issueId: "ACM-1", url: "https://x.example/1") { attachment { id } } }`, 200, `"a":{"attachment":`},
		{"open rows alone", `{ issues(first: 5, filter: {state: {type: {nin: ["completed", "canceled"]}}, number: {in: [1, 2]}}) { nodes { identifier } } }`, 200, `"ACM-1"`},
		{"rows without a milestone", `{ issues(first: 5, filter: {projectMilestone: {null: true}}) { nodes { identifier } } }`, 200, `"nodes":[]`},
	}
	for _, c := range cases {
		status, got := ask(c.query, vars)
		if status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %s, want %d with %s", c.name, status, got, c.status, c.want)
		}
	}
	if n := w.Counts(); n.Requests != len(cases) {
		t.Errorf("counted %+v, asked %d times", n, len(cases))
	}
}

// TestAutomation: a merged pull request closes its issue, once.
func TestAutomation(t *testing.T) {
	t.Parallel()
	w, made, ask := workspace(t, linear.Options{})
	const pr = "https://github.com/acme/widgets/pull/7"
	ask(`mutation { attachmentLinkGitHubPR(issueId: "ACM-1", url: "`+pr+`") { success } }`, nil)
	if moved := w.Merge(pr); len(moved) != 1 || moved[0] != "ACM-1" {
		t.Fatalf("moved %v", moved)
	}
	_, got := ask(`{ issue(id: "ACM-1") { state { name } history(first: 1) { nodes { botActor { type } actor { id } toState { name } } } } }`, nil)
	if want := `{"actor":null,"botActor":{"type":"github"},"toState":{"name":"Done"}}`; !strings.Contains(got, want) {
		t.Fatalf("after the merge: %s", got)
	}
	ready := w.StateID("Ready")
	if err := w.Edit("ACM-1", made.Owner, func(i *linear.Issue) { i.State = ready }); err != nil {
		t.Fatal(err)
	}
	if moved := w.Merge(pr); len(moved) != 0 {
		t.Fatalf("an issue that was reopened is closed again: %v", moved)
	}
}

// TestLimits: an hour's requests run out, in Linear's own words, and come back
// little by little.
func TestLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)
	w, _, ask := workspace(t, linear.Options{Now: func() time.Time { return now }, Requests: 3})
	for range 3 {
		if status, got := ask(`{ viewer { id } }`, nil); status != 200 {
			t.Fatalf("%d %s", status, got)
		}
	}
	status, got := ask(`{ viewer { id } }`, nil)
	if status != 400 || !strings.Contains(got, `"code":"RATELIMITED"`) || !strings.Contains(got, "Only 3 requests are allowed per 1 hour.") {
		t.Fatalf("%d %s", status, got)
	}
	now = now.Add(21 * time.Minute)
	if status, got := ask(`{ viewer { id } }`, nil); status != 200 {
		t.Fatalf("after a third of an hour: %d %s", status, got)
	}
	if c := w.Counts(); c.Requests != 5 || c.Refused != 1 {
		t.Fatalf("%+v", c)
	}
}

// TestFaults plays every failure that can be injected.
func TestFaults(t *testing.T) {
	t.Parallel()
	const write, read = `mutation { issueUpdate(id: "ACM-1", input: {title: "two"}) { issue { title } } }`, `{ issue(id: "ACM-1") { title } }`
	cases := []struct {
		kind   linear.FaultKind
		query  string
		status int
		want   string
		after  string // the title then
	}{
		{linear.FaultRateLimit, write, 400, "RATELIMITED", "one"},
		{linear.FaultDrop, write, 0, "EOF", "one"},
		{linear.FaultLost, write, 0, "EOF", "two"},
		{linear.FaultHTML, write, 502, "<html>", "one"},
		{linear.FaultTruncated, write, 200, `{"data":`, "two"},
		{linear.FaultKey, write, 401, "AUTHENTICATION_ERROR", "one"},
		{linear.FaultDelay, write, 200, "two", "two"},
	}
	for _, c := range cases {
		w, _, ask := workspace(t, linear.Options{})
		w.Inject(linear.Fault{Kind: c.kind})
		if status, got := ask(c.query, nil); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %s", c.kind, status, got)
		}
		if _, got := ask(read, nil); !strings.Contains(got, c.after) {
			t.Errorf("after %s: %s, want %s", c.kind, got, c.after)
		}
	}
	w, _, ask := workspace(t, linear.Options{})
	w.Inject(linear.Fault{Kind: linear.FaultStale, Reads: true})
	ask(write, nil)
	if _, got := ask(read, nil); !strings.Contains(got, "one") {
		t.Errorf("a stale read sees %s", got)
	}
	if _, got := ask(read, nil); !strings.Contains(got, "two") {
		t.Errorf("the next read sees %s", got)
	}
}

// TestFolder: another process goes on with what one has left.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, ask := workspace(t, linear.Options{Folder: dir})
	ask(`mutation { commentCreate(input: {issueId: "ACM-1", body: "kept"}) { success } }`, nil)
	w, err := linear.New(linear.Options{Folder: dir})
	if err != nil || w.Empty() {
		t.Fatalf("nothing was kept: %v", err)
	}
	srv := httptest.NewServer(w)
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/graphql", strings.NewReader(`{"query": "{ comments(first: 5) { nodes { body issue { identifier } } } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), `{"body":"kept","issue":{"identifier":"ACM-1"}}`) {
		t.Fatalf("%s %v", text, err)
	}
}
