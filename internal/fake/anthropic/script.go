package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

// Script is what the server plays.
type Script struct {
	Conversations []*Conversation `json:"conversations"`
	Aux           *Turn           `json:"aux,omitempty"` // answers requests that offer no tools
}

// Conversation is one scripted behaviour of the model.
type Conversation struct {
	Name     string            `json:"name"`
	Match    string            `json:"match,omitempty"` // regexp over everything before the first answer
	Vars     map[string]string `json:"vars,omitempty"`  // name to regexp; the last group is the value
	Turns    []*Turn           `json:"turns"`
	After    *Turn             `json:"after,omitempty"`     // answers when the turns have run out
	AuxTurns bool              `json:"aux_turns,omitempty"` // requests without tools use turns too
}

// Turn is one scripted answer; the package comment lists its fields.
type Turn struct {
	Text         string            `json:"text,omitempty"`
	Thinking     string            `json:"thinking,omitempty"`
	Tools        []ToolUse         `json:"tools,omitempty"`
	Repeat       int               `json:"repeat,omitempty"`
	StopReason   string            `json:"stop_reason,omitempty"`
	Usage        *Usage            `json:"usage,omitempty"`
	Model        string            `json:"model,omitempty"`
	DelayMS      int               `json:"delay_ms,omitempty"`
	ChunkDelayMS int               `json:"chunk_delay_ms,omitempty"`
	Chunk        int               `json:"chunk,omitempty"`
	Gate         string            `json:"gate,omitempty"`
	Hang         bool              `json:"hang,omitempty"`
	Drop         bool              `json:"drop,omitempty"`
	Error        *APIError         `json:"error,omitempty"`
	StreamError  *APIError         `json:"stream_error,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Times        int               `json:"times,omitempty"`
	Expect       string            `json:"expect,omitempty"`
}

// ToolUse is one tool_use block.
type ToolUse struct {
	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

// Usage is the usage object of a message, in tokens.
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
	OutputTokens             int `json:"output_tokens"`
}

// APIError is an error body of the API with its HTTP status (500 when zero).
type APIError struct {
	Status  int    `json:"status,omitempty"`
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
}

// Load reads a script. An unknown field is an error, and so is a pattern that
// does not compile.
func Load(data []byte) (*Script, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	s := &Script{}
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read script: text after the object")
	}
	if _, err := compile(s); err != nil {
		return nil, err
	}
	return s, nil
}

// LoadFile is Load of a file.
func LoadFile(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	s, err := Load(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// conversation is a Conversation made ready to play: patterns compiled, turns
// repeated as often as they say.
type conversation struct {
	name     string
	match    *regexp.Regexp
	vars     map[string]*regexp.Regexp
	turns    []turn
	after    turn
	auxTurns bool
}

type turn struct {
	Turn
	expect *regexp.Regexp // nil: anything
}

func compile(s *Script) ([]conversation, error) {
	var out []conversation
	for i, c := range s.Conversations {
		if c == nil {
			return nil, fmt.Errorf("script: conversation %d is null", i)
		}
		ready, err := compileConversation(i, c)
		if err != nil {
			return nil, err
		}
		out = append(out, ready)
	}
	return out, nil
}

func compileConversation(i int, c *Conversation) (conversation, error) {
	out := conversation{name: c.Name, vars: map[string]*regexp.Regexp{}, auxTurns: c.AuxTurns}
	if out.name == "" {
		out.name = fmt.Sprintf("conversation-%d", i)
	}
	var err error
	if out.match, err = regexp.Compile(c.Match); err != nil {
		return out, fmt.Errorf("script: %s: match: %w", out.name, err)
	}
	for name, pattern := range c.Vars {
		if out.vars[name], err = regexp.Compile(pattern); err != nil {
			return out, fmt.Errorf("script: %s: var %s: %w", out.name, name, err)
		}
	}
	for j, t := range c.Turns {
		ready, err := compileTurn(t)
		if err != nil {
			return out, fmt.Errorf("script: %s: turn %d: %w", out.name, j, err)
		}
		for range max(1, t.Times) {
			out.turns = append(out.turns, ready)
		}
	}
	out.after = turn{Turn: Turn{Text: "STATUS: COMPLETE (fakeanthropic: script exhausted)"}}
	if c.After != nil {
		if out.after, err = compileTurn(c.After); err != nil {
			return out, fmt.Errorf("script: %s: after: %w", out.name, err)
		}
	}
	return out, nil
}

func compileTurn(t *Turn) (turn, error) {
	if t == nil {
		return turn{}, errors.New("is null")
	}
	out := turn{Turn: *t}
	if t.Expect == "" {
		return out, nil
	}
	var err error
	if out.expect, err = regexp.Compile(t.Expect); err != nil {
		return out, fmt.Errorf("expect: %w", err)
	}
	return out, nil
}
