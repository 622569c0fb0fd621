package script

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// input is one line of standard input, read.
type input struct {
	message *message
	control *control
	answer  *response
	bad     error // a line that is not JSON: it ends the process
}

// message is what somebody says to the agent.
type message struct {
	UUID    string
	Content json.RawMessage // a text or a list of blocks, echoed as it came
}

// control is a control request.
type control struct {
	ID      string `json:"request_id"`
	Request struct {
		Subtype string `json:"subtype"`
		Mode    string `json:"mode"`
		Model   string `json:"model"`
	} `json:"request"`
}

// maxLine bounds one line of input.
const maxLine = 16 << 20

// read turns the lines of r into inputs until its end, and closes the channel
// then. It gives up when done is closed.
func read(r io.Reader, to chan<- input, done <-chan struct{}) {
	defer close(to)
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		if len(line) > maxLine {
			line, err = "", errors.New("line too long")
		}
		if in, ok := parseInput(line); ok {
			select {
			case to <- in:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// parseInput reads one line. Empty lines and types that we do not know are left
// out.
func parseInput(line string) (input, bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return input{}, false
	}
	var head struct {
		Type    string `json:"type"`
		UUID    string `json:"uuid"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		if _, syntax := errors.AsType[*json.SyntaxError](err); syntax || !strings.HasPrefix(line, "{") {
			return input{bad: fmt.Errorf("Error parsing streaming input line: %w", err)}, true //nolint:staticcheck // the real command's words
		}
		return input{}, false
	}
	switch head.Type {
	case "user":
		if len(head.Message.Content) == 0 {
			return input{}, false
		}
		return input{message: &message{UUID: head.UUID, Content: head.Message.Content}}, true
	case "control_request":
		var c control
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return input{}, false
		}
		return input{control: &c}, true
	case "control_response":
		var r response
		var whole struct {
			Response json.RawMessage `json:"response"`
		}
		if json.Unmarshal([]byte(line), &r) != nil || json.Unmarshal([]byte(line), &whole) != nil {
			return input{}, false
		}
		r.raw = whole.Response
		return input{answer: &r}, true
	}
	return input{}, false
}
