package script_test

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
)

func newSession() string { return uuid.NewString() }

func TestSteerLooksLikeTheRealThing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"say":"Starting."},{"run":["dispatcher","gate","g"]},{"run":["dispatcher","two"]},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
	p.say("Do issue #7", uuid.NewString())
	p.until("assistant/tool_use")
	p.say("STEER: also update the README", uuid.NewString())
	p.until("command_lifecycle/queued")
	w.put("g", "")
	p.until("result/success")
	p.until("command_lifecycle/completed")
	p.say("second prompt after result", uuid.NewString())
	p.until("result/success")
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	real := recorded(t, "steer.jsonl")
	// Ours answers a message after the end with two texts.
	for i, l := range p.lines {
		if text(l) == "Noted. My script is at its end; what I reported stands." {
			p.lines = slices.Delete(p.lines, i, i+1)
			break
		}
	}
	for _, l := range p.lines {
		delete(l, "user_message_uuid") // on the first line of a turn, which may be deleted above
		delete(l, "user_message_uuids")
	}
	compare(t, p.lines, real)
	last := p.lines[len(p.lines)-2]
	if last["total_cost_usd"] != 2.5 || last["result_index"] != 1.0 || last["result"] != "STATUS: COMPLETE" {
		t.Errorf("last result: cost %v index %v %q", last["total_cost_usd"], last["result_index"], last["result"])
	}
}

func text(o map[string]any) string {
	msg, _ := o["message"].(map[string]any)
	blocks, _ := msg["content"].([]any)
	if len(blocks) == 0 {
		return ""
	}
	b, _ := blocks[0].(map[string]any)
	s, _ := b["text"].(string)
	if s == "" {
		s, _ = b["content"].(string)
	}
	return s
}

func TestInterruptLooksLikeTheRealThing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"say":"Starting."},{"run":["dispatcher","gate","g"]},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
	p.send(`{"type":"user","message":{"role":"user","content":"Do issue #7"}}`)
	p.until("assistant/tool_use")
	p.send(`{"type":"control_request","request_id":"req_1","request":{"subtype":"interrupt"}}`)
	p.until("result/error_during_execution")
	compare(t, p.lines, recorded(t, "interrupt.jsonl")[:len(p.lines)])
	w.put("g", "") // the interrupted step is played again
	p.send(`{"type":"user","message":{"role":"user","content":"continue please"}}`)
	if r := p.until("result/success"); r["result"] != "STATUS: COMPLETE" {
		t.Errorf("result %v", r["result"])
	}
	p.send(`{"type":"control_request","request_id":"c9","request":{"subtype":"end_session"}}`)
	if code := p.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestInterruptRunsWhatIsQueued(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.start(w.script(`[{"run":["dispatcher","gate","g"]},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
	p.say("go", uuid.NewString())
	p.until("assistant/tool_use")
	id := uuid.NewString()
	p.say("URGENT", id)
	p.until("command_lifecycle/queued")
	p.send(`{"type":"control_request","request_id":"i1","request":{"subtype":"interrupt"}}`)
	c := p.until("control_response")
	if s := fmt.Sprint(c); !strings.Contains(s, id) {
		t.Errorf("still_queued misses the message: %s", s)
	}
	p.until("result/error_during_execution")
	w.put("g", "")
	p.until("result/success")
	p.in.Close()
	if code := p.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	for _, c := range []struct {
		sig    syscall.Signal
		code   int
		result bool
	}{{syscall.SIGTERM, 143, false}, {syscall.SIGHUP, 129, false}, {syscall.SIGINT, 0, true}} {
		t.Run(c.sig.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.start(w.script(`[{"say":"Starting."},{"run":["dispatcher","gate","never"]},{"final":"STATUS: COMPLETE"}]`), newSession(), false)
			p.send(`{"type":"user","message":{"role":"user","content":"go"}}`)
			p.until("assistant/tool_use")
			if err := p.cmd.Process.Signal(c.sig); err != nil {
				t.Fatal(err)
			}
			if code := p.end(); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			got := kinds(p.lines)
			if has := slices.Contains(got, "result/error_during_execution"); has != c.result {
				t.Errorf("result line: %v in %v", has, got)
			}
			if c.sig == syscall.SIGTERM {
				real := recorded(t, "sigterm.jsonl")
				compare(t, p.lines[len(p.lines)-3:], real[1:])
				if last := p.lines[len(p.lines)-1]; !strings.HasPrefix(text(last), "Exit code 137") {
					t.Errorf("last line %v", last)
				}
			}
		})
	}
}

func TestResumeGoesOnWithTheCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.script(`[{"final":"STATUS: INCOMPLETE"}]`)
	id := newSession()
	for i, resume := range []bool{false, true} {
		p := w.start(path, id, resume)
		p.say("go", uuid.NewString())
		r := p.until("result/success")
		if want := 0.5 * float64(i+1); r["total_cost_usd"] != want || r["session_id"] != id {
			t.Errorf("cost %v, want %v", r["total_cost_usd"], want)
		}
		p.in.Close()
		if code := p.end(); code != 0 {
			t.Errorf("exit %d", code)
		}
	}
	taken := w.start(path, id, false)
	if code := taken.end(); code != 1 || len(taken.lines) != 0 || !strings.Contains(taken.err.String(), "already in use") {
		t.Errorf("taken id: exit %d, %d lines, stderr %s", code, len(taken.lines), taken.err)
	}
	unknown := w.start(path, newSession(), true)
	if code := unknown.end(); code != 1 || !slices.Equal(kinds(unknown.lines), []string{"result/error_during_execution"}) ||
		!strings.Contains(unknown.err.String(), "No conversation found") {
		t.Errorf("unknown id: exit %d, %v, stderr %s", code, kinds(unknown.lines), unknown.err)
	}
}

func TestInputThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.script(`[{"final":"STATUS: COMPLETE"}]`)
	for _, c := range []struct {
		name, in, err string
		code, lines   int
	}{
		{"nothing", "", "", 0, 0},
		{"unknown type", `{"type":"news"}` + "\n", "", 0, 0},
		{"not JSON", "{oops\n", "Error parsing streaming input line", 1, 0},
		{"unknown request", `{"type":"control_request","request_id":"x","request":{"subtype":"nonsense"}}` + "\n", "", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := w.start(path, newSession(), false)
			if _, err := io.WriteString(p.in, c.in); err != nil {
				t.Fatal(err)
			}
			p.in.Close()
			if code := p.end(); code != c.code || len(p.lines) != c.lines || !strings.Contains(p.err.String(), c.err) {
				t.Errorf("exit %d, lines %v, stderr %q", code, p.lines, p.err)
			}
		})
	}
}
