package workers

import (
	"encoding/json"
	"time"
)

// AskTool is the tool by which an agent asks a person a question.
const AskTool = "AskUserQuestion"

// Ask is what an agent wants to be told before it goes on: may it use a tool
// so, or which of these. It is an EventAsk's.
type Ask struct {
	Call  string          // id of the tool call that waits for the answer
	Input json.RawMessage // of the tool; long strings in it are cut
	Why   string          // why it asks, where it says so
	// Like are the rules that the agent itself would take for "the like from
	// now on", in its own form; nil where it names none.
	Like      json.RawMessage
	Questions []Question // what it asks of a person; empty for a permission
}

// Question is one question to a person.
type Question struct {
	Header  string
	Text    string
	Many    bool // several options may be chosen
	Options []Option
}

// Option is one proposed answer.
type Option struct{ Label, Description string }

// Request is an ask that has not been answered.
type Request struct {
	ID   string
	Tool string
	Text string // the main argument
	Ask  *Ask
	At   time.Time
	// Until is when the run's policy answers with Default in the owner's place;
	// zero is never.
	Until   time.Time
	Default Behavior
}

// Behavior is what an answer lets the agent do.
type Behavior string

// The behaviors.
const (
	Allow Behavior = "allow"
	Deny  Behavior = "deny"
)

// Who has answered.
const (
	ByOwner  = "owner"  // a person
	ByRule   = "rule"   // what a person allowed for the run
	ByPolicy = "policy" // the profile, which asks nobody
	ByTime   = "time"   // nobody within the policy's time
	ByNobody = "nobody" // the loop, which has nobody to ask
)

// Answer is what is said to an ask: a line of answers.jsonl. It is written down
// before it is sent, and counts from then on.
type Answer struct {
	Request  string    `json:"request"`
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	Behavior Behavior  `json:"behavior"`
	Message  string    `json:"message,omitempty"` // why not
	// Always also answers the like of it in this run: the same call again, and
	// what the agent itself takes for alike.
	Always bool `json:"always,omitempty"`
	// Answers are labels or free text, one for each question.
	Answers []string        `json:"answers,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // of Always: what was allowed
}

// Policy says who answers a run's asks; it stands in the spec, so that a
// supervisor knows it without a loop. Rules that let a call pass or refuse it
// without asking are the agent's own and stand on its command line.
type Policy struct {
	// Ask is "owner" to wait for a person, or what is answered at once. Empty is
	// deny.
	Ask string `json:"ask,omitempty"`
	// Wait is how long a person may take, and Default what is answered then.
	// Zero waits for ever.
	Wait    time.Duration `json:"waitNanos,omitempty"`
	Default Behavior      `json:"default,omitempty"`
}

// AskOwner makes a policy wait for a person.
const AskOwner = "owner"

// until is when the policy's default answers an ask, and what it is.
func (p Policy) until(at time.Time) (time.Time, Behavior) {
	what := p.Default
	if what != Allow {
		what = Deny
	}
	if p.Wait <= 0 {
		return time.Time{}, what
	}
	return at.Add(p.Wait), what
}

// Asks follows what an agent asks through its events. It is a value machine
// without clock or I/O; the zero value is ready.
type Asks struct{ open []Request }

// Add takes one event. at is when it happened.
func (a *Asks) Add(e *Event, at time.Time) {
	switch e.Kind {
	case EventAsk:
		a.drop(func(r *Request) bool { return r.ID == e.ID })
		if e.Ask != nil && e.ID != "" && len(a.open) < maxAsks {
			a.open = append(a.open, Request{ID: e.ID, Tool: e.Tool, Text: e.Text, Ask: e.Ask, At: at})
		}
	case EventAnswer, EventAskEnd:
		// The echo of an answer of ours: the agent has it.
		a.drop(func(r *Request) bool { return r.ID == e.ID })
	case EventToolEnd, EventDenied:
		a.drop(func(r *Request) bool { return r.Ask.Call != "" && r.Ask.Call == e.ID })
	case EventResult:
		if e.Result.Interrupted() {
			a.open = nil
		}
	case EventRaw, EventTurn, EventText, EventThinking, EventTool, EventUser, EventMessage, EventTasks, EventTaskEnd, EventNotice,
		EventError, EventLimit, EventUsage, EventSub, EventCompact:
	}
}

// maxAsks bounds what an agent may ask at once; more are never answered, and
// none ever asked so many.
const maxAsks = 64

func (a *Asks) drop(which func(*Request) bool) {
	var kept []Request
	for i := range a.open {
		if !which(&a.open[i]) {
			kept = append(kept, a.open[i])
		}
	}
	a.open = kept
}

// Open are the asks that wait, oldest first.
func (a *Asks) Open() []Request { return a.open }
