package script

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
)

// modelName is what stands where the real stream names its model: whoever
// reads a transcript must see that no model was asked.
const modelName = "scripted"

// object is one JSON object of the stream.
type object map[string]any

// wire writes the stream: one object a line, each line in one write. A reader
// that went away does not stop the agent.
type wire struct {
	out     io.Writer
	session string
	cwd     string
	now     func() time.Time
	mode    string // permission mode

	message string // id of the assistant message under way
	request string
	opener  []string // uuids of the user messages that this turn answers
	first   bool     // the next assistant line is the first of its turn
}

func (w *wire) line(o object) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return // no object of ours can fail to encode
	}
	_, _ = w.out.Write(buf.Bytes())
}

// event writes an object that carries the session and an id of its own.
func (w *wire) event(o object) {
	o["session_id"] = w.session
	if _, ok := o["uuid"]; !ok {
		o["uuid"] = uuid.NewString()
	}
	w.line(o)
}

func (w *wire) stamp() string { return w.now().UTC().Format("2006-01-02T15:04:05.000Z") }

func (w *wire) lifecycle(m *message, state string) {
	if m.UUID == "" {
		return // only messages with an id have receipts
	}
	w.event(object{"type": "command_lifecycle", "command_uuid": m.UUID, "state": state})
}

func (w *wire) init() {
	w.event(object{
		"type": "system", "subtype": "init", "cwd": w.cwd, "model": modelName,
		"permissionMode": w.mode, "tools": []string{"Bash", "Edit", "Write"},
		"mcp_servers": []string{}, "slash_commands": []string{}, "agents": []string{},
		"skills": []string{}, "plugins": []string{}, "apiKeySource": "none",
		"claude_code_version": modelName, "output_style": "default",
	})
}

func (w *wire) status(mode string) {
	w.event(object{"type": "system", "subtype": "status", "status": nil, "permissionMode": mode})
}

// echo repeats a user's message (--replay-user-messages).
func (w *wire) echo(m *message) {
	o := object{
		"type": "user", "message": object{"role": "user", "content": m.Content},
		"parent_tool_use_id": nil, "timestamp": w.stamp(), "isReplay": true,
	}
	if m.UUID != "" {
		o["uuid"] = m.UUID
	}
	w.event(o)
}

// newID is an id in the manner of the real stream's.
func newID(prefix string) string {
	return prefix + strings.ReplaceAll(uuid.NewString(), "-", "")[:24]
}

// block writes one content block of the assistant's message under way.
func (w *wire) block(b object) {
	o := object{
		"type": "assistant",
		"message": object{
			"id": w.message, "type": "message", "role": "assistant", "model": modelName,
			"content": []object{b}, "stop_reason": nil, "stop_sequence": nil,
			"usage": object{
				"input_tokens": 100, "cache_creation_input_tokens": 0,
				"cache_read_input_tokens": 0, "output_tokens": 1,
			},
		},
		"parent_tool_use_id": nil, "timestamp": w.stamp(), "request_id": w.request,
	}
	if w.first && len(w.opener) > 0 {
		o["user_message_uuid"], o["user_message_uuids"] = w.opener[0], w.opener
	}
	w.first = false
	w.event(o)
}

// tool is the outcome of one tool call, as the stream shows it.
type tool struct {
	id      string
	text    string // what the model would read
	failed  bool
	detail  any  // tool_use_result
	refused bool // interrupted
	barred  bool // not allowed
}

func (w *wire) toolResult(t tool) {
	meta := object{"id": t.id, "permission_decision": object{"decision": "accept", "source": "config", "reason_type": "mode"}}
	if t.refused {
		meta = object{"id": t.id, "non_execution_kind": "user-rejected"}
	}
	if t.barred {
		meta = object{
			"id": t.id, "non_execution_kind": "permission-rule", "permission_decision": object{"decision": "reject", "source": "user_reject"},
		}
	}
	w.event(object{
		"type": "user",
		"message": object{"role": "user", "content": []object{{
			"type": "tool_result", "tool_use_id": t.id, "content": t.text, "is_error": t.failed,
		}}},
		"parent_tool_use_id": nil, "timestamp": w.stamp(),
		"tool_use_result": t.detail, "tool_result_meta": []object{meta},
	})
}

func (w *wire) interrupted(inTool bool) {
	text := "[Request interrupted by user]"
	if inTool {
		text = "[Request interrupted by user for tool use]"
	}
	w.event(object{
		"type": "user", "message": object{"role": "user", "content": []object{{"type": "text", "text": text}}},
		"parent_tool_use_id": nil, "timestamp": w.stamp(),
	})
}

func (w *wire) success(id string, response any) {
	r := object{"subtype": "success", "request_id": id}
	if response != nil {
		r["response"] = response
	}
	w.line(object{"type": "control_response", "response": r})
}

func (w *wire) unsupported(id, subtype string) {
	w.line(object{"type": "control_response", "response": object{
		"subtype": "error", "request_id": id,
		"error": "Unsupported control request subtype: " + subtype, "error_code": "unsupported_request",
	}})
}
