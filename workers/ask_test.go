package workers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// TestAsksFollowTheStream: each ask of the recording is open until the agent
// has its answer, and none is afterwards.
func TestAsksFollowTheStream(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("claude", "testdata", "transcripts", "can_use_tool.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var asks workers.Asks
	most, opened := 0, 0
	for line := range strings.Lines(string(data)) {
		for _, e := range (claude.Agent{}).Parse(nil, []byte(line)) {
			asks.Add(&e, time.Time{})
			if e.Kind == workers.EventAsk {
				opened++
			}
		}
		most = max(most, len(asks.Open()))
	}
	if opened != 3 || most != 1 || len(asks.Open()) != 0 {
		t.Errorf("%d asked, at most %d at once, %d left", opened, most, len(asks.Open()))
	}
}

func TestWhatEndsAnAsk(t *testing.T) {
	t.Parallel()
	ask := workers.Event{Kind: workers.EventAsk, ID: "q", Ask: &workers.Ask{Call: "t"}}
	for name, c := range map[string]struct {
		e    workers.Event
		open int
	}{
		"the echo of the answer": {workers.Event{Kind: workers.EventAnswer, ID: "q"}, 0},
		"an answer to us":        {workers.Event{Kind: workers.EventAnswer, ID: "owner-1"}, 1},
		"withdrawn":              {workers.Event{Kind: workers.EventAskEnd, ID: "q"}, 0},
		"its tool ended":         {workers.Event{Kind: workers.EventToolEnd, ID: "t"}, 0},
		"another tool ended":     {workers.Event{Kind: workers.EventToolEnd, ID: "u"}, 1},
		"its tool was denied":    {workers.Event{Kind: workers.EventDenied, ID: "t"}, 0},
		"interrupted":            {workers.Event{Kind: workers.EventResult, Result: &workers.Result{Terminal: "aborted_tools"}}, 0},
		"a turn of another":      {workers.Event{Kind: workers.EventResult, Result: &workers.Result{}}, 1},
		"asked again":            {ask, 1},
		"another":                {workers.Event{Kind: workers.EventAsk, ID: "p", Ask: &workers.Ask{}}, 2},
		"without an id":          {workers.Event{Kind: workers.EventAsk, Ask: &workers.Ask{}}, 1},
	} {
		var asks workers.Asks
		asks.Add(&ask, time.Time{})
		asks.Add(&c.e, time.Time{})
		if n := len(asks.Open()); n != c.open {
			t.Errorf("%s: %d open, want %d", name, n, c.open)
		}
	}
}

func TestPolicyDecides(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tool := &workers.Request{ID: "q", At: at, Tool: "Bash", Ask: &workers.Ask{}}
	question := &workers.Request{ID: "q", At: at, Ask: &workers.Ask{Questions: []workers.Question{{Text: "?"}}}}
	owner := workers.Policy{Ask: workers.AskOwner, Wait: time.Minute, Default: workers.Allow}
	for name, c := range map[string]struct {
		p     workers.Policy
		r     *workers.Request
		after time.Duration
		want  workers.Behavior // empty: a person may still answer
		by    string
	}{
		"none denies":                 {workers.Policy{}, tool, 0, workers.Deny, workers.ByPolicy},
		"deny":                        {workers.Policy{Ask: "deny"}, tool, 0, workers.Deny, workers.ByPolicy},
		"allow":                       {workers.Policy{Ask: "allow"}, tool, 0, workers.Allow, workers.ByPolicy},
		"allow is no answer":          {workers.Policy{Ask: "allow"}, question, 0, workers.Deny, workers.ByPolicy},
		"the owner has time":          {owner, tool, 59 * time.Second, "", ""},
		"and then not":                {owner, tool, time.Minute, workers.Allow, workers.ByTime},
		"a question is never guessed": {owner, question, time.Minute, workers.Deny, workers.ByTime},
		"deny when nothing is said":   {workers.Policy{Ask: workers.AskOwner, Wait: 1}, tool, time.Minute, workers.Deny, workers.ByTime},
		"no time at all":              {workers.Policy{Ask: workers.AskOwner}, tool, 1000 * time.Hour, "", ""},
	} {
		a, ok := c.p.Decide(c.r, at.Add(c.after))
		if ok != (c.want != "") || a.Behavior != c.want || a.By != c.by || ok && a.Request != "q" {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
		if ok && a.Behavior == workers.Deny && a.Message == "" {
			t.Errorf("%s: a denial without a word", name)
		}
	}
}

func TestRuleIsTheSameCall(t *testing.T) {
	t.Parallel()
	given := []workers.Answer{
		{Request: "1", Behavior: workers.Allow, Always: true, Tool: "Bash", Input: json.RawMessage(`{"command":"./release.sh", "n":1}`)},
		{Request: "2", Behavior: workers.Allow, Tool: "Bash", Input: json.RawMessage(`{"command":"once"}`)},
		{Request: "3", Behavior: workers.Deny, Always: true, Tool: "Bash", Input: json.RawMessage(`{"command":"never"}`)},
	}
	long := json.RawMessage(`{"command":"` + strings.Repeat("x", workers.StringLimit) + `"}`)
	given = append(given, workers.Answer{Request: "4", Behavior: workers.Allow, Always: true, Tool: "Bash", Input: long})
	for name, c := range map[string]struct {
		tool, input string
		questions   []workers.Question
		want        bool
	}{
		"the same in another order": {"Bash", `{"n":1,"command":"./release.sh"}`, nil, true},
		"more of it":                {"Bash", `{"command":"./release.sh; rm -rf /","n":1}`, nil, false},
		"another tool":              {"Write", `{"command":"./release.sh","n":1}`, nil, false},
		"allowed once":              {"Bash", `{"command":"once"}`, nil, false},
		"denied":                    {"Bash", `{"command":"never"}`, nil, false},
		"too long to be known":      {"Bash", string(long), nil, false},
		"a question":                {"Bash", `{"command":"./release.sh","n":1}`, []workers.Question{{}}, false},
		"no JSON":                   {"Bash", `{`, nil, false},
	} {
		r := &workers.Request{ID: "q", Tool: c.tool, Ask: &workers.Ask{Input: json.RawMessage(c.input), Questions: c.questions}}
		a, ok := workers.Rule(given, r)
		if ok != c.want || ok && (a.Behavior != workers.Allow || a.Request != "q" || a.By != workers.ByRule) {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
	}
}
