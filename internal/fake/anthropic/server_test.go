package anthropic

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// client asks a server as the CLI does.
type client struct {
	t   *testing.T
	url string
	srv *Server
}

func setup(t *testing.T, script string) client {
	t.Helper()
	s, err := Load([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := NewServer(s)
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(srv)
	t.Cleanup(hs.Close)
	return client{t: t, url: hs.URL, srv: srv}
}

func (c client) request(session, prompt string, stream, tools bool) *http.Request {
	c.t.Helper()
	body := map[string]any{
		"model": "claude-x", "stream": stream,
		"system": []map[string]string{{"type": "text", "text": "You work.\nWorking directory: /repo/wt  \nDate: today"}},
		"messages": []any{
			map[string]any{"role": "user", "content": prompt},
		},
	}
	if tools {
		body["tools"] = []map[string]string{{"name": "Bash"}}
	}
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/v1/messages?beta=true", strings.NewReader(string(data)))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "dummy")
	req.Header.Set("X-Claude-Code-Session-Id", session)
	return req
}

// ask gets a whole answer: status and body.
func (c client) ask(session, prompt string, stream bool) (int, string) {
	c.t.Helper()
	res, err := http.DefaultClient.Do(c.request(session, prompt, stream, true))
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil && !strings.Contains(err.Error(), "EOF") {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// said is the text of an answer that was not streamed.
func (c client) said(session, prompt string) string {
	c.t.Helper()
	_, data := c.ask(session, prompt, false)
	var m struct {
		Content []struct{ Text string }
		Error   struct{ Message string }
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		c.t.Fatalf("%v in %s", err, data)
	}
	if m.Error.Message != "" {
		return m.Error.Message
	}
	return m.Content[0].Text
}

// kinds are the event names of a streamed answer, deltas of one block merged.
func kinds(data string) (names []string, text string) {
	sc := bufio.NewScanner(strings.NewReader(data))
	for sc.Scan() {
		if n, ok := strings.CutPrefix(sc.Text(), "event: "); ok {
			if len(names) == 0 || names[len(names)-1] != n {
				names = append(names, n)
			}
		}
		var e struct {
			Delta struct {
				Text     string
				Thinking string
				JSON     string `json:"partial_json"`
			}
		}
		if d, ok := strings.CutPrefix(sc.Text(), "data: "); ok && json.Unmarshal([]byte(d), &e) == nil {
			text += e.Delta.Text + e.Delta.Thinking + e.Delta.JSON
		}
	}
	return names, text
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ script, want string }{
		"good":             {`{"conversations":[{"turns":[{"text":"x"}]}]}`, ""},
		"unknown field":    {`{"conversations":[{"turn":[]}]}`, `unknown field "turn"`},
		"not JSON":         {`{`, "unexpected EOF"},
		"two objects":      {`{} {}`, "text after the object"},
		"bad match":        {`{"conversations":[{"name":"d","match":"("}]}`, "script: d: match"},
		"bad var":          {`{"conversations":[{"name":"d","vars":{"v":"("}}]}`, "script: d: var v"},
		"bad expect":       {`{"conversations":[{"turns":[{"text":"a"},{"expect":"("}]}]}`, "conversation-0: turn 1: expect"},
		"bad after":        {`{"conversations":[{"after":{"expect":"("}}]}`, "after: expect"},
		"null turn":        {`{"conversations":[{"turns":[null]}]}`, "is null"},
		"null conversatio": {`{"conversations":[null]}`, "is null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load([]byte(tc.script))
			if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
	if _, err := LoadFile(t.TempDir() + "/none.json"); err == nil {
		t.Error("a missing file was loaded")
	}
}

// TestCursors plays one script to two sessions: each has its own place, in
// each conversation, and turns repeat as often as they say.
func TestCursors(t *testing.T) {
	t.Parallel()
	c := setup(t, `{"conversations":[
		{"name":"seven","match":"Issue #7\\b","turns":[{"text":"one","times":2},{"text":"two"}],"after":{"text":"over"}},
		{"name":"any","vars":{"n":"Issue #(\\d+)"},"turns":[{"text":"issue {{n}} in {{cwd}} by {{session}} {{other}} {{last}}"}]}
	]}`)
	var got []string
	for range 2 {
		got = append(got, c.said("a", "Issue #7"))
	}
	got = append(got, c.said("b", "Issue #7"), c.said("a", "Issue #7"), c.said("a", "Issue #7"),
		c.said("a", "Issue #71 {{cwd}}"), c.said("a", "Issue #71"))
	want := []string{
		"one", "one", "one", "two", "over",
		"issue 71 in /repo/wt by a {{other}} Issue #71 {{cwd}}",
		"STATUS: COMPLETE (fakeanthropic: script exhausted)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	last := c.srv.Requests()[4]
	if last.Conversation != "seven" || last.Turn != 3 || last.Session != "a" || last.LastUser != "Issue #7" || last.Tools[0] != "Bash" {
		t.Errorf("log %+v", last)
	}
	if last.Header.Get("X-Api-Key") != "" {
		t.Error("the key is in the log")
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	c := setup(t, `{"conversations":[{"turns":[
		{"thinking":"hm","text":"Grüße 🚀","chunk":2,"tools":[{"name":"Bash","input":{"command":"cd {{cwd}}","list":["{{session}}",1]}}]},
		{"text":"abc","chunk":1,"stream_error":{"type":"overloaded_error","message":"busy"}},
		{"text":"abc","chunk":1,"drop":true},
		{"text":"ab","repeat":3}
	]}]}`)
	_, data := c.ask("s", "go", true)
	names, text := kinds(data)
	want := []string{
		"message_start",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if text != `hmGrüße 🚀{"command":"cd /repo/wt","list":["s",1]}` {
		t.Errorf("text %q", text)
	}
	if !strings.Contains(data, `"stop_reason":"tool_use"`) {
		t.Error("no stop reason")
	}
	if names, _ = kinds(second(c.ask("s", "go", true))); names[len(names)-1] != "error" {
		t.Errorf("stream error: %v", names)
	}
	if names, text = kinds(second(c.ask("s", "go", true))); names[len(names)-1] != "content_block_delta" || text != "a" {
		t.Errorf("drop: %v %q", names, text)
	}
	if _, text = kinds(second(c.ask("s", "go", true))); text != "ababab" {
		t.Errorf("repeat: %q", text)
	}
}

func second(_ int, s string) string { return s }

func TestErrors(t *testing.T) {
	t.Parallel()
	c := setup(t, `{"conversations":[{"match":"go","turns":[
		{"error":{"status":529},"headers":{"Retry-After":"3"}},
		{"error":{"status":429,"message":"slow down"}},
		{"expect":"^yes$","text":"never"}
	]}]}`)
	if code, data := c.ask("s", "go", true); code != 529 || !strings.Contains(data, "overloaded_error") || !strings.Contains(data, "Overloaded") {
		t.Errorf("%d %s", code, data)
	}
	if code, data := c.ask("s", "go", true); code != 429 || !strings.Contains(data, "rate_limit_error") || !strings.Contains(data, "slow down") {
		t.Errorf("%d %s", code, data)
	}
	if got := c.said("s", "go"); !strings.HasPrefix(got, "fakeanthropic: conversation-0 turn 2: the last user message does not match") {
		t.Error(got)
	}
	if got := c.said("s", "other"); !strings.HasPrefix(got, "fakeanthropic: no conversation matches") {
		t.Error(got)
	}
	if n := len(c.srv.Problems()); n != 2 {
		t.Errorf("%d problems", n)
	}

	req := c.request("s", "go", false, true)
	req.Header.Del("X-Api-Key")
	if res := do(t, req); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %d", res.StatusCode)
	}
	if res := do(t, get(t, http.MethodGet, c.url+"/v1/nothing")); res.StatusCode != http.StatusNotFound {
		t.Errorf("unknown endpoint: %d", res.StatusCode)
	}
	bad := get(t, http.MethodPost, c.url+"/v1/messages")
	bad.Body = io.NopCloser(strings.NewReader("{"))
	if res := do(t, bad); res.StatusCode != http.StatusBadRequest {
		t.Errorf("bad body: %d", res.StatusCode)
	}
}

// TestWithoutTools keeps titles and summaries from using up turns.
func TestWithoutTools(t *testing.T) {
	t.Parallel()
	c := setup(t, `{"aux":{"text":"a title"},"conversations":[{"turns":[{"text":"one"}]}]}`)
	res := do(t, c.request("s", "go", false, false))
	if data, _ := io.ReadAll(res.Body); !strings.Contains(string(data), "a title") {
		t.Errorf("%s", data)
	}
	if got := c.said("s", "go"); got != "one" {
		t.Error(got)
	}
	for _, r := range []*http.Request{
		get(t, http.MethodHead, c.url+"/api/hello"), get(t, http.MethodGet, c.url+"/v1/models"),
		get(t, http.MethodPost, c.url+"/v1/messages/count_tokens"),
	} {
		if res := do(t, r); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", r.URL, res.StatusCode)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	c := setup(t, `{"conversations":[{"turns":[{"gate":"g","text":"through"},{"gate":"g","text":"still open"},{"gate":"h","text":"x"},{"hang":true}]}]}`)
	answer := make(chan string)
	go func() { answer <- second(c.ask("s", "go", true)) }()
	if err := c.srv.AwaitGate(t.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	res := do(t, get(t, http.MethodGet, c.url+"/_fake/state"))
	if data, _ := io.ReadAll(res.Body); !strings.Contains(string(data), `"g":1`) {
		t.Errorf("state %s", data)
	}
	if res := do(t, get(t, http.MethodPost, c.url+"/_fake/release?gate=g")); res.StatusCode != http.StatusNoContent {
		t.Errorf("release: %d", res.StatusCode)
	}
	if _, text := kinds(<-answer); text != "through" {
		t.Errorf("text %q", text)
	}
	c.srv.Release("g") // twice is once
	if got := c.said("s", "go"); got != "still open" {
		t.Error(got)
	}

	// A client that leaves frees the gate, and a hanging answer ends with it.
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		req := c.request("s", "go", true, true).WithContext(ctx)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		res.Body.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := c.srv.AwaitGate(ctx, "never"); err == nil {
		t.Error("a gate nobody waits at was reached")
	}
	if res := do(t, get(t, http.MethodPost, c.url+"/_fake/reset")); res.StatusCode != http.StatusNoContent || len(c.srv.Requests()) != 0 {
		t.Error("reset forgot nothing")
	}
	if res := do(t, get(t, http.MethodGet, c.url+"/_fake/reset")); res.StatusCode != http.StatusNotFound {
		t.Errorf("GET of a command: %d", res.StatusCode)
	}
	if res := do(t, get(t, http.MethodGet, c.url+"/_fake/requests")); res.StatusCode != http.StatusOK {
		t.Errorf("requests: %d", res.StatusCode)
	}
}

func get(t *testing.T, method, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func do(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}
