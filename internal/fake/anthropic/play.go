package anthropic

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// defaultChunk is how many characters a streamed delta carries.
const defaultChunk = 64

// pingEvery is how often a hanging answer shows that the connection lives.
const pingEvery = 5 * time.Second

// play sends one turn.
func (s *Server) play(w http.ResponseWriter, r *http.Request, req *body, t *turn, vars map[string]string) {
	ctx := r.Context()
	if !pause(ctx, t.DelayMS) {
		return
	}
	for k, v := range t.Headers {
		w.Header().Set(k, v)
	}
	w.Header().Set("Request-Id", "req_"+randomHex())
	if t.Error != nil {
		writeError(w, t.Error)
		return
	}
	m := compose(req, t, vars)
	if req.Stream {
		s.stream(ctx, w, t, m)
		return
	}
	if t.Gate != "" && !s.hold(ctx, t.Gate) {
		return
	}
	if t.Hang {
		<-ctx.Done()
		return
	}
	writeJSON(w, http.StatusOK, m)
}

// message is a whole answer of the API.
type message struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        Usage   `json:"usage"`
}

// block is one content block; which fields count depends on Type.
type block struct {
	Type      string
	Text      string // text and thinking
	Signature string
	ID, Name  string // tool_use
	Input     any
}

// MarshalJSON writes the fields of the block's type, empty ones included.
func (b block) MarshalJSON() ([]byte, error) {
	switch b.Type {
	case "thinking":
		return json.Marshal(map[string]any{"type": b.Type, "thinking": b.Text, "signature": b.Signature})
	case "tool_use":
		return json.Marshal(map[string]any{"type": b.Type, "id": b.ID, "name": b.Name, "input": b.Input})
	}
	return json.Marshal(map[string]any{"type": b.Type, "text": b.Text})
}

func compose(req *body, t *turn, vars map[string]string) message {
	m := message{
		ID: "msg_" + randomHex(), Type: "message", Role: "assistant", Model: t.Model,
		Content: blocks(t, vars), Usage: Usage{InputTokens: 100, OutputTokens: 20},
	}
	if m.Model == "" {
		m.Model = req.Model
	}
	if t.Usage != nil {
		m.Usage = *t.Usage
	}
	stop := t.StopReason
	switch {
	case stop != "":
	case len(t.Tools) > 0:
		stop = "tool_use"
	default:
		stop = "end_turn"
	}
	m.StopReason = &stop
	return m
}

func blocks(t *turn, vars map[string]string) []block {
	out := []block{}
	if t.Thinking != "" {
		out = append(out, block{Type: "thinking", Text: expand(t.Thinking, vars), Signature: "c2lnbmF0dXJl"})
	}
	if t.Text != "" {
		out = append(out, block{Type: "text", Text: strings.Repeat(expand(t.Text, vars), max(1, t.Repeat))})
	}
	for _, u := range t.Tools {
		b := block{Type: "tool_use", ID: u.ID, Name: u.Name, Input: map[string]any{}}
		if b.ID == "" {
			b.ID = "toolu_" + randomHex()
		}
		if u.Input != nil {
			b.Input = expandAny(u.Input, vars)
		}
		out = append(out, b)
	}
	return out
}

// split cuts text into pieces of n characters, at least one piece.
func split(text string, n int) []string {
	runes := []rune(text)
	var out []string
	for len(runes) > n {
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return append(out, string(runes))
}

// pause waits; false when the client left.
func pause(ctx context.Context, ms int) bool {
	if ms <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func randomHex() string {
	b := make([]byte, 12)
	rand.Read(b) //nolint:errcheck // never fails
	return hex.EncodeToString(b)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

// errorTypes are the API's names of its statuses.
var errorTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
	404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}

func writeError(w http.ResponseWriter, e *APIError) {
	status, kind, msg := e.Status, e.Type, e.Message
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if kind == "" {
		kind = errorTypes[status]
	}
	if kind == "" {
		kind = "api_error"
	}
	if msg == "" {
		msg = http.StatusText(status)
	}
	if msg == "" {
		msg = "Overloaded" // 529 has no text in net/http
	}
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": msg}})
}
