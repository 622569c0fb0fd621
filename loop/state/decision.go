package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Op is one effect that the plan can ask for.
type Op string

// The effects of the plan. Each is safe to carry out twice.
const (
	OpSetState Op = "set-state" // Role
	OpAssign   Op = "assign"    // Delegate
	OpRelease  Op = "release"
	OpComment  Op = "comment" // Text, as the dispatcher, once per run
	OpLinkPR   Op = "link-pr" // PR; Text is what to tell the owner where the board takes no link
	OpForget   Op = "forget"  // drop the run from the journal; Text is the outcome
	OpRetry    Op = "retry"   // arm a retry at At; Text is the failure
	OpVerify   Op = "verify"  // keep the claim, wait for checks
	OpNotice   Op = "notice"  // tell the owner: Text
	OpDone     Op = "done"    // automation: the issue's pull request is merged
)

// Decision is one effect on one row, with its reason.
type Decision struct {
	Op       Op
	Ref      board.Ref
	Role     board.Role
	From     board.Role // OpSetState: the role the row must still be in; RoleNone for any
	Delegate board.Delegate
	PR       string
	Text     string
	At       time.Time
	PutOff   PutOff // OpRetry: the try is not counted, this put it off
	Resume   bool   // OpRetry: in the same session
	Why      string
}

// Dispatch is a row that is to be worked now.
type Dispatch struct {
	Issue board.Issue
	Kind  board.Kind
	Agent string             // name of the agent profile
	PR    *board.PullRequest // existing pull request, if any
	Tier  int                // 1 to 3 for developers, 0 for reviewers
	// SetFirst is a board error to put right before the claim: a Ready row with
	// an open pull request is Changes Requested.
	SetFirst board.Role
	Why      string
}
