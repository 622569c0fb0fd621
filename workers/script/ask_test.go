package script_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// lastAsk is the request that the agent has just made.
func (p *proc) lastAsk() (id string, o map[string]any) {
	p.until("control_request")
	o = p.lines[len(p.lines)-1]
	id, _ = o["request_id"].(string)
	return id, o
}

func (p *proc) answer(id, body string) {
	p.send(`{"type":"control_response","response":{"subtype":"success","request_id":"` + id + `","response":` + body + `}}`)
}

// realAsks are the lines of the real command's recording that are about asking.
func realAsks(t *testing.T) (asks, denied []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "claude", "testdata", "transcripts", "can_use_tool.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		switch {
		case o["type"] == "control_request":
			asks = append(asks, o)
		case strings.Contains(line, "permission-rule"):
			denied = append(denied, o)
		}
	}
	return asks, denied
}

func TestAsksLikeTheRealThing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"run":["dispatcher","one"],"ask":true,"capture":{"x":"did (.*)"}},
		{"run":["dispatcher","one"],"ask":true},
		{"run":["dispatcher","two"],"ask":true,"mayFail":true},
		{"question":{"text":"Which one?","header":"Pick","options":["A","B"],"as":"pick","otherwise":"A"}},
		{"final":"STATUS: COMPLETE {{x}} {{pick}}"}]`), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	real, denied := realAsks(t)

	id, ask := p.lastAsk()
	sameShape(t, "a command", ask, map[string]any{"type": "control_request", "request_id": "x", "request": real[0]["request"]})
	p.answer("another", `{"behavior":"deny","message":"not this"}`)
	p.answer(id, `{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"dispatcher one"}],"behavior":"allow","destination":"session"}]}`)

	id, ask = p.lastAsk()
	if in := ask["request"].(map[string]any)["input"].(map[string]any); in["command"] != "dispatcher two" {
		t.Fatalf("it asked for %v: the one before was allowed for the session", in)
	}
	p.answer(id, `{"behavior":"deny","message":"not today"}`)
	p.until("user/tool_result")
	refusal := p.lines[len(p.lines)-1]
	sameShape(t, "a denial", refusal, denied[0])
	if text(refusal) != "not today" {
		t.Errorf("the denial says %q", text(refusal))
	}

	id, ask = p.lastAsk()
	sameShape(t, "a question", ask, real[2])
	p.answer(id, `{"behavior":"allow","updatedInput":{"questions":[],"answers":{"Which one?":"B"}}}`)
	r := p.until("result/success")
	if r["result"] != "STATUS: COMPLETE one B" {
		t.Errorf("result %v", r["result"])
	}
	if d, _ := r["permission_denials"].([]any); len(d) != 1 {
		t.Errorf("denials %v", d)
	}
	p.in.Close()
	if code := p.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// A question that nobody answers goes on with what the script foresees, an
// interrupt takes the request back, and a denial that the script does not
// foresee ends its work.
func TestAskingThatComesToNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"question":{"text":"Which?","as":"pick","otherwise":"the first"}},{"say":"{{pick}}"},
		{"run":["dispatcher","one"],"ask":true},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	id, _ := p.lastAsk()
	p.answer(id, `{"behavior":"deny","message":"nobody is here"}`)
	p.until("assistant/text")
	if got := text(p.lines[len(p.lines)-1]); got != "the first" {
		t.Errorf("it went on with %q", got)
	}
	id, _ = p.lastAsk()
	p.send(`{"type":"control_request","request_id":"i","request":{"subtype":"interrupt"}}`)
	if c := p.until("control_cancel_request"); c["request_id"] != id {
		t.Errorf("it took %v back, not %s", c, id)
	}
	p.until("result/error_during_execution")
	p.answer(id, `{"behavior":"allow"}`) // too late
	p.say("go on", uuid.NewString())
	id, _ = p.lastAsk()
	p.answer(id, `{"behavior":"deny","message":"never"}`)
	if r := p.until("result/success"); !strings.Contains(r["result"].(string), "dispatcher one failed: never") {
		t.Errorf("result %v", r["result"])
	}
	p.in.Close()
	p.end()
}

func TestHearsAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"say":"Tell me."},{"hear":true},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	p.until("assistant/text")
	id := uuid.NewString()
	p.say("like this", id)
	if r := p.until("result/success"); r["result"] != "STATUS: COMPLETE" {
		t.Errorf("result %v", r["result"])
	}
	started := 0
	for _, l := range p.lines {
		if l["command_uuid"] == id && l["state"] == "started" {
			started++
		}
	}
	if started != 1 {
		t.Errorf("%d receipts", started)
	}
	p.in.Close()
	p.end()
}

// Rules of commands are asked for as the real command does: whatever the
// script says, with any arguments or none, and no other command.
func TestAsksForWhatRulesMean(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	steps := `[{"run":["dispatcher","one"]},{"run":["dispatcher","two"]},{"run":["dispatcher","three","x y"],"mayFail":true},{"final":"STATUS: COMPLETE"}]`
	rules := []string{"Bash(dispatcher tw)", "Bash(dispatcher two:*)", "Bash(dis*er three *)", "Write"}
	p := w.startAsking(rules, w.script(steps), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	for _, want := range []string{"dispatcher two", "dispatcher three 'x y'"} {
		id, ask := p.lastAsk()
		if in := ask["request"].(map[string]any)["input"].(map[string]any); in["command"] != want {
			t.Fatalf("it asked for %v, not %s", in, want)
		}
		p.answer(id, `{"behavior":"allow"}`)
	}
	p.until("result/success")
	p.in.Close()
	p.end()

	p = w.startAsking([]string{"Bash"}, w.script(steps), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	id, _ := p.lastAsk()
	p.answer(id, `{"behavior":"deny","message":"nothing at all"}`)
	if r := p.until("result/success"); !strings.Contains(r["result"].(string), "dispatcher one failed: nothing at all") {
		t.Errorf("result %v", r["result"])
	}
	p.in.Close()
	p.end()
}
