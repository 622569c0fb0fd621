package claude

import (
	"encoding/json"
)

// line is a value as one line of input. The values are ours and always encode.
func line(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return append(data, '\n')
}

type userMessage struct {
	Type    string      `json:"type"`
	Message userContent `json:"message"`
	Parent  *string     `json:"parent_tool_use_id"`
	Session string      `json:"session_id"`
	UUID    string      `json:"uuid"`
}

type userContent struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type controlRequest struct {
	Type    string         `json:"type"`
	ID      string         `json:"request_id"`
	Request controlSubtype `json:"request"`
}

type controlSubtype struct {
	Subtype string `json:"subtype"`
}

// Message implements workers.Agent.
func (Agent) Message(id, text string) []byte {
	return line(userMessage{Type: "user", Message: userContent{Role: "user", Content: text}, UUID: id})
}

// Interrupt implements workers.Agent.
func (Agent) Interrupt(id string) []byte { return control(id, "interrupt") }

// End implements workers.Agent.
func (Agent) End(id string) []byte { return control(id, "end_session") }

func control(id, subtype string) []byte {
	return line(controlRequest{Type: "control_request", ID: id, Request: controlSubtype{subtype}})
}
