package state

import "github.com/backside4charter/dispatcher/board"

// CommandKind names what an operator can ask of the loop.
type CommandKind string

// The commands a loop understands.
const (
	CommandFire   CommandKind = "fire"  // fire now
	CommandPause  CommandKind = "pause" // start nothing new
	CommandResume CommandKind = "resume"
	CommandDrain  CommandKind = "drain"
	CommandAbort  CommandKind = "abort"
	CommandLeave  CommandKind = "leave"  // end the loop, leave workers running
	CommandAnswer CommandKind = "answer" // answer a question: Ref, Text
	CommandAck    CommandKind = "ack"    // forget a notice: ID
	CommandHold   CommandKind = "hold"   // work on Ref no further: Text says why
	CommandUnhold CommandKind = "unhold" // let a held Ref go on
	CommandRetry  CommandKind = "retry"  // try Ref again now, given up or not
	CommandStop   CommandKind = "stop"   // stop the worker on Ref and hold the row: Text says why
)

// Command is one request of an operator.
type Command struct {
	Kind CommandKind `json:"kind"`
	Ref  board.Ref   `json:"ref,omitempty"`
	Text string      `json:"text,omitempty"`
	ID   uint64      `json:"id,omitempty"`
}
