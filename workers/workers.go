// Package workers is everything about one agent process except what to run:
// the values a run is started from and leaves behind, its run folder, the
// launcher that starts it under a supervisor, re-adopts it after a crash of
// the loop, watches it and stops it.
//
// It promises that a started worker outlives this process, that its whole
// output is in its run folder, that a run folder is enough to tell whether the
// run is alive and how it ended, and that at most one agent process is ever
// started for one run. It never decides what to run and never writes to the
// board.
package workers

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Spec is what a run is started from. It is written to the run folder as
// spec.json (0600) before the supervisor starts, and never changes after.
type Spec struct {
	Version int        `json:"version"` // 1
	Run     string     `json:"run"`     // id, safe as a folder name
	Ref     board.Ref  `json:"ref"`
	Kind    board.Kind `json:"kind"`
	Attempt int        `json:"attempt"` // 1 is the first
	Session string     `json:"session"` // UUID, the agent's own session
	Resume  bool       `json:"resume"`  // continue the session instead of starting it
	Epoch   int64      `json:"epoch"`   // claim epoch

	Agent   string   `json:"agent"`   // protocol: "claude" or "script" (which speaks the same)
	Dir     string   `json:"dir"`     // working directory of the agent
	Command []string `json:"command"` // argv of the agent, complete
	Env     []string `json:"-"`       // handed to the supervisor as its own environment, never written

	Role string `json:"-"` // role text; written to role.md
	// Settings are the agent's own settings; written to settings.json where there
	// are any, and nowhere else: a login may be among them.
	Settings string `json:"-"`
	Prompt   string `json:"prompt"` // the task, first message on standard input

	// Policy says who answers what the agent asks.
	Policy Policy `json:"policy,omitzero"`

	// PriorCostUSD is what the session had cost before this run, filled in by
	// the launcher; it matters only where the agent does not tell a turn's share.
	PriorCostUSD float64 `json:"priorCostUSD,omitempty"`

	// StartWithin is how long the first turn may take to begin, and MaxMemory
	// how many bytes the agent's processes may hold; zero is the supervisor's
	// own patience, and no limit.
	StartWithin time.Duration `json:"startWithinNanos,omitempty"`
	MaxMemory   int64         `json:"maxMemoryBytes,omitempty"`
}

// Phase says where a run is in its life, judged from its run folder alone.
type Phase string

// The phases of a run.
const (
	PhaseAbsent   Phase = "absent"   // no run folder, or no supervisor ever took it
	PhaseStarting Phase = "starting" // a supervisor holds it, no agent yet
	PhaseRunning  Phase = "running"
	PhaseExited   Phase = "exited" // exit.json is there
	PhaseDead     Phase = "dead"   // it ran, and neither supervisor nor exit.json is there
)

// Exit is how a run ended: exit.json, written once, atomically, by the
// supervisor.
type Exit struct {
	Version  int       `json:"version"`
	Code     int       `json:"code"`             // exit code of the agent; -1 when killed by a signal
	Signal   string    `json:"signal,omitempty"` // name of the signal that ended it
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Stopped  bool      `json:"stopped,omitempty"` // we asked it to stop
	IsError  bool      `json:"isError,omitempty"` // the last result's is_error
	Subtype  string    `json:"subtype,omitempty"` // the last result's subtype
	Terminal string    `json:"terminal,omitempty"`
	Final    string    `json:"final"`             // final message of the last result; empty when there was none
	Answer   string    `json:"answer,omitempty"`  // the last result's answer in the form asked for, beside Final
	Problem  string    `json:"problem,omitempty"` // why there is no usable result, in words (stderr's end, "no result line", …)
	CostUSD  float64   `json:"costUSD"`           // this run's share of the session's cost
	Tokens   int64     `json:"tokens"`
	Unbilled int64     `json:"unbilledTokens,omitempty"` // what the model was given after the last result; in no other figure
	Reaped   int       `json:"reaped,omitempty"`         // processes left behind that were ended
	// PeakRSS is the most memory that its processes were seen to hold, in bytes;
	// zero where the system does not tell.
	PeakRSS int64 `json:"peakRSS,omitempty"`
	// Trouble is what ended the run where that was none of its own work; Problem
	// says it in words.
	Trouble Trouble `json:"trouble,omitempty"`
	// LimitUntil is when a usage limit resets; zero when the run met none, or
	// when nobody says.
	LimitUntil time.Time `json:"limitUntil,omitzero"`
	// Missing is what the agent went without of what it was to have, in words;
	// empty when nothing was missing. It is no trouble: the run went on.
	Missing string `json:"missing,omitempty"`
}

// Status is what can be told of a run now.
type Status struct {
	Phase    Phase
	PID      int // supervisor
	PIDStart string
	AgentPID int
	Started  time.Time
	LastSign time.Time // last sign of life: output, or a living tool process
	// LastOutput is when the agent wrote last, its start before that. Busy says
	// that a tool or a task in the background has begun and not ended, Below how
	// many processes lived below the agent at the last look, and Waiting that
	// nothing runs because a person interrupted it and has yet to say how to go
	// on.
	LastOutput time.Time
	Busy       bool
	Below      int
	// Procs and RSS are how many processes the running agent and all below it
	// are, and how many bytes of memory they held, at the last look.
	Procs    int
	RSS      int64
	Waiting  bool
	Activity string // what it does now, one line
	Turns    int
	CostUSD  float64
	Tokens   int64
	Unbilled int64  // tokens that the model was given since the last result; in no other figure
	Context  int64  // tokens of the conversation, as the model was given it last
	Tail     []Line // the newest lines, oldest first, at most TailLines
	Lines    int    // how many lines there have been in all
	// Requests are what the agent asks and nobody has answered, oldest first,
	// and Messages what was said to it.
	Requests []Request
	Messages []Message
	Exit     *Exit
}

// TailLines is how many lines of a run's stream a Status carries.
const TailLines = 200

// LineKind says what a line of a worker's stream is.
type LineKind string

// The kinds of line that a screen shows differently.
const (
	LineText     LineKind = "text"     // the agent speaks
	LineThinking LineKind = "thinking" // the agent thinks
	LineTool     LineKind = "tool"     // a tool call; Done and Failed tell its end
	LineDenied   LineKind = "denied"   // a tool call that was refused
	LineUser     LineKind = "user"     // a message sent into the run
	LineError    LineKind = "error"
	LineNotice   LineKind = "notice" // retries, limits, compaction
	LineResult   LineKind = "result"
)

// Line is one entry of a worker's stream as a person reads it. Text holds no
// control characters but line feeds.
type Line struct {
	At     time.Time
	Kind   LineKind
	Sub    bool   // said or done by a subagent
	Tool   string // name of the tool
	Text   string // what was said, or the tool's main argument
	Done   bool
	Failed bool
	Took   time.Duration
	// Detail is a tool call in full, what it was given and what came back,
	// bounded. Only the lines of a Transcript have it.
	Detail string
}
