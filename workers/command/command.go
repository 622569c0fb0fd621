// Package command is the plainest agent: any program that reads what to do
// from its standard input, to the end, and writes on its standard output. Each
// line of output is a line of the transcript, and the last of them are its
// report.
//
// It promises that any output is taken as text, whatever it looks like, and
// that an exit code other than 0 is never a success. Such an agent takes no
// messages, cannot be interrupted and has no session to go on with; it says so
// instead of pretending.
package command

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/limit"
	"github.com/backside4charter/dispatcher/workers/report"
)

// lineLimit is how much of a line is kept in an event, in bytes.
const lineLimit = 16 << 10

// Agent is the language of a program that has none.
type Agent struct{}

var (
	_ workers.Agent     = Agent{}
	_ workers.Closer    = Agent{}
	_ workers.Explainer = Agent{}
)

// Can implements workers.Agent.
func (Agent) Can() workers.Abilities {
	return workers.Abilities{Why: "an agent of kind command gets its prompt once and takes nothing after it"}
}

// Parse implements workers.Agent: a line is what the agent says.
func (Agent) Parse(dst []workers.Event, line []byte) []workers.Event {
	text := strings.TrimRight(string(line[:min(len(line), lineLimit)]), " \t\r")
	if text == "" {
		return dst
	}
	return append(dst, workers.Event{Kind: workers.EventText, Text: strings.ToValidUTF8(text, string(utf8.RuneError))})
}

// Message implements workers.Agent: the prompt, as it is.
func (Agent) Message(_, text string) []byte {
	if strings.HasSuffix(text, "\n") {
		return []byte(text)
	}
	return []byte(text + "\n")
}

// Prompt is what such a program is given: who it is, then what to do.
func Prompt(role, task string) string {
	return strings.TrimRight(role, "\n") + "\n\n" + task
}

// Interrupt implements workers.Agent; there is no way to say it.
func (Agent) Interrupt(string) []byte { return nil }

// End implements workers.Agent; the end of the prompt was the end.
func (Agent) End(string) []byte { return nil }

// Answer implements workers.Agent; it never asks.
func (Agent) Answer(workers.Request, workers.Answer) []byte { return nil }

// finalTail is how much of the end of its output is a program's final message,
// in bytes.
const finalTail = 64 << 10

// Close implements workers.Closer: what a program has printed last is its final
// message, and its exit code says whether that counts.
func (Agent) Close(said io.Reader, errors string, code int, signal string) (*workers.Result, error) {
	text, err := report.Closing(said, finalTail)
	if err != nil {
		return nil, err
	}
	text = lastOnly(strings.TrimSpace(strings.ToValidUTF8(text, string(utf8.RuneError))))
	r := &workers.Result{Text: text, Terminal: "completed", Subtype: "exit"}
	switch {
	case signal != "":
		r.IsError, r.Terminal = true, "signal"
		r.Text = "the program was ended by " + signal
	case code != 0:
		r.IsError, r.Terminal = true, "exit_code"
		r.Text = fmt.Sprintf("the program exited %d", code)
	case text == "":
		return nil, nil //nolint:nilnil // nothing done and nothing said is no success
	default:
		return r, nil
	}
	for _, words := range []string{errors, text} {
		if last := lastLine(words); last != "" {
			r.Text += ": " + last
			break
		}
	}
	return r, nil
}

// lastOnly puts a line before a first one that says how the work ended: of a
// program the last line alone counts (docs/agents.md), while the final message
// of an agent that tells one may say it first.
func lastOnly(text string) string {
	first, rest, more := strings.Cut(text, "\n")
	if !more || strings.TrimSpace(rest) == "" || !strings.HasPrefix(first, "STATUS:") {
		return text
	}
	return "Output:\n" + text
}

// Explain implements workers.Explainer for a program that has failed: a usage
// limit in its last lines, or that it is not there at all.
func (Agent) Explain(e workers.Ending) workers.Meaning {
	if e.Code <= 0 || e.Result != nil && !e.Result.IsError {
		return workers.Meaning{}
	}
	for _, words := range []string{e.Words, e.Said} {
		if until, ok := limit.Last(words, e.At); ok {
			return workers.Meaning{Trouble: workers.TroubleLimit, Until: until}
		}
	}
	return workers.NotRunnable(e)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
