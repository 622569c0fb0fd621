package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// told is what can be counted of a stream, by us and by a plain decoder.
type told struct {
	Turns, Texts, Thoughts, Tools, ToolEnds, FailedTools, Denied, Results, Errors, Replays, Receipts, Answers, Tasks, TaskEnds, Limits int
	SubTexts, Retries                                                                                                                  int
}

func ours(events []workers.Event) told {
	var c told
	for _, e := range events {
		//nolint:exhaustive // what a plain decoder can count as well
		switch e.Kind {
		case workers.EventTurn:
			c.Turns++
		case workers.EventText:
			c.Texts++
			if e.Sub {
				c.SubTexts++
			}
		case workers.EventThinking:
			c.Thoughts++
		case workers.EventTool:
			c.Tools++
		case workers.EventToolEnd:
			c.ToolEnds++
			if e.Failed {
				c.FailedTools++
			}
		case workers.EventDenied:
			c.Denied++
		case workers.EventResult:
			c.Results++
		case workers.EventError:
			c.Errors++
		case workers.EventUser:
			c.Replays++
		case workers.EventMessage:
			c.Receipts++
		case workers.EventAnswer:
			c.Answers++
		case workers.EventTasks:
			c.Tasks += 1 + 100*len(e.IDs)
		case workers.EventTaskEnd:
			if c.TaskEnds++; e.Failed {
				c.TaskEnds += 100
			}
		case workers.EventLimit:
			c.Limits++
		case workers.EventNotice:
			if strings.Contains(e.Text, " again in ") {
				c.Retries++
			}
		case workers.EventRaw:
			c.Errors += 1000
		}
	}
	return c
}

// theirs counts the same with encoding/json.
func theirs(t *testing.T, data []byte) told {
	t.Helper()
	var c told
	for line := range bytes.Lines(data) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		str := func(m map[string]any, k string) string { s, _ := m[k].(string); return s }
		obj := func(m map[string]any, k string) map[string]any { o, _ := m[k].(map[string]any); return o }
		blocks, _ := obj(m, "message")["content"].([]any)
		switch str(m, "type") + "/" + str(m, "subtype") {
		case "system/init":
			c.Turns++
		case "system/permission_denied":
			c.Denied++
		case "system/background_tasks_changed":
			tasks, _ := m["tasks"].([]any)
			c.Tasks += 1 + 100*len(tasks)
		case "system/task_notification":
			if c.TaskEnds++; str(m, "status") == "stopped" {
				c.TaskEnds += 100
			}
		case "system/api_retry":
			c.Retries++
		case "command_lifecycle/":
			c.Receipts++
		case "control_response/":
			c.Answers++
		case "rate_limit_event/":
			if str(obj(m, "rate_limit_info"), "status") == "rejected" {
				c.Limits++
			}
		case "user/":
			if _, isText := obj(m, "message")["content"].(string); isText && m["isReplay"] == true {
				c.Replays++
			}
			for _, b := range blocks {
				if b := b.(map[string]any); str(b, "type") == "tool_result" {
					c.ToolEnds++
					if b["is_error"] == true {
						c.FailedTools++
					}
				} else if str(b, "type") == "text" && m["isReplay"] == true {
					c.Replays++
				}
			}
		case "assistant/":
			for _, b := range blocks {
				switch str(b.(map[string]any), "type") {
				case "text":
					if str(m, "error") != "" {
						c.Errors++
						continue
					}
					c.Texts++
					if m["parent_tool_use_id"] != nil {
						c.SubTexts++
					}
				case "thinking":
					c.Thoughts++
				case "tool_use":
					c.Tools++
				}
			}
		default:
			if str(m, "type") == "result" {
				c.Results++
			}
		}
	}
	return c
}

func parseAll(data []byte) []workers.Event {
	var events []workers.Event
	a := Agent{Now: func() time.Time { return recorded }}
	for line := range bytes.Lines(data) {
		events = a.Parse(events, bytes.TrimSuffix(line, []byte("\n")))
	}
	return events
}

var recorded = time.Date(2026, 11, 30, 11, 7, 0, 0, time.UTC)

