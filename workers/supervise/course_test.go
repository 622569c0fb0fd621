package supervise

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
)

var now = time.Date(2026, 11, 30, 11, 7, 0, 0, time.UTC)

// feed takes lines of a stream, one event source for all tests.
func feed(c *course, stream string) {
	agent := claude.Agent{Now: func() time.Time { return now }}
	for line := range strings.Lines(stream) {
		for _, e := range agent.Parse(nil, []byte(strings.TrimSpace(line))) {
			c.add(&e)
		}
	}
}

const (
	began     = `{"type":"system","subtype":"init"}` + "\n"
	lacking   = `{"type":"system","subtype":"init","mcp_servers":[{"name":"db","status":"failed"}]}` + "\n"
	text      = `{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]},"parent_tool_use_id":null}` + "\n"
	subText   = `{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]},"parent_tool_use_id":"t"}` + "\n"
	good      = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"STATUS: COMPLETE"}` + "\n"
	aborted   = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}` + "\n"
	more      = `{"type":"result","subtype":"success","is_error":false,"queued_turn_count":1}` + "\n"
	oneTask   = `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b"}]}` + "\n"
	noTasks   = `{"type":"system","subtype":"background_tasks_changed","tasks":[]}` + "\n"
	taskDone  = `{"type":"system","subtype":"task_notification","task_id":"b","status":"completed"}` + "\n"
	taskStop  = `{"type":"system","subtype":"task_notification","task_id":"b","status":"stopped"}` + "\n"
	queued    = `{"type":"command_lifecycle","command_uuid":"m","state":"queued"}` + "\n"
	started   = `{"type":"command_lifecycle","command_uuid":"m","state":"started"}` + "\n"
	completed = `{"type":"command_lifecycle","command_uuid":"m","state":"completed"}` + "\n"
	cancelled = `{"type":"command_lifecycle","command_uuid":"m","state":"cancelled"}` + "\n"
	echo      = `{"type":"user","isReplay":true,"uuid":"m","message":{"content":"x"}}` + "\n"
	stillThat = `{"type":"control_response","response":{"response":{"still_queued":["m"]}}}` + "\n"
	rejected  = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796044043}}` + "\n"
	overage   = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796044043,"isUsingOverage":true}}` + "\n"
	refusal   = `{"type":"result","is_error":true,"api_error":"rate_limit","api_error_status":429,"terminal_reason":"api_error","result":"Something new about your plan"}` + "\n"
	limited   = `{"type":"result","is_error":true,"api_error":"usage_limit_reached","terminal_reason":"api_error","result":"You've hit your 5-hour limit · resets 1:07pm (UTC)"}` + "\n"
)

func TestWhatARunWaitsFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stream string
		sent         []string
		want         wait
	}{
		{"nothing said yet", "", nil, waitStart},
		{"a receipt is no start", queued, nil, waitStart},
		{"a turn", began + text, nil, waitTurn},
		{"its end", began + text + good, nil, waitNothing},
		{"a result without a turn", good, nil, waitNothing},
		{"two results", began + good + good, nil, waitNothing},
		{"a turn after the result", began + good + began, nil, waitTurn},
		{"a turn whose init was lost", began + good + text, nil, waitTurn},
		{"a task in the background", began + oneTask + good, nil, waitTasks},
		{"a subagent in the background speaks", began + oneTask + good + subText, nil, waitTasks},
		{"the task has ended", began + oneTask + good + taskDone + noTasks, nil, waitFollowUp},
		{"and gets its turn", began + oneTask + good + taskDone + noTasks + began, nil, waitTurn},
		{"and that ends", began + oneTask + good + taskDone + noTasks + began + good, nil, waitNothing},
		{"the task was stopped", began + oneTask + good + taskStop + noTasks, nil, waitNothing},
		{"the task ended within the turn", began + oneTask + taskDone + noTasks + good, nil, waitNothing},
		{"a message the agent has not seen", began + good, []string{"m"}, waitMessages},
		{"a message that is queued", began + queued + good, []string{"m"}, waitMessages},
		{"a message that joined the turn", began + queued + started + good, []string{"m"}, waitNothing},
		{"known by its echo alone", began + echo + good, []string{"m"}, waitNothing},
		{"a message that was answered", began + queued + completed + good, []string{"m"}, waitNothing},
		{"its receipt comes late", began + queued + good + completed, []string{"m"}, waitNothing},
		{"a message that was dropped", began + queued + good + cancelled, []string{"m"}, waitNothing},
		{"echo and receipts out of order", began + echo + queued + good, []string{"m"}, waitNothing},
		{"the agent says that more is queued", began + more, nil, waitMessages},
		{"and begins with it", began + more + began, nil, waitTurn},
		{"interrupted", began + aborted, nil, waitOwner},
		{"interrupted with a message behind it", began + queued + stillThat + aborted, []string{"m"}, waitMessages},
		{"interrupted and steered", began + aborted + queued + started + began + good, []string{"m"}, waitNothing},
	}
	for _, tt := range tests {
		c := newCourse("first", 0)
		feed(c, tt.stream)
		if got := c.waits(tt.sent); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// However long a run talks, it remembers the same and waits for what it must.
func TestACourseIsBounded(t *testing.T) {
	t.Parallel()
	receipt := func(id int, state string) string {
		return fmt.Sprintf(`{"type":"command_lifecycle","command_uuid":"m%d","state":%q}`+"\n", id, state)
	}
	const many = 3 * maxMessages
	answered := newCourse("first", 0)
	var sent []string
	for i := range many {
		feed(answered, receipt(i, "queued")+receipt(i, "started")+receipt(i, "completed"))
		sent = append(sent, fmt.Sprintf("m%d", i))
	}
	feed(answered, began+good+receipt(many-1, "queued")) // a receipt that comes late
	if got, n := answered.waits(sent), len(answered.said.state); got != waitNothing || n > maxMessages || n != len(answered.said.order) {
		t.Errorf("answered: waits for %d, remembers %d in the order of %d", got, n, len(answered.said.order))
	}
	if got := answered.waits(append(sent, "new")); got != waitMessages {
		t.Errorf("a new message: waits for %d", got)
	}
	flooded := newCourse("first", 0)
	for i := range many {
		feed(flooded, receipt(i, "queued"))
	}
	feed(flooded, began+good)
	if got, n := flooded.waits(nil), len(flooded.said.state); got != waitMessages || n > maxMessages || n != len(flooded.said.order) {
		t.Errorf("flooded: waits for %d, remembers %d in the order of %d", got, n, len(flooded.said.order))
	}
}

// At the end of each recording of a run that ended by itself nothing is
// waited for, and before its last result something is.
func TestRecordingsEndOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "claude", "testdata", "transcripts", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	// Never begun, cut off by a signal, or interrupted and never told to go on.
	unfinished := map[string]wait{
		"bad_agent.jsonl": waitStart, "bad_flag.jsonl": waitStart, "bad_mode.jsonl": waitStart,
		"resume_id_taken.jsonl": waitStart, "root_refused.jsonl": waitStart,
		"sigterm.jsonl": waitTurn, "sigterm_api.jsonl": waitTurn, "sighup.jsonl": waitTurn, "resume_killed_1.jsonl": waitTurn,
		"sigint.jsonl": waitOwner, "sigint_api.jsonl": waitOwner, "interrupt_api.jsonl": waitOwner, "can_use_tool_interrupt.jsonl": waitOwner,
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := newCourse("first", 0)
		var sent []string
		last := bytes.Count(data, []byte(`"type":"result"`))
		seen := 0
		for line := range bytes.Lines(data) {
			if bytes.Contains(line, []byte(`"type":"result"`)) {
				seen++
			} else if w := c.waits(sent); seen > 0 && seen < last && w == waitNothing && !bytes.Contains(line, []byte("command_lifecycle")) &&
				!strings.HasPrefix(filepath.Base(file), "compact") && !strings.HasPrefix(filepath.Base(file), "interrupt") && !strings.HasPrefix(filepath.Base(file), "steer.") {
				t.Errorf("%s: over after %d of %d results", filepath.Base(file), seen, last)
			}
			feed(c, string(line))
		}
		if got, want := c.waits(sent), unfinished[filepath.Base(file)]; got != want {
			t.Errorf("%s: waits for %d, want %d", filepath.Base(file), got, want)
		}
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	reset := time.Unix(1796044043, 0)
	tests := []struct {
		name, stream string
		how          ended
		problem      string // the supervisor's own
		stderr       string
		want         workers.Exit
	}{
		{"done", began + good, ended{}, "", "noise", workers.Exit{Subtype: "success", Terminal: "completed", Final: "STATUS: COMPLETE"}},
		{"exit 0 with nothing done", "", ended{}, "", "", workers.Exit{Problem: "the agent exited 0 without a result"}},
		{"its own words", "", ended{code: 1}, "", "error: no\x1b[2J", workers.Exit{Code: 1, Problem: "the agent exited 1 without a result: error: no␛[2J"}},
		{"words on its output", "fatal: oops\n", ended{code: 2}, "", "", workers.Exit{Code: 2, Problem: "the agent exited 2 without a result: fatal: oops"}},
		{"killed", began + text, ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result"}},
		{"the last result counts", began + good + began + aborted, ended{}, "", "", workers.Exit{IsError: true, Subtype: "error_during_execution", Terminal: "aborted_tools", Problem: "interrupted"}},
		{"an error, then good", began + aborted + began + good, ended{}, "", "", workers.Exit{Subtype: "success", Terminal: "completed", Final: "STATUS: COMPLETE"}},
		{"our own finding wins", began + good, ended{}, "no sign of a start", "", workers.Exit{Subtype: "success", Terminal: "completed", Final: "STATUS: COMPLETE", Problem: "no sign of a start"}},
		{"a limit by its event", began + rejected + limited, ended{code: 1}, "", "", workers.Exit{Code: 1, IsError: true, Terminal: "api_error", Problem: "You've hit your 5-hour limit · resets 1:07pm (UTC)", Trouble: workers.TroubleLimit, LimitUntil: reset}},
		{"a limit by its text", began + limited, ended{code: 1}, "", "", workers.Exit{Code: 1, IsError: true, Terminal: "api_error", Problem: "You've hit your 5-hour limit · resets 1:07pm (UTC)", Trouble: workers.TroubleLimit, LimitUntil: now.Add(2 * time.Hour)}},
		{"a limit that says no time", "You've hit your usage limit\n", ended{code: 1}, "", "", workers.Exit{Code: 1, Problem: "the agent exited 1 without a result: You've hit your usage limit", Trouble: workers.TroubleLimit}},
		{"a limit on its error output", began, ended{code: 1}, "", "usage limit reached|1796044043", workers.Exit{Code: 1, Problem: "the agent exited 1 without a result: usage limit reached|1796044043", Trouble: workers.TroubleLimit, LimitUntil: reset}},
		{"a limit by its event, in words that nobody knows", began + rejected + refusal, ended{code: 1}, "", "", workers.Exit{Code: 1, IsError: true, Terminal: "api_error", Problem: "Something new about your plan", Trouble: workers.TroubleLimit, LimitUntil: reset}},
		{"the same words without an event", began + refusal, ended{code: 1}, "", "", workers.Exit{Code: 1, IsError: true, Terminal: "api_error", Problem: "the model's service does not keep up (429: Something new about your plan)", Trouble: workers.TroubleBusy}},
		{"ended while the limit stands", began + rejected, ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result", Trouble: workers.TroubleLimit, LimitUntil: reset}},
		{"it goes on with extra usage", began + overage, ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result"}},
		{"work went on over the limit", began + rejected + text, ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result"}},
		{"a subagent that speaks is no proof", began + rejected + subText, ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result", Trouble: workers.TroubleLimit, LimitUntil: reset}},
		{"a warning", began + "you have used 80% of your weekly limit, resets 3pm\n", ended{code: 1}, "", "", workers.Exit{Code: 1, Problem: "the agent exited 1 without a result: you have used 80% of your weekly limit, resets 3pm"}},
		{"words of one that was killed", began + "session limit, resets 3pm\n", ended{code: -1, signal: "SIGKILL"}, "", "", workers.Exit{Code: -1, Signal: "SIGKILL", Problem: "the agent was ended by SIGKILL without a result: session limit, resets 3pm"}},
		{"words that it went on after", began + "session limit, resets 3pm\n" + text, ended{code: 1}, "", "", workers.Exit{Code: 1, Problem: "the agent exited 1 without a result"}},
		{"a torn line that quotes one", began + `{"type":"user","message":{"content":[{"type":"tool_result","content":"session limit, resets 3pm` + "\n", ended{code: 1}, "", "", workers.Exit{Code: 1, Problem: `the agent exited 1 without a result: {"type":"user","message":{"content":[{"type":"tool_result","content":"session limit, resets 3pm`}},
		{"it goes without a server, said at each turn", lacking + good + lacking + good, ended{}, "", "", workers.Exit{Subtype: "success", Terminal: "completed", Final: "STATUS: COMPLETE", Missing: "the MCP server db did not start"}},
		{"no interpreter", "", ended{code: 127}, "", "/usr/bin/env: 'node': No such file or directory", workers.Exit{Code: 127, Problem: "the agent cannot be run (/usr/bin/env: 'node': No such file or directory): install it and what it is run with, or name the program in agents.<name>.command", Trouble: workers.TroubleSetup}},
		{"a limit that passed", began + rejected + good, ended{}, "", "", workers.Exit{Subtype: "success", Terminal: "completed", Final: "STATUS: COMPLETE"}},
	}
	for _, tt := range tests {
		c := newCourse("first", 0)
		feed(c, tt.stream)
		got := exitOf(c, tt.how, tt.problem, tt.stderr, now)
		explain(&got, c, claude.Agent{}, tt.stderr, c.raw)
		if tt.want.Ended = now; got.LimitUntil.Equal(tt.want.LimitUntil) {
			got.LimitUntil = tt.want.LimitUntil
		}
		if got != tt.want {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

func TestNoStartSaysWhatItSaw(t *testing.T) {
	t.Parallel()
	got := noStart(2*time.Minute, " Do you trust this folder?\x07 ")
	if want := "no sign of a start within 2m0s: it probably waits on a prompt that nobody sees; its last words: Do you trust this folder?␇"; got != want {
		t.Errorf("%q", got)
	}
}
