package github_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// The page's button merges, closes what the pull request names, and the
// project's own workflow moves it.
func TestPageMerges(t *testing.T) {
	t.Parallel()
	p := newPlace(t, github.Options{})
	p.openPull()
	code, text := p.ask(http.MethodGet, "/"+owned+"/pull/2", "")
	if code != http.StatusOK || !strings.Contains(text, "Merge pull request") || !strings.Contains(text, `closes <a href="/acme/widgets/issues/1">#1</a>`) {
		t.Fatalf("the page: %d %s", code, text)
	}
	for _, c := range []struct {
		method, path, origin string
		want                 int
	}{
		{http.MethodGet, "/" + owned + "/pull/9", "", http.StatusNotFound},
		{http.MethodGet, "/" + owned + "/pull/2/merge", "", http.StatusMethodNotAllowed},
		{http.MethodPost, "/" + owned + "/pull/9/merge", "", http.StatusConflict},
		{http.MethodPost, "/" + owned + "/pull/2/merge", "https://elsewhere.example", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, p.web.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s %s of %q: %d, want %d", c.method, c.path, c.origin, resp.StatusCode, c.want)
		}
	}
	if got := p.column(); !strings.Contains(got, `"OPEN"`) {
		t.Fatalf("another site's button merged: %s", got)
	}
	for range 2 { // twice is once
		if code, text := p.ask(http.MethodPost, "/"+owned+"/pull/2/merge", ""); code != http.StatusOK || strings.Contains(text, "<button>") || !strings.Contains(text, "MERGED") {
			t.Fatalf("the button: %d %s", code, text)
		}
	}
	if got := p.column(); !strings.Contains(got, `"name":"Done"`) || !strings.Contains(got, `"state":"CLOSED"`) {
		t.Errorf("the issue: %s", got)
	}
	run(t, p.work, "fetch", "-q", "origin")
	if got := run(t, p.work, "log", "-1", "--format=%s", "origin/main"); got != "Merge pull request #2 from task/1" {
		t.Errorf("main is at %q", got)
	}
}

// The other button asks for changes, which hooks are told of.
func TestPageAsksForChanges(t *testing.T) {
	t.Parallel()
	told := make(chan github.Delivery, 16)
	p := newPlace(t, github.Options{Notify: func(d github.Delivery) { told <- d }})
	p.openPull()
	for text, want := range map[string]int{"": http.StatusConflict, "Say why.": http.StatusOK} {
		resp, err := http.PostForm(p.web.URL+"/"+owned+"/pull/2/request-changes", url.Values{"body": {text}})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q is answered %d, want %d", text, resp.StatusCode, want)
		}
	}
	for d := range told {
		if d.Event == "pull_request_review" {
			if !strings.Contains(string(d.Body), `"state":"changes_requested"`) || !strings.Contains(string(d.Body), "Say why.") {
				t.Errorf("told %s", d.Body)
			}
			break
		}
	}
	if code, text := p.ask(http.MethodGet, "/"+owned+"/issues/1", ""); code != http.StatusOK || !strings.Contains(text, "An issue") || !strings.Contains(text, "Ready") {
		t.Errorf("the issue's page: %d %s", code, text)
	}
}

// What a pull request says is text on its page, whatever it looks like.
func TestPageEscapes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, github.Options{})
	p.openPull()
	p.s.With(owned, func(r *github.Repo) { r.Pull(2).Body = `<script>alert(1)</script>` })
	if _, text := p.ask(http.MethodGet, "/"+owned+"/pull/2", ""); strings.Contains(text, "<script>") {
		t.Errorf("%s", text)
	}
}

// events are names and actions of deliveries, in order.
func events(sent []github.Sent) []string {
	var out []string
	for _, s := range sent {
		out = append(out, s.Event+" "+s.Action)
	}
	return out
}

// Deliveries are signed with the hook's secret, have the keys that GitHub's
// have, and come in order.
func TestHooksAreTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t, github.Options{})
	const secret = "It's a Secret to Everybody"
	if got := github.Signature(secret, []byte("Hello, World!")); got != "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" {
		t.Errorf("GitHub's own example is signed %s", got)
	}
	required := map[string][]string{
		"pull_request": {"action", "number", "pull_request", "repository", "sender"}, "issues": {"action", "issue", "repository", "sender"},
		"pull_request_review": {"action", "review", "pull_request", "repository", "sender"},
	}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var has map[string]any
		switch {
		case err != nil || json.Unmarshal(body, &has) != nil:
			w.WriteHeader(http.StatusBadRequest)
		case r.Header.Get("X-Hub-Signature-256") != github.Signature(secret, body):
			w.WriteHeader(http.StatusUnauthorized)
		case slices.ContainsFunc(required[r.Header.Get("X-Github-Event")], func(key string) bool { return has[key] == nil }):
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
	}))
	t.Cleanup(hook.Close)
	if err := p.s.AddHook(owned, github.Hook{URL: hook.URL, Secret: secret, Events: []string{"pull_request", "pull_request_review", "issues"}}); err != nil {
		t.Fatal(err)
	}
	p.openPull()
	p.commit("task/1", "three")
	run(t, p.work, "push", "-q", strings.Replace(p.web.URL, "http://", "http://olive:olive-token@", 1)+"/"+owned+".git", "HEAD:task/1")
	if code, text := p.ask(http.MethodPost, "/repos/"+owned+"/pulls/2/reviews", `{"body": "Say why.", "event": "REQUEST_CHANGES"}`); code != http.StatusUnprocessableEntity {
		t.Errorf("a review of one's own: %d %s", code, text)
	}
	if code, text := p.ask(http.MethodPost, "/repos/"+owned+"/pulls/2/reviews", `{"body": "Looks well.", "event": "COMMENT"}`); code != http.StatusOK {
		t.Errorf("a review: %d %s", code, text)
	}
	if err := p.s.MergePull(owned, 2, "olive"); err != nil {
		t.Fatal(err)
	}
	sent := p.s.Sent()
	want := []string{"pull_request opened", "pull_request synchronize", "pull_request_review submitted", "pull_request closed", "issues closed"}
	if got := events(sent); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for _, s := range sent {
		if s.Code != http.StatusOK {
			t.Errorf("%s %s was answered %d: %s", s.Event, s.Action, s.Code, s.Body)
		}
	}
}
