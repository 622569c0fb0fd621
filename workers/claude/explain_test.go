package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/workers"
)

// What the real program's endings mean, each as it was recorded, and the way
// out that a person is told.
func TestExplainRecordings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want workers.Trouble
		says string
	}{
		{"success", workers.TroubleNone, ""},
		{"tool_error", workers.TroubleNone, ""},
		{"interrupt", workers.TroubleNone, ""},
		{"api_error_400", workers.TroubleNone, ""},
		{"api_prompt_too_long", workers.TroubleNone, ""},
		{"rate_limit_rejected", workers.TroubleLimit, ""},
		{"api_error_429", workers.TroubleBusy, "does not keep up (429: API Error: Request rejected (429)"},
		{"api_error_500", workers.TroubleBusy, "does not keep up (500: "},
		{"api_error_529", workers.TroubleBusy, "does not keep up (529: API Error: 529 Overloaded"},
		{"api_refused", workers.TroubleBusy, "cannot be reached (API Error: Connection refused"},
		{"api_error_401", workers.TroubleSetup, "refuses the login (401: Invalid API key · Fix external API key): log in with `claude /login`"},
		{"no_auth", workers.TroubleSetup, "not logged in (Not logged in · Please run /login): log in with"},
		{"api_credit", workers.TroubleSetup, "cannot pay (Credit balance is too low)"},
		{"api_error_404_model", workers.TroubleSetup, "no such model for this account (There's an issue with the selected model (nope)"},
		{"budget", workers.TroubleSpent, "(Reached maximum budget ($0.01)): raise limits.maxCostPerRunUSD"},
		{"max_turns", workers.TroubleSpent, "(Reached maximum number of turns (1))"},
		{"resume_unknown", workers.TroubleSession, "No conversation found"},
	}
	for _, tt := range tests {
		data, err := os.ReadFile(filepath.Join("testdata", "transcripts", tt.name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		e := workers.Ending{Code: 1, Began: true}
		for _, ev := range parseAll(data) {
			if ev.Kind == workers.EventResult {
				e.Result = ev.Result
			}
		}
		m := Agent{}.Explain(e)
		got, text := m.Trouble, m.Text
		if got != tt.want || !strings.Contains(text, tt.says) || tt.says == "" && text != "" || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, %q", tt.name, got, text)
		}
	}
}

// What the program says on standard error before its first turn, as the real
// one said it.
func TestExplainStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		words string
		want  workers.Trouble
		says  string
	}{
		{"error: unknown option '--no-such-flag'", workers.TroubleSetup, "does not know how it is started (error: unknown option '--no-such-flag'): update it"},
		{"error: option '--permission-mode <mode>' argument 'nope' is invalid. Allowed choices are acceptEdits, auto.", workers.TroubleSetup, "argument 'nope' is invalid"},
		{"--agent 'nosuch' not found. Available agents: claude, Explore", workers.TroubleSetup, "cannot load"},
		{"--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons", workers.TroubleSetup, "run dispatcher as another user"},
		{"Warning: something\nError: Settings file not found: /repo/x.json", workers.TroubleSetup, "settings (Error: Settings file not found: /repo/x.json)"},
		{"Error: Invalid MCP configuration: mcp-config x.json", workers.TroubleSetup, "MCP servers"},
		{"sh: 1: claude: command not found", workers.TroubleSetup, "install it"},
		{"Error: Session ID e685fa8a-8e21-4b31-865f-ff331f0aee77 is already in use.", workers.TroubleSession, "is already in use"},
		{"No conversation found with session ID: 94615d83", workers.TroubleSession, "session is gone"},
		{"/usr/bin/env: 'node': No such file or directory", workers.TroubleSetup, "install it"},
		{"sh: 1: claude: not found", workers.TroubleSetup, "install it"},
		{"wrapper.sh: line 3: exec: claude: Permission denied", workers.TroubleSetup, "install it"},
		{"/usr/local/bin/claude: /opt/node/bin/node: bad interpreter: No such file or directory", workers.TroubleSetup, "install it"},
		{"error: file not found", workers.TroubleNone, ""},
		{"panic: out of memory", workers.TroubleNone, ""},
		{"", workers.TroubleNone, ""},
	}
	for _, tt := range tests {
		if m := (Agent{}).Explain(workers.Ending{Code: 1, Words: tt.words}); m.Trouble != tt.want || !strings.Contains(m.Text, tt.says) {
			t.Errorf("%q: %+v", tt.words, m)
		}
		for _, e := range []workers.Ending{{Code: 1, Words: tt.words, Began: true}, {Code: -1, Words: tt.words}, {Words: tt.words}} {
			if m := (Agent{}).Explain(e); m != (workers.Meaning{}) {
				t.Errorf("in the middle, %q: %+v", tt.words, m)
			}
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("error: unknown option '--x'", "API Error: 529 Overloaded", 529)
	f.Add("not logged in", "Not logged in · Please run /login", 0)
	f.Fuzz(func(t *testing.T, words, said string, status int) {
		for _, e := range []workers.Ending{
			{Code: 1, Words: words},
			{Code: 1, Words: words, Result: &workers.Result{IsError: true, Text: said, Status: status, Terminal: "api_error"}},
		} {
			m := (Agent{}).Explain(e)
			if m.Trouble == workers.TroubleNone && m != (workers.Meaning{}) || strings.ContainsAny(m.Text, "\n\r\x1b\x00") {
				t.Fatalf("%q %q %d: %+v", words, said, status, m)
			}
		}
	})
}
