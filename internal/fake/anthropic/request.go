package anthropic

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Request is one entry of the request log. Credentials are never in it.
type Request struct {
	Time         time.Time       `json:"time"`
	Method       string          `json:"method"`
	Path         string          `json:"path"`
	Session      string          `json:"session,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Turn         int             `json:"turn"` // -1: no turn was used
	Tools        []string        `json:"tools,omitempty"`
	LastUser     string          `json:"last_user,omitempty"` // the newest user message, flattened
	Head         string          `json:"head,omitempty"`      // everything before the first answer
	Header       http.Header     `json:"header,omitempty"`
	Body         json.RawMessage `json:"body,omitempty"`
}

// body is the part of POST /v1/messages that the server looks at.
type body struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Metadata struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

// session tells workers apart.
func (b *body) session(h http.Header) string {
	if id := h.Get("X-Claude-Code-Session-Id"); id != "" {
		return id
	}
	return b.Metadata.UserID
}

// texts are the head, which stays the same for the whole session (the system
// prompt, the task, and the notes in which Claude Code describes the
// environment), and the newest user message.
func (b *body) texts() (head, last string) {
	head = flatten(b.System)
	answered := false
	for _, m := range b.Messages {
		answered = answered || m.Role == "assistant"
		if !answered {
			head += "\n" + flatten(m.Content)
		}
		if m.Role == "user" {
			last = flatten(m.Content)
		}
	}
	return head, last
}

// flatten turns a string or an array of content blocks into text.
func flatten(raw json.RawMessage) string {
	var str string
	if json.Unmarshal(raw, &str) == nil {
		return str
	}
	var blocks []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
		if len(b.Content) > 0 {
			parts = append(parts, flatten(b.Content))
		}
	}
	return strings.Join(parts, "\n")
}

var workingDir = regexp.MustCompile(`(?m)[Ww]orking directory: *(.+?)\s*$`)

// cwd finds the worker's directory in the notes on the environment.
func cwd(head string) string {
	if m := workingDir.FindStringSubmatch(head); m != nil {
		return m[1]
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// expand substitutes placeholders once: a value is never expanded again.
func expand(text string, vars map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		if v, ok := vars[m[2:len(m)-2]]; ok {
			return v
		}
		return m
	})
}

// expandAny is expand for every string inside a value from JSON.
func expandAny(v any, vars map[string]string) any {
	switch x := v.(type) {
	case string:
		return expand(x, vars)
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = expandAny(e, vars)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = expandAny(e, vars)
		}
		return out
	}
	return v
}
