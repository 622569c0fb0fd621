package claude

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// How much of a text is kept in an event, in bytes.
const (
	spokenLimit = 16 << 10
	argLimit    = 2 << 10
	resultLimit = workers.StringLimit + 8
)

// Agent is the language of Claude Code.
type Agent struct {
	// Now is the clock by which a limit's "resets 3pm" is read where the line
	// itself carries no time; default time.Now.
	Now func() time.Time
}

var _ workers.Agent = Agent{}

// Can implements workers.Agent.
func (Agent) Can() workers.Abilities {
	return workers.Abilities{Steer: true, Interrupt: true, Resume: true, Ask: true}
}

func (a Agent) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

// Parse implements workers.Agent.
func (a Agent) Parse(dst []workers.Event, line []byte) []workers.Event {
	var buf [room]member
	o, ok := members(buf[:0], line)
	if !ok {
		return outside(dst, line)
	}
	kind := o.get("type")
	switch {
	case kind.is("assistant"):
		return assistant(dst, o)
	case kind.is("user"):
		return user(dst, o)
	case kind.is("system"):
		return system(dst, o)
	case kind.is("result"):
		return append(dst, workers.Event{Kind: workers.EventResult, At: at(o), Result: a.result(o)})
	case kind.is("command_lifecycle"):
		return append(dst, workers.Event{
			Kind:  workers.EventMessage,
			At:    at(o),
			ID:    o.get("command_uuid").text(argLimit),
			State: workers.MessageState(o.get("state").text(argLimit)),
		})
	case kind.is("control_response"):
		return answer(dst, o)
	case kind.is("rate_limit_event"):
		return a.rateLimit(dst, o)
	case kind.is("control_request"):
		return asked(dst, o)
	case kind.is("control_cancel_request"):
		return append(dst, workers.Event{Kind: workers.EventAskEnd, ID: o.get("request_id").text(argLimit)})
	}
	return dst
}

// outside is output that is not the protocol's: a prompt that waits, a message
// of a wrapper, a line cut off by a crash. What it means is told at the end
// (Explain): words alone stop nobody.
func outside(dst []workers.Event, line []byte) []workers.Event {
	text := strings.TrimSpace(string(line[:min(len(line), spokenLimit)]))
	if text == "" {
		return dst
	}
	return append(dst, workers.Event{Kind: workers.EventRaw, Text: text})
}

func at(o object) time.Time {
	v := o.get("timestamp")
	if v.kind() != '"' {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, v.text(64))
	if err != nil {
		return time.Time{}
	}
	return t
}

// assistant is one block of what the model says: a line per block.
func assistant(dst []workers.Event, o object) []workers.Event {
	var buf [room]member
	msg, _ := members(buf[:0], o.get("message"))
	base := workers.Event{At: at(o), Sub: o.get("parent_tool_use_id").kind() == '"'}
	failed := o.get("error").kind() == '"'
	elements(msg.get("content"), func(block raw) {
		var buf [room]member
		b, ok := members(buf[:0], block)
		if !ok {
			return
		}
		e := base
		switch kind := b.get("type"); {
		case kind.is("text"):
			e.Kind, e.Text = workers.EventText, b.get("text").text(spokenLimit)
			if failed {
				e.Kind = workers.EventError
			}
		case kind.is("thinking"):
			e.Kind, e.Text = workers.EventThinking, b.get("thinking").text(spokenLimit)
		case kind.is("tool_use"):
			e.Kind = workers.EventTool
			e.ID, e.Tool = b.get("id").text(argLimit), b.get("name").text(argLimit)
			e.Text = mainArgument(b.get("input"))
		default:
			return
		}
		dst = append(dst, e)
	})
	if n := contextTokens(msg.get("usage")); n > 0 && !base.Sub {
		base.Kind, base.Tokens, base.ID = workers.EventUsage, n, msg.get("id").text(argLimit)
		dst = append(dst, base)
	}
	return dst
}

// contextTokens is the size of the conversation that a request carried: what
// was new in it, and what was kept.
func contextTokens(usage raw) (n int64) {
	var buf [room]member
	u, ok := members(buf[:0], usage)
	if !ok {
		return 0
	}
	for _, key := range [...]string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		n += u.get(key).integer()
	}
	return n
}

