package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

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

// The commands for a running worker: Run, or Ref for the worker that lives on
// it.
const (
	CommandSteer     CommandKind = "steer"     // say Text to it; the receipt comes in the snapshot
	CommandInterrupt CommandKind = "interrupt" // end its turn; it stands still until steered or stopped
	CommandTakeOver  CommandKind = "take-over" // the owner goes on in its session; the loop waits
	CommandHandBack  CommandKind = "hand-back" // the owner is done; the loop goes on with it
)

// The commands for what a worker asks: Request is the Request's id.
const (
	CommandAllow CommandKind = "allow" // Always: also for the like in this run
	CommandDeny  CommandKind = "deny"  // Text says why
	CommandReply CommandKind = "reply" // Answers, one for each question
)

// The commands for a row, as the owner: Ref. The board's policy decides.
const (
	CommandMove     CommandKind = "move"      // to Role
	CommandOrder    CommandKind = "order"     // Before, After or Top
	CommandTick     CommandKind = "tick"      // box N; Off clears it; Text is what it says, refused when it does not
	CommandLabel    CommandKind = "label"     // Text is the label; Off takes it away
	CommandComment  CommandKind = "comment"   // Text
	CommandClaim    CommandKind = "claim"     // the owner works it: assigned to a person
	CommandRelease  CommandKind = "release"   // claim, delegate and assignee go
	CommandDispatch CommandKind = "dispatch"  // work it next, before the order of the board
	CommandCreate   CommandKind = "create"    // Issue; the answer names the ref
	CommandEdit     CommandKind = "edit"      // Issue, of the row Ref
	CommandUndo     CommandKind = "undo"      // take back what ID names, or the last that can be
	CommandTouch    CommandKind = "touch"     // leave Ref alone for Grace: the owner works on it
	CommandMerge    CommandKind = "merge"     // pull request PR; Force goes over red checks
	CommandRequest  CommandKind = "request"   // send PR back with Text and Findings
	CommandUpdatePR CommandKind = "update-pr" // bring PR up to date with its base
)

// Grace is how long the loop leaves a row alone after its owner touched it in
// the room, so that what was done can be taken back (screens.md, Focus and
// modes). It never delays another wake.
const Grace = 10 * time.Second

// Command is one request of an operator. Which fields count is said at each
// kind; a command with a field that is not its own is refused.
type Command struct {
	Kind CommandKind `json:"kind"`
	Ref  board.Ref   `json:"ref,omitempty"`
	Text string      `json:"text,omitempty"`
	ID   uint64      `json:"id,omitempty"`

	Run      string          `json:"run,omitempty"`
	Request  string          `json:"request,omitempty"`
	Always   bool            `json:"always,omitempty"`
	Answers  []string        `json:"answers,omitempty"` // labels or free text, in the order of the questions
	Role     board.Role      `json:"role,omitempty"`
	From     board.Role      `json:"from,omitempty"` // move: the role the owner saw; refused when the row has left it
	Before   board.Ref       `json:"before,omitempty"`
	After    board.Ref       `json:"after,omitempty"`
	Top      bool            `json:"top,omitempty"`
	N        int             `json:"n,omitempty"` // 1 is the first box
	Off      bool            `json:"off,omitempty"`
	Force    bool            `json:"force,omitempty"`
	PR       string          `json:"pr,omitempty"`
	Head     string          `json:"head,omitempty"` // merge, request: the head the owner read; refused when it moved
	Findings []board.Finding `json:"findings,omitempty"`
	Issue    *IssueDraft     `json:"issue,omitempty"`
}

// IssueDraft is the text of a new issue or of an edit; in an edit nil leaves a
// field as it is.
type IssueDraft struct {
	Title     *string     `json:"title,omitempty"`
	Body      *string     `json:"body,omitempty"`
	Milestone *string     `json:"milestone,omitempty"`
	Labels    []string    `json:"labels,omitzero"`   // all of them, when not nil; an empty list takes all away
	Blockers  []board.Ref `json:"blockers,omitzero"` // likewise
	// Was is what stood there when an edit began, of the fields that it
	// changes: it is refused where another edit came between.
	Was *IssueDraft `json:"was,omitempty"`
}

// Done is what a command that was taken answers.
type Done struct {
	Ref  board.Ref `json:"ref,omitempty"`  // create: the new issue
	Undo uint64    `json:"undo,omitempty"` // names it for CommandUndo; 0 when it cannot be taken back
	Text string    `json:"text,omitempty"` // what happened, when there is more to say than that it did
	// Pending says that it was sent and that nothing shows yet that it was taken;
	// Text says what else there is to do.
	Pending bool `json:"pending,omitempty"`
}