func checkRecordings(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s (%v)", dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".stdin.jsonl") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ours(parseAll(data)), theirs(t, data); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", filepath.Base(file), got, want)
		}
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	checkRecordings(t, filepath.Join("testdata", "transcripts"))
}

func TestAllRecordings(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "shared", "claude", "transcripts")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the complete recordings are not beside this checkout: %v", err)
	}
	checkRecordings(t, dir)
}

// What is made of a recording as a whole.
func TestOutcomeOfRecordings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		turns    int
		cost     float64
		tokens   int64
		isError  bool
		terminal string
		text     string // final message, or the reason of the error
		lines    []string
	}{
		{"success", 1, 0.0538, 10640, false, "completed", "All done.\n\nSTATUS: COMPLETE issue 7", []string{
			"thinking Let me look.", "text Working on it.", "tool Write /repo/a.txt done", "tool Read /repo/a.txt done", "tool Edit /repo/a.txt done",
			`tool Bash git add -A && git commit -qm "Add a" && git log --oneline done`, "text All done.", "result turn ended · $0.0538",
		}},
		{"tool_error", 1, 0.0024, 360, false, "completed", "STATUS: FAILED could not do it", nil},
		{"subagent", 1, 0.0032, 480, false, "completed", "STATUS: COMPLETE done", nil},
		{"subagent_background", 2, 0.004, 600, false, "completed", "STATUS: COMPLETE done", nil},
		{"bash_background", 2, 0.0024, 360, false, "completed", "STATUS: COMPLETE done", nil},
		{"resume_1", 1, 0.0008, 120, false, "completed", "first answer", nil},
		{"resume_2", 1, 0.0008, 120, false, "completed", "first answer", nil}, // its share, not the session's 0.0016
		{"resume_unknown", 1, 0, 0, true, "", "No conversation found with session ID: 94615d83-7202-4fd6-9bbc-ae937ebccd6c", nil},
		{"interrupt", 2, 0.0016, 240, false, "completed", "STATUS: COMPLETE done", nil},
		{"steer_interrupt", 2, 0.0016, 240, false, "completed", "Now doing the urgent thing. STATUS: COMPLETE", []string{
			"user Do issue #7", "text Starting.", "tool Bash echo started; tail -f /dev/null failed", "notice [Request interrupted by user for tool use]",
			"result interrupted · $0.0008", "user URGENT: leave that, do this", "text Now doing the urgent thing. STATUS: COMPLETE", "result turn ended · $0.0008",
		}},
		{"permission_denied", 1, 0.0032, 480, false, "completed", "STATUS: BLOCKED no permission", []string{
			"denied Bash rm -rf nothing-here failed", "tool Bash git status --short done", "denied Write /repo/b.txt failed", "text STATUS: BLOCKED no permission", "result turn ended · $0.0032",
		}},
		{"api_retry_529", 1, 0.0008, 120, false, "completed", "STATUS: COMPLETE done", []string{
			"notice API error 529, try 1 of 10 again in 500ms", "notice API error 529, try 2 of 10 again in 1s", "text STATUS: COMPLETE done", "result turn ended · $0.0008",
		}},
		{"rate_limit_rejected", 1, 0, 0, true, "api_error", "You've hit your 5-hour limit · resets 1:07pm (UTC)", []string{
			"notice five hour usage limit reached, resets 2026-11-30 13:07Z", "error You've hit your 5-hour limit · resets 1:07pm (UTC)", "result You've hit your 5-hour limit · resets 1:07pm (UTC) · $0.0000",
		}},
		{"no_auth", 1, 0, 0, true, "api_error", "Not logged in · Please run /login", nil},
		{"budget", 1, 0.8, 120000, true, "budget_exhausted", "Reached maximum budget ($0.01)", nil},
		{"sigterm", 0, 0, 0, false, "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "transcripts", tt.name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			var tail workers.Tail
			last := &workers.Result{}
			for _, e := range parseAll(data) {
				tail.Add(&e, recorded)
				if e.Kind == workers.EventResult {
					last = e.Result
				}
			}
			if tail.Usage.Turns() != tt.turns || !near(tail.Usage.CostUSD(), tt.cost) || tail.Usage.Tokens() != tt.tokens {
				t.Errorf("turns %d, cost %v, tokens %d", tail.Usage.Turns(), tail.Usage.CostUSD(), tail.Usage.Tokens())
			}
			text := last.Text
			if last.IsError {
				text = last.Reason()
			}
			if last.IsError != tt.isError || last.Terminal != tt.terminal || text != tt.text {
				t.Errorf("error %v, terminal %q, text %q", last.IsError, last.Terminal, text)
			}
			if got := shown(tail.Lines()); tt.lines != nil && strings.Join(got, "\n") != strings.Join(tt.lines, "\n") {
				t.Errorf("lines\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func shown(lines []workers.Line) []string {
	var out []string
	for _, l := range lines {
		text, _, _ := strings.Cut(l.Text, "\n")
		s := strings.TrimSpace(l.Tool + " " + text)
		if l.Kind == workers.LineTool || l.Kind == workers.LineDenied {
			switch {
			case l.Failed:
				s += " failed"
			case l.Done:
				s += " done"
			}
		}
		out = append(out, string(l.Kind)+" "+s)
	}
	return out
}

func TestParseMeaning(t *testing.T) {
	t.Parallel()
	a := Agent{Now: func() time.Time { return recorded }}
	tests := []struct {
		name, line string
		check      func(e workers.Event) bool
	}{
		{"a receipt", `{"type":"command_lifecycle","command_uuid":"u1","state":"queued"}`, func(e workers.Event) bool {
			return e.Kind == workers.EventMessage && e.ID == "u1" && e.State == workers.MessageQueued
		}},
		{"messages still queued", `{"type":"control_response","response":{"subtype":"success","request_id":"i1","response":{"still_queued":["a","b"]}}}`, func(e workers.Event) bool {
			return e.Kind == workers.EventAnswer && e.ID == "i1" && len(e.IDs) == 2 && e.IDs[1] == "b"
		}},
		{"a refused control request", `{"type":"control_response","response":{"subtype":"error","request_id":"x","error":"no"}}`, func(e workers.Event) bool {
			return e.Kind == workers.EventAnswer && e.Failed && e.Text == "no"
		}},
		{"a limit with its reset", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796044043,"rateLimitType":"five_hour"}}`, func(e workers.Event) bool {
			return e.Kind == workers.EventLimit && e.Until.Unix() == 1796044043
		}},
		{"a text that is not the protocol's", "Do you trust this folder? [y/n]", func(e workers.Event) bool {
			return e.Kind == workers.EventRaw && strings.HasPrefix(e.Text, "Do you trust")
		}},
		{"half a line", `{"type":"result","resu`, func(e workers.Event) bool { return e.Kind == workers.EventRaw }},
		{"a limit as bare text is words, and stops nobody", "session limit, resets 3:20pm (UTC)", func(e workers.Event) bool {
			return e.Kind == workers.EventRaw && e.Text == "session limit, resets 3:20pm (UTC)"
		}},
		{"a model that speaks of limits", `{"type":"assistant","message":{"content":[{"type":"text","text":"the session limit, resets 3pm"}]}}`, func(e workers.Event) bool {
			return e.Kind == workers.EventText
		}},
		{"a structured answer", `{"type":"result","result":"{\"report\":…}","structured_output":{"report":"Fine.\nVERDICT: PASS","verdict":"PASS"}}`, func(e workers.Event) bool {
			return e.Result.Text == "Fine.\nVERDICT: PASS" && e.Result.Answer == "PASS"
		}},
		{"another one's structured answer", `{"type":"result","result":"text","structured_output":{"verdict":"PASS"}}`, func(e workers.Event) bool {
			return e.Result.Text == "text" && e.Result.Answer == ""
		}},
		{"escapes", `{"type":"assistant","message":{"content":[{"type":"text","text":"a\n\"b\" \u00e9 \ud83d\ude42 \ud83d x\/y"}]}}`, func(e workers.Event) bool {
			return e.Text == "a\n\"b\" é 🙂 \uFFFD x/y"
		}},
		{"a tool with an unknown input", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Odd","input":{"n":1}}]}}`, func(e workers.Event) bool {
			return e.Kind == workers.EventTool && e.Tool == "Odd" && e.Text == `{"n":1}`
		}},
	}
	for _, tt := range tests {
		got := a.Parse(nil, []byte(tt.line))
		if len(got) != 1 || !tt.check(got[0]) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	init := a.Parse(nil, []byte(`{"type":"system","subtype":"init","model":"m","plugin_errors":[{"plugin":"p","type":"x","message":"no manifest"}],`+
		`"mcp_servers":[{"name":"db","status":"failed"},{"name":"ok","status":"connected"},{"name":"later","status":"pending"},{"name":"mail","status":"needs-auth"}]}`))
	var missing []string
	for _, e := range init[1:] {
		if e.Kind != workers.EventNotice || !e.Failed {
			t.Errorf("%+v", e)
		}
		missing = append(missing, e.Text)
	}
	if want := []string{"the plugin p did not load: no manifest", "the MCP server db did not start", "the MCP server mail wants a login"}; init[0].Kind != workers.EventTurn || !slices.Equal(missing, want) {
		t.Errorf("what did not come up: %q", missing)
	}
	for _, quiet := range []string{"", "   ", `{"type":"system","subtype":"status"}`, `{"type":"new_thing"}`, `{}`, `{"type":"stream_event","event":{}}`} {
		if got := a.Parse(nil, []byte(quiet)); len(got) != 0 {
			t.Errorf("%q says %+v", quiet, got)
		}
	}
}

// FuzzParse holds the scanner against encoding/json, and asks that no line
// makes it fail.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(bytes.TrimSpace(line))
		}
	}
	f.Add([]byte(`{"a":"\ud800\u0061","b":[1,{"c":"]}"}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		Agent{}.Parse(nil, line)
		var want map[string]json.RawMessage
		if json.Unmarshal(line, &want) != nil || want == nil {
			return
		}
		o, ok := members(nil, line)
		if !ok {
			t.Fatalf("refused %q", line)
		}
		for key, val := range want {
			got := o.get(key)
			if got == nil {
				if strings.ContainsAny(key, `"\`+"\uFFFD") || bytes.ContainsRune(line, '\\') {
					continue // keys are compared as they stand
				}
				t.Fatalf("lost %q of %q", key, line)
			}
			if !bytes.Equal(bytes.TrimSpace(val), got) && strings.Count(string(line), `"`+key+`"`) == 1 {
				t.Fatalf("%q: %q, want %q", key, got, val)
			}
			var s string
			if json.Unmarshal(got, &s) == nil && got.kind() == '"' && strings.ToValidUTF8(got.text(1<<20), "\uFFFD") != s {
				if bytes.ContainsFunc(got, func(r rune) bool { return r == '\uFFFD' }) {
					continue // bytes that are no text are left to Clean
				}
				t.Fatalf("%q: %q, want %q", got, got.text(1<<20), s)
			}
		}
	})
}

// benchmarkLines is a stream as a busy worker writes it.
func benchmarkLines(b *testing.B) ([][]byte, int64) {
	b.Helper()
	var lines [][]byte
	var size int64
	for _, name := range []string{"success", "subagent_background", "steer", "permission_denied", "partial"} {
		data, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			lines = append(lines, bytes.TrimSpace(line))
			size += int64(len(line))
		}
	}
	return lines, size
}

func BenchmarkParse(b *testing.B) {
	lines, size := benchmarkLines(b)
	b.SetBytes(size)
	b.ReportAllocs()
	var events []workers.Event
	for b.Loop() {
		for _, line := range lines {
			events = Agent{}.Parse(events[:0], line)
		}
	}
}

// BenchmarkPlainDecode is the mark: the parser must be at least twice as fast
// (design.md, section 16).
func BenchmarkPlainDecode(b *testing.B) {
	lines, size := benchmarkLines(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				b.Fatal(err)
			}
		}
	}
}