// mainArguments are the inputs that say most of a tool call, best first.
var mainArguments = []string{
	"command", "file_path", "notebook_path", "pattern", "url", "query", "description", "skill", "path", "prompt",
}

// mainArgument is what a person wants to see of a tool's input.
func mainArgument(input raw) string {
	var buf [room]member
	o, ok := members(buf[:0], input)
	if !ok {
		return ""
	}
	for _, key := range mainArguments {
		if v := o.get(key); v.kind() == '"' {
			return v.text(argLimit)
		}
	}
	for _, m := range o {
		if m.val.kind() == '"' {
			return m.val.text(argLimit)
		}
	}
	if len(o) == 0 {
		return ""
	}
	return string(input[:min(len(input), argLimit)])
}

// user is the results of tools, the echo of a message of ours, or a word of
// the harness.
func user(dst []workers.Event, o object) []workers.Event {
	var buf [room]member
	msg, _ := members(buf[:0], o.get("message"))
	content := msg.get("content")
	base := workers.Event{At: at(o), Sub: o.get("parent_tool_use_id").kind() == '"'}
	said := base
	said.Kind = workers.EventNotice
	if o.get("isReplay").isTrue() {
		said.Kind, said.ID = workers.EventUser, o.get("uuid").text(argLimit)
	}
	if content.kind() == '"' {
		said.Text = content.text(spokenLimit)
		return append(dst, said)
	}
	elements(content, func(block raw) {
		var buf [room]member
		b, ok := members(buf[:0], block)
		if !ok {
			return
		}
		switch kind := b.get("type"); {
		case kind.is("tool_result"):
			e := base
			e.Kind, e.ID = workers.EventToolEnd, b.get("tool_use_id").text(argLimit)
			e.Failed = b.get("is_error").isTrue()
			e.Text = contentText(b.get("content"))
			dst = append(dst, e)
		case kind.is("text"):
			e := said
			e.Text = b.get("text").text(spokenLimit)
			dst = append(dst, e)
		}
	})
	return dst
}

// contentText is the begin of a content that is a string or a list of blocks.
func contentText(v raw) string {
	if v.kind() == '"' {
		return v.text(argLimit)
	}
	var text string
	elements(v, func(block raw) {
		var buf [room]member
		if b, ok := members(buf[:0], block); ok && text == "" && b.get("type").is("text") {
			text = b.get("text").text(argLimit)
		}
	})
	return text
}

// answer is the reply to a control request of ours.
func answer(dst []workers.Event, o object) []workers.Event {
	var buf, inner [room]member
	reply, _ := members(buf[:0], o.get("response"))
	body, _ := members(inner[:0], reply.get("response"))
	e := workers.Event{Kind: workers.EventAnswer, At: at(o), ID: reply.get("request_id").text(argLimit)}
	elements(body.get("still_queued"), func(id raw) { e.IDs = append(e.IDs, id.text(argLimit)) })
	if reply.get("subtype").is("error") {
		e.Failed, e.Text = true, reply.get("error").text(argLimit)
	}
	return append(dst, e)
}

// rateLimit comes with a subscription only.
func (a Agent) rateLimit(dst []workers.Event, o object) []workers.Event {
	var buf [room]member
	info, _ := members(buf[:0], o.get("rate_limit_info"))
	e := workers.Event{At: at(o)}
	if sec := info.get("resetsAt").integer(); sec > 0 {
		e.Until = time.Unix(sec, 0)
	}
	name := strings.ReplaceAll(info.get("rateLimitType").text(argLimit), "_", " ")
	reset := ""
	if !e.Until.IsZero() {
		reset = ", resets " + e.Until.UTC().Format("2006-01-02 15:04Z")
	}
	switch status := info.get("status"); {
	case status.is("rejected") && info.get("isUsingOverage").isTrue():
		e.Kind, e.Text = workers.EventNotice, name+" usage limit reached, it goes on with extra usage"+reset
	case status.is("rejected"):
		e.Kind, e.Text = workers.EventLimit, name+" usage limit reached"+reset
	case status.is("allowed_warning"):
		e.Kind, e.Text = workers.EventNotice, fmt.Sprintf("%s usage limit at %.0f %%%s", name, 100*info.get("utilization").number(), reset)
	default:
		return dst
	}
	return append(dst, e)
}
