package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Phase is how far the loop has taken a run. It is written to the journal
// before the step it names, so that a restart knows what may have happened.
type Phase string

// The phases of a run in the journal, in the order in which they come.
const (
	// PhaseClaiming: the claim may or may not be on the board.
	PhaseClaiming Phase = "claiming"
	// PhaseClaimed: the claim is ours; no supervisor has been started.
	PhaseClaimed Phase = "claimed"
	// PhaseStarting: a supervisor may have been started.
	PhaseStarting Phase = "starting"
	// PhaseRunning: a supervisor recorded itself.
	PhaseRunning Phase = "running"
	// PhaseEnded: the run is over and its result is to be routed.
	PhaseEnded Phase = "ended"
	// PhaseVerifying: the developer said COMPLETE and checks are pending; the
	// claim is kept and stamped, the slot is free.
	PhaseVerifying Phase = "verifying"
	// PhaseRetrying: a failed try waits for its next one; the claim is kept.
	PhaseRetrying Phase = "retrying"
	// PhaseTakenOver: the owner goes on in its session; the claim is kept and
	// stamped, the slot is free.
	PhaseTakenOver Phase = "takenOver"
)

// Run is one worker's try at one issue, as the journal keeps it. One record
// stands for one claim of ours; it is gone when the claim is provably gone.
type Run struct {
	ID      string     `json:"id"`
	Ref     board.Ref  `json:"ref"`
	Kind    board.Kind `json:"kind"`
	Session string     `json:"session"`
	Attempt int        `json:"attempt"` // 1 is the first
	// Resume: the session was begun before, and goes on. On a run that waits for
	// its next try: it is to go on then.
	Resume bool  `json:"resume,omitempty"`
	Phase  Phase `json:"phase"`

	Title     string `json:"title"`
	Milestone string `json:"milestone,omitempty"`

	// Where the row came from, for a revert.
	PriorRole     board.Role     `json:"priorRole"`
	PriorDelegate board.Delegate `json:"priorDelegate,omitempty"`

	Epoch    int64  `json:"epoch,omitempty"`
	Agent    string `json:"agent"` // name of the agent profile
	Branch   string `json:"branch,omitempty"`
	Worktree string `json:"worktree,omitempty"` // absolute; empty for reviewers
	PR       string `json:"pr,omitempty"`       // name, when known at the start
	Head     string `json:"head,omitempty"`     // the head a reviewer judges
	Base     string `json:"base,omitempty"`     // default branch's commit at the start
	// Carried are the ids of the reviews whose text the prompt carried.
	Carried []string `json:"carried,omitempty"`
	Fresh   bool     `json:"fresh,omitempty"` // the branch did not exist before

	ClaimedAt time.Time `json:"claimedAt"`
	StampedAt time.Time `json:"stampedAt,omitzero"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	// VerifyingSince is when checks were first seen pending after COMPLETE.
	VerifyingSince time.Time `json:"verifyingSince,omitzero"`
	// NotBefore is when a retry may start.
	NotBefore time.Time `json:"notBefore,omitzero"`
	Failure   string    `json:"failure,omitempty"` // why the last try failed
	// PutOff is why this try waits, where that is no failure, and PutOffs how
	// often it was put off by each cause.
	PutOff  string  `json:"putOff,omitempty"`
	PutOffs PutOffs `json:"putOffCounts,omitzero"`
	// HandedBack: its owner worked in the session before this try of it.
	HandedBack bool `json:"handedBack,omitempty"`
	// Stopped says why we end the run on purpose; StopNote is the owner's word
	// on it.
	Stopped  Stopped `json:"stopped,omitempty"`
	StopNote string  `json:"stopNote,omitempty"`
	// StalledAt is when it was interrupted because it gave no sign of life.
	StalledAt time.Time `json:"stalledAt,omitzero"`
}

// Stopped is a reason for which a run is ended on purpose.
type Stopped string

// The reasons. A run without one ended by itself.
const (
	StoppedOwner Stopped = "owner" // the owner stopped it; the row is held
	StoppedStall Stopped = "stall" // no sign of life; a failed try
	StoppedMoved Stopped = "moved" // the owner moved the row, or its pull request is merged
	// StoppedTakeOver: the owner goes on in its session.
	StoppedTakeOver Stopped = "take-over"
)

// Alive says whether the run holds one of the slots.
func (r *Run) Alive() bool {
	switch r.Phase {
	case PhaseClaiming, PhaseClaimed, PhaseStarting, PhaseRunning:
		return true
	case PhaseEnded, PhaseVerifying, PhaseRetrying, PhaseTakenOver:
		return false
	}
	return false
}

// RunSpec is what the loop asks a launcher to start.
type RunSpec struct {
	Run    Run
	Issue  board.Issue
	Role   string // role text
	Prompt string
	Dir    string
}

// WorkerPhase is what a launcher sees of a run.
type WorkerPhase string

// The phases of a worker process.
const (
	WorkerAbsent  WorkerPhase = "absent" // never started, and never will be
	WorkerRunning WorkerPhase = "running"
	WorkerExited  WorkerPhase = "exited"
	WorkerDead    WorkerPhase = "dead" // gone without a record of its end
)

// WorkerStatus is a launcher's answer about one run.
type WorkerStatus struct {
	Phase    WorkerPhase
	PID      int // supervisor
	PIDStart string
	LastSign time.Time
	// LastOutput is when it wrote last. Busy says that one of its tools runs,
	// Below how many processes live below it, Waiting that it waits for a
	// person's word.
	LastOutput time.Time
	Busy       bool
	Below      int
	// Procs and RSS: how many processes it is, and how many bytes they hold.
	Procs    int
	RSS      int64
	Waiting  bool
	Activity string
	CostUSD  float64
	Tokens   int64
	Unbilled int64  // tokens that the model was given since it last told a price; in no other figure
	Context  int64  // tokens of the conversation at its last request
	Tail     []Line // newest lines, oldest first
	Lines    int    // lines in all
	// Requests are what it asks and nobody has answered; their Ref is the
	// loop's to fill in. Messages are what the owner said to it.
	Requests []Request
	Messages []Message
	Exit     *WorkerExit
}

// WorkerExit is how a run ended.
type WorkerExit struct {
	Code    int
	Stopped bool   // we asked it to
	Problem string // why there is no usable result; empty when there is one
	Final   string // final message
	Answer  string // its verdict in the form asked for, beside Final; empty where there was none
	CostUSD float64
	Tokens  int64
	// Unbilled are tokens that the model was given and that the price is not told
	// of, since it was killed before; they are in no other figure, of no run.
	Unbilled int64
	Ended    time.Time
	// Trouble is what ended it where that was none of its own work; LimitUntil
	// goes with a usage limit, and is zero where nobody says.
	Trouble    Trouble
	LimitUntil time.Time
	// Missing is what the agent went without of what it was to load (a plugin, an
	// MCP server), in words; empty when nothing was missing, or nothing was said.
	Missing string
	// Cut: it was cut off in the middle, and its session can go on.
	Cut bool
}

// LineKind says what a line of a worker's stream is.
type LineKind string

// The kinds of line that a screen shows differently.
const (
	LineText     LineKind = "text"
	LineThinking LineKind = "thinking"
	LineTool     LineKind = "tool"
	LineDenied   LineKind = "denied"
	LineUser     LineKind = "user"
	LineError    LineKind = "error"
	LineNotice   LineKind = "notice"
	LineResult   LineKind = "result"
)

// Line is one entry of a worker's stream as a person reads it.
type Line struct {
	At     time.Time     `json:"at"`
	Kind   LineKind      `json:"kind"`
	Tool   string        `json:"tool,omitempty"`
	Text   string        `json:"text"`
	Done   bool          `json:"done,omitempty"`
	Failed bool          `json:"failed,omitempty"`
	Took   time.Duration `json:"took,omitempty"`
	// Detail is a tool call in full: what it was given and what came back,
	// bounded. Only a Transcript has it.
	Detail string `json:"detail,omitempty"`
}
