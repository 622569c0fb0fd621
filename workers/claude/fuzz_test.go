package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/workers"
)

// FuzzStream feeds whole streams: they say the same in pieces of any size, and
// what is shown of them holds nothing that steers a terminal.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 8<<10 {
			f.Add(data, uint16(i+1))
		}
	}
	f.Add([]byte("{\"type\":\"result\"}\r\n\xff\x1b[2J\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\"},{\"type\":\"tool_use\",\"id\":\"a\"}]}}"), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		if len(data) > 64<<10 {
			return
		}
		whole, pieces := eventsOf(data, len(data)), eventsOf(data, 1+int(n))
		if !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("in pieces of %d: %s", 1+int(n), cmp.Diff(whole, pieces))
		}
		var tail workers.Tail
		for i := range whole {
			tail.Add(&whole[i], recorded)
		}
		for _, l := range tail.Lines() {
			for _, text := range []string{l.Text, l.Tool, tail.Activity()} {
				if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
					t.Fatalf("a control character in %q", text)
				}
			}
		}
		if tail.Total() < len(tail.Lines()) || tail.Usage.CostUSD() < 0 {
			t.Fatalf("%d lines of %d, cost %v", len(tail.Lines()), tail.Total(), tail.Usage.CostUSD())
		}
	})
}

// eventsOf is what a stream says when it comes in pieces of n bytes.
func eventsOf(data []byte, n int) []workers.Event {
	var events []workers.Event
	var split workers.Splitter
	a := Agent{Now: func() time.Time { return recorded }}
	take := func(line []byte) { events = a.Parse(events, line) }
	for rest := data; len(rest) > 0; {
		k := min(n, len(rest))
		split.Feed(rest[:k], take)
		rest = rest[k:]
	}
	split.Rest(take)
	return events
}

// FuzzAsks feeds single lines of a stream: whatever an agent asks, an answer to
// it is one line of JSON for that request, says what was decided, and opens no
// more than rules of its session.
func FuzzAsks(f *testing.F) {
	for _, name := range []string{"can_use_tool", "control"} {
		data, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, "control_re") {
				f.Add([]byte(line), "yes", true)
			}
		}
	}
	f.Add([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"a"},{"question":"a"},{}],"answers":7},"permission_suggestions":[{"type":"addRules","rules":[{}],"behavior":"allow","destination":"userSettings"},{"type":"setMode"}]}}`), "\x1b\n", true)
	f.Fuzz(func(t *testing.T, line []byte, text string, allow bool) {
		for _, e := range (Agent{}).Parse(nil, line) {
			if e.Kind != workers.EventAsk {
				continue
			}
			r := workers.Request{ID: e.ID, Tool: e.Tool, Text: e.Text, Ask: e.Ask}
			a := workers.Answer{Behavior: workers.Deny, Message: text, Always: true}
			if allow {
				a.Behavior = workers.Allow
				for range e.Ask.Questions {
					a.Answers = append(a.Answers, text)
				}
			}
			said := (Agent{}).Answer(r, a)
			var got controlResponse
			if strings.Count(string(said), "\n") != 1 || json.Unmarshal(said, &got) != nil {
				t.Fatalf("not one line of JSON: %q", said)
			}
			var id string // as JSON can say it
			if data, err := json.Marshal(e.ID); err != nil || json.Unmarshal(data, &id) != nil {
				t.Fatalf("an id that cannot be sent: %q", e.ID)
			}
			if got.Response.ID != id || got.Response.Response.Behavior != a.Behavior {
				t.Fatalf("asked as %q and decided %s, it says %s", e.ID, a.Behavior, said)
			}
			var opened []update
			if rules := got.Response.Response.Rules; rules != nil && json.Unmarshal(rules, &opened) != nil {
				t.Fatalf("rules of another form: %s", rules)
			}
			for _, u := range opened {
				if !allow || u.Type != "addRules" || u.Behavior != "allow" || u.Destination != "session" {
					t.Fatalf("it opens more than was asked for: %+v", u)
				}
			}
		}
	})
}
