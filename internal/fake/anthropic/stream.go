package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// events writes server-sent events; after one that failed it writes no more.
type events struct {
	ctx  context.Context
	w    http.ResponseWriter
	dead bool
}

func (e *events) send(kind string, fields map[string]any) bool {
	if e.dead || e.ctx.Err() != nil {
		e.dead = true
		return false
	}
	fields["type"] = kind
	data, err := json.Marshal(fields)
	if err != nil {
		data = []byte(fmt.Sprintf(`{"type":"error","error":{"type":"api_error","message":%q}}`, "fakeanthropic: "+err.Error()))
	}
	if _, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", kind, data); err != nil {
		e.dead = true
		return false
	}
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
	return true
}

// stream sends a message as the API streams it.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, t *turn, m message) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	out := &events{ctx: ctx, w: w}

	opening := m
	opening.Content, opening.StopReason, opening.Usage.OutputTokens = []block{}, nil, 1
	if !out.send("message_start", map[string]any{"message": opening}) {
		return
	}
	if t.Gate != "" && !s.hold(ctx, t.Gate) {
		return
	}
	if t.Hang {
		out.pingForEver()
		return
	}
	for i, b := range m.Content {
		if !out.block(t, i, b) {
			return
		}
	}
	out.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": m.StopReason, "stop_sequence": nil}, "usage": m.Usage,
	})
	out.send("message_stop", map[string]any{})
}

func (e *events) pingForEver() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-tick.C:
			e.send("ping", map[string]any{})
		}
	}
}

// block streams one content block; false when the answer ends here.
func (e *events) block(t *turn, i int, b block) bool {
	size := t.Chunk
	if size <= 0 {
		size = defaultChunk
	}
	opening, deltas := pieces(b, size)
	if !e.send("content_block_start", map[string]any{"index": i, "content_block": opening}) {
		return false
	}
	for _, d := range deltas {
		if !pause(e.ctx, t.ChunkDelayMS) || !e.send("content_block_delta", map[string]any{"index": i, "delta": d}) {
			return false
		}
		if t.Drop {
			panic(http.ErrAbortHandler) // the way to cut a connection in net/http
		}
		if t.StreamError != nil {
			e.send("error", map[string]any{"error": map[string]string{"type": t.StreamError.Type, "message": t.StreamError.Message}})
			return false
		}
	}
	return e.send("content_block_stop", map[string]any{"index": i})
}

// pieces are the opening form of a block and the deltas that fill it.
func pieces(b block, size int) (block, []map[string]any) {
	opening := b
	var deltas []map[string]any
	switch b.Type {
	case "thinking":
		opening.Text, opening.Signature = "", ""
		for _, p := range split(b.Text, size) {
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": p})
		}
		deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": b.Signature})
	case "tool_use":
		opening.Input = map[string]any{}
		in, err := json.Marshal(b.Input)
		if err != nil {
			in = []byte("{}")
		}
		for _, p := range split(string(in), size) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": p})
		}
	default:
		opening.Text = ""
		for _, p := range split(b.Text, size) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": p})
		}
	}
	return opening, deltas
}
