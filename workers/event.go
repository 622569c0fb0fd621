package workers

import (
	"io"
	"time"
)

// Agent is the language that one kind of agent program speaks on its standard
// input and output. It holds no state and does no I/O; the supervisor and the
// launcher use the same one. Every answer but Parse's is one whole line with
// its line feed.
type Agent interface {
	// Parse appends what one line of output says to dst. A line that is none of
	// the protocol's becomes an EventRaw; one that says nothing of interest adds
	// nothing. It never fails and never keeps line.
	Parse(dst []Event, line []byte) []Event
	// Message is a message to the agent. The id comes back in EventMessage.
	Message(id, text string) []byte
	// Interrupt ends the running turn; the agent lives on.
	Interrupt(id string) []byte
	// End ends the session, and the agent with it.
	End(id string) []byte
	// Answer answers what the agent asked in an EventAsk.
	Answer(r Request, a Answer) []byte
	// Can says what the agent takes while it works, and after.
	Can() Abilities
}

// Abilities are what an agent can do besides working. Whoever wants one of them
// asks before, and refuses with the reason.
type Abilities struct {
	Steer     bool   // takes messages while it works
	Interrupt bool   // can be told to end its turn and to wait
	Resume    bool   // goes on with a session that ended
	Ask       bool   // can ask its owner for a permission, or a question
	Why       string // why not, where one is missing
}

// Closer is an Agent whose programs do not tell how they ended. Close makes a
// result of what one said, the end of its error output, its exit code and the
// signal that ended it; nil if that shows no result. The error is of reading what
// it said.
type Closer interface {
	Close(said io.Reader, errors string, code int, signal string) (*Result, error)
}

// Detailer is an agent that can tell the tool calls of one line of its output
// in full: what each was given, or, at its end, what came back, as it said it.
type Detailer interface {
	Details(line []byte, see func(id, text string, end bool))
}

// EventKind says what an Event is about.
type EventKind uint8

// The kinds of event.
const (
	EventRaw      EventKind = iota // output that is not the protocol's; Text
	EventTurn                      // a turn begins; Session, Text = the model
	EventText                      // the agent speaks
	EventThinking                  // the agent thinks; Text may be empty
	EventTool                      // a tool call begins; ID, Tool, Text = its main argument
	EventToolEnd                   // a tool call ended; ID, Failed, Text = the result's begin
	EventDenied                    // a tool call was refused; ID, Tool, Text = why
	EventUser                      // a message that was sent into the run; ID if it had one
	EventMessage                   // what became of a message; ID, State
	EventAnswer                    // answer to an Interrupt or End, or the echo of one of ours; ID, IDs = messages still queued
	EventTasks                     // the tasks in the background now; IDs
	EventTaskEnd                   // a task ended; ID, Failed = it was stopped, no turn follows it
	EventNotice                    // retries, limits, compaction; Failed = a part of what the agent was to have is missing
	EventError                     // the agent met an error that is not yet the end
	EventLimit                     // a usage limit was met; Until, Text
	EventResult                    // the end of a turn; Result
	EventAsk                       // the agent asks and waits; ID, Tool, Text = the main argument, Ask
	EventAskEnd                    // it asks no longer; ID
	EventUsage                     // the model answers a request; ID = the answer's, Tokens = the conversation it was given
	EventSub                       // a subagent begins; ID of its task, Tool = its kind, Text = what for
	EventCompact                   // the conversation was cut short; Text, Tokens = what it had come to
)

// MessageState is what became of a message that was sent into a run.
type MessageState string

// The states of a message.
const (
	MessageQueued    MessageState = "queued"
	MessageStarted   MessageState = "started"
	MessageCompleted MessageState = "completed"
	MessageCancelled MessageState = "cancelled"
)

// Event is one thing that a line of an agent's output says.
type Event struct {
	Kind    EventKind
	At      time.Time // zero where the line carries no time
	ID      string
	Sub     bool // said or done by a subagent
	Tool    string
	Text    string // as the agent gave it; not cleaned for a screen
	Failed  bool
	Tokens  int64
	State   MessageState
	Session string
	IDs     []string
	Until   time.Time
	Result  *Result
	Ask     *Ask
}

// Result is the end of one turn. A run may have several; the last one is how
// the run ended.
type Result struct {
	IsError  bool
	Subtype  string
	Terminal string
	Text     string   // the final message; on an error what the agent says of it
	Errors   []string // the reasons, where the agent lists them
	Answer   string   // what it answered in the form that it was asked for, beside the text; empty where it was not, or did not
	Turns    int
	Messages []string // ids of the messages this turn answered
	Queued   int      // turns that wait already
	Status   int      // what the model's service answered to a request that failed; 0 for nothing
	Code     string   // the agent's own name for what failed

	CostUSD float64 // of the whole session so far, earlier runs included
	Tokens  int64   // as CostUSD: in, out, and cached ones
	// SinceCost and SinceTokens are what was added since the result before, if
	// HasSince.
	HasSince    bool
	SinceCost   float64
	SinceTokens int64

	// Limited says that a usage limit ended the turn; LimitUntil is when it
	// resets, where the agent says that.
	Limited    bool
	LimitUntil time.Time
}

// Usage adds up what one run cost from its results: a session's cost is
// cumulative over all runs that continued it (claude/README.md, Events).
type Usage struct {
	Prior float64 // what the session had cost before, for agents that do not tell

	seen       bool
	baseCost   float64
	baseTokens int64
	cost       float64
	tokens     int64
	turns      int
	asked      int64  // tokens of the requests since the last result
	answer     string // the id of the answer to the last of them
}

// Ask counts a request to the model; one answer comes in several events.
func (u *Usage) Ask(answer string, tokens int64) {
	if answer != "" && answer == u.answer {
		return
	}
	u.answer = answer
	u.asked += tokens
}

// Unbilled is how many tokens the model was given since the last result: what a
// run that is killed then never tells the price of, nor does the next one of its
// session (claude/README.md, Cost and usage). What it wrote, and what subagents
// did, is not in it.
func (u *Usage) Unbilled() int64 { return u.asked }

// Add counts a result.
func (u *Usage) Add(r *Result) {
	if !u.seen {
		u.seen = true
		u.baseCost = u.Prior
		if r.HasSince {
			u.baseCost = r.CostUSD - r.SinceCost
			u.baseTokens = r.Tokens - r.SinceTokens
		}
	}
	u.turns++
	u.asked = 0
	// A result that ended before the agent had read its session tells zero.
	u.cost = max(u.cost, r.CostUSD-u.baseCost)
	u.tokens = max(u.tokens, r.Tokens-u.baseTokens)
}

// CostUSD is the run's share so far.
func (u *Usage) CostUSD() float64 { return u.cost }

// Tokens is the run's share so far.
func (u *Usage) Tokens() int64 { return u.tokens }

// Turns is how many results there have been.
func (u *Usage) Turns() int { return u.turns }
