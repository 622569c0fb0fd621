package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// RequestKind says what a worker waits for.
type RequestKind string

// What a worker can ask of its owner while it runs.
const (
	RequestPermission RequestKind = "permission" // may I use this tool so?
	RequestQuestion   RequestKind = "question"   // which of these, or your own words
)

// Request is what a running worker asks and waits for. It stays in the snapshot
// until it is answered, withdrawn by the worker, or over by time.
type Request struct {
	ID   string      `json:"id"`
	Kind RequestKind `json:"kind"`
	Run  string      `json:"run"`
	Ref  board.Ref   `json:"ref"`

	Tool     string `json:"tool"`
	Summary  string `json:"summary"` // its main argument, one line: npm publish
	Input    string `json:"input"`   // the whole input as indented JSON, bounded
	Why      string `json:"why,omitempty"`
	Worktree string `json:"worktree,omitempty"`

	Questions []Question `json:"questions,omitempty"`
	// Like is what an allowance for the whole run would let pass besides this
	// very call, in the agent's own words: Bash(npm publish *).
	Like []string `json:"like,omitempty"`

	Since time.Time `json:"since"`
	// Until is when the default is given in the owner's place; zero is never.
	Until time.Time `json:"until,omitzero"`
	// Default is what is answered then: "deny", or "allow".
	Default string `json:"default,omitempty"`
}

// Question is one question of a worker to its owner.
type Question struct {
	Header  string   `json:"header,omitempty"`
	Text    string   `json:"text"`
	Many    bool     `json:"many,omitempty"` // several options may be chosen
	Options []Option `json:"options,omitempty"`
}

// Option is one proposed answer.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// MessageState is what became of a message to a worker.
type MessageState string

// The states of a message. Read is the receipt: the agent has it.
const (
	MessageSent   MessageState = "sent"   // waits for the tool that runs
	MessageRead   MessageState = "read"   // the agent has it
	MessageFailed MessageState = "failed" // the run ended before
)

// Message is what the owner said to a worker.
type Message struct {
	ID     string       `json:"id"`
	At     time.Time    `json:"at"`
	Text   string       `json:"text"`
	State  MessageState `json:"state"`
	ReadAt time.Time    `json:"readAt,omitzero"`
}

// RequestReply is what is said to a Request.
type RequestReply struct {
	Request string
	Allow   bool
	Always  bool     // also to the like of it in this run
	Text    string   // why not
	Answers []string // one for each question
	Nobody  bool     // the loop's own, which has nobody to ask
}

// Taker is who works by hand in the session of a run that was taken over.
type Taker struct {
	Came  bool // somebody has opened it
	Lives bool // and has it open
	PID   int  // of what has it; 0 where that is not known by its id
}
