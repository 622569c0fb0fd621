package claude

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// system is what the harness says of the run.
func system(dst []workers.Event, o object) []workers.Event {
	e := workers.Event{At: at(o)}
	switch kind := o.get("subtype"); {
	case kind.is("init"):
		e.Kind, e.Session, e.Text = workers.EventTurn, o.get("session_id").text(argLimit), o.get("model").text(argLimit)
		return unloaded(append(dst, e), o)
	case kind.is("api_retry"):
		e.Kind, e.Text = workers.EventNotice, retryText(o)
	case kind.is("permission_denied"):
		e.Kind, e.ID, e.Tool = workers.EventDenied, o.get("tool_use_id").text(argLimit), o.get("tool_name").text(argLimit)
		e.Text = o.get("message").text(argLimit)
	case kind.is("background_tasks_changed"):
		tasks(&e, o.get("tasks"))
	case kind.is("task_started"):
		if !o.get("task_type").is("local_agent") {
			return dst
		}
		e.Kind, e.ID, e.Sub = workers.EventSub, o.get("task_id").text(argLimit), true
		e.Tool, e.Text = o.get("subagent_type").text(argLimit), o.get("description").text(argLimit)
	case kind.is("task_notification"):
		e.Kind, e.ID = workers.EventTaskEnd, o.get("task_id").text(argLimit)
		e.Failed = o.get("status").is("stopped")
	case kind.is("compact_boundary"):
		compacted(&e, o.get("compact_metadata"))
	case kind.is("informational"):
		if e.Text = o.get("content").text(spokenLimit); e.Text == "" {
			e.Text = o.get("message").text(spokenLimit)
		}
		if e.Text == "" {
			return dst
		}
		e.Kind = workers.EventNotice
	default:
		return dst
	}
	return append(dst, e)
}

// unloaded tells what did not come up of what the agent was to have: nothing
// else does, and the run goes on without it (claude/README.md, section 3).
func unloaded(dst []workers.Event, o object) []workers.Event {
	missing := func(text string) {
		dst = append(dst, workers.Event{Kind: workers.EventNotice, At: at(o), Failed: true, Text: text})
	}
	elements(o.get("plugin_errors"), func(v raw) {
		var buf [room]member
		if p, ok := members(buf[:0], v); ok {
			missing(fmt.Sprintf("the plugin %s did not load: %s", p.get("plugin").text(argLimit), p.get("message").text(argLimit)))
		}
	})
	elements(o.get("mcp_servers"), func(v raw) {
		var buf [room]member
		m, ok := members(buf[:0], v)
		switch status := m.get("status"); {
		case !ok:
		case status.is("failed"):
			missing(fmt.Sprintf("the MCP server %s did not start", m.get("name").text(argLimit)))
		case status.is("needs-auth"):
			missing(fmt.Sprintf("the MCP server %s wants a login", m.get("name").text(argLimit)))
		}
	})
	return dst
}

func tasks(e *workers.Event, list raw) {
	e.Kind = workers.EventTasks
	elements(list, func(task raw) {
		var buf [room]member
		if t, ok := members(buf[:0], task); ok {
			e.IDs = append(e.IDs, t.get("task_id").text(argLimit))
		}
	})
}

func compacted(e *workers.Event, meta raw) {
	var buf [room]member
	m, _ := members(buf[:0], meta)
	e.Kind, e.Tokens = workers.EventCompact, m.get("pre_tokens").integer()
	e.Text = fmt.Sprintf("conversation compacted (%s, %d tokens before)", m.get("trigger").text(argLimit), e.Tokens)
}

func retryText(o object) string {
	what := "no connection"
	if s := o.get("error_status"); s.integer() != 0 {
		what = fmt.Sprintf("API error %d", s.integer())
	}
	wait := time.Duration(o.get("retry_delay_ms").integer()) * time.Millisecond
	return fmt.Sprintf("%s, try %d of %d again in %s", what, o.get("attempt").integer(), o.get("max_retries").integer(), wait.Round(100*time.Millisecond))
}
