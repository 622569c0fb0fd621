package script

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Version is the format of script files that this program reads.
const Version = 1

// File is a script: what each kind of worker does on each issue.
type File struct {
	Version int `json:"version"`
	// Speed divides every pause; 0 is 1.
	Speed float64 `json:"speed,omitempty"`
	// TurnCostUSD is what one request to the pretended model costs.
	TurnCostUSD float64 `json:"turnCostUSD,omitempty"`
	// Default is played on issues that Issues does not name.
	Default Kinds `json:"default"`
	// Issues are the scripts of single issues by ref, in any case. A kind that
	// an issue does not name is played from Default.
	Issues map[string]Kinds `json:"issues,omitempty"`
}

// Kinds are the tries of each kind of worker.
type Kinds map[board.Kind][]Try

// Try is one run's work. Of the tries of a kind the first whose conditions all
// hold is played; if there is none, those without conditions count: run n
// plays the nth of them, and the last one repeats.
type Try struct {
	Name  string   `json:"name,omitempty"`
	When  []string `json:"when,omitempty"`
	Steps []Step   `json:"steps"`
}

// Step is one thing the agent does: exactly one action, and when to leave it
// out. Texts may hold variables such as {{ref}} (see Variables).
type Step struct {
	When   []string `json:"when,omitempty"`   // play only if all these conditions hold
	SkipIf *Probe   `json:"skipIf,omitempty"` // leave out if this command succeeds

	Say     string   `json:"say,omitempty"`
	Think   string   `json:"think,omitempty"`
	Pause   int      `json:"pause,omitempty"` // milliseconds, divided by Speed
	Write   *Content `json:"write,omitempty"`
	Append  *Content `json:"append,omitempty"` // at the end, unless it is there already
	Replace *Replace `json:"replace,omitempty"`
	Run     []string `json:"run,omitempty"`  // a program and its arguments
	Tick    string   `json:"tick,omitempty"` // "all": every open box of the issue's list
	// Question asks a person, Hear waits for a message.
	Question *Question `json:"question,omitempty"`
	Hear     bool      `json:"hear,omitempty"`
	Crash    string    `json:"crash,omitempty"` // this on standard error, then exit 1 without a result
	Exit     *int      `json:"exit,omitempty"`  // end the process at once with this code
	Final    string    `json:"final,omitempty"` // the last message of the turn

	// Of Run: ask whether it may be run; a failure, or a denial, does not fail
	// the step; variables taken from its
	// output (the first group of each expression, or the whole match); files
	// laid into {{tmp}} before it starts.
	Ask     bool              `json:"ask,omitempty"`
	MayFail bool              `json:"mayFail,omitempty"`
	Capture map[string]string `json:"capture,omitempty"`
	Files   map[string]string `json:"files,omitempty"`
}

// Content is a file and what to put there.
type Content struct {
	Path       string `json:"path"` // slash-separated, inside the working directory
	Content    string `json:"content"`
	Executable bool   `json:"executable,omitempty"`
}

// Question is a question to a person. The answer is the variable As, and
// Otherwise where nobody answers.
type Question struct {
	Text      string   `json:"text"`
	Header    string   `json:"header,omitempty"`
	Options   []string `json:"options,omitempty"`
	As        string   `json:"as"`
	Otherwise string   `json:"otherwise,omitempty"`
}

// Replace changes the first Old of a file to New. It does nothing where New
// stands already and Old does not.
type Replace struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Probe is a command that is run to see what is there already. It holds if the
// command succeeds and, with Match, its output matches the expression.
type Probe struct {
	Run   []string `json:"run"`
	Match string   `json:"match,omitempty"`
}

// Load reads a script file. All its faults are in the error, each with its
// place.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return f, nil
}

// Marshal is the file as Load reads it. It refuses a script with faults.
func (f *File) Marshal() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the script: %w", err)
	}
	data = append(data, '\n')
	if _, err := Parse(data); err != nil {
		return nil, fmt.Errorf("write the script: %w", err)
	}
	return data, nil
}

// tries are those that a worker of the kind plays on the issue.
func (f *File) tries(ref board.Ref, kind board.Kind) []Try {
	for name, kinds := range f.Issues {
		if strings.EqualFold(name, string(ref)) && len(kinds[kind]) > 0 {
			return kinds[kind]
		}
	}
	return f.Default[kind]
}

// pick chooses the try of run n (1 is the first).
func pick(tries []Try, n int, holds func(cond string) bool) *Try {
	var plain []*Try
	for i := range tries {
		t := &tries[i]
		if len(t.When) == 0 {
			plain = append(plain, t)
			continue
		}
		if all(t.When, holds) {
			return t
		}
	}
	if len(plain) == 0 {
		return nil
	}
	return plain[min(max(n, 1), len(plain))-1]
}

func all(conds []string, holds func(string) bool) bool {
	for _, c := range conds {
		if !holds(c) {
			return false
		}
	}
	return true
}
