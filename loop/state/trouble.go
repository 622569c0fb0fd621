package state

import "time"

// Trouble is an obstacle that ended a worker and that is none of its own work:
// what it means is the same for every issue.
type Trouble string

// The troubles. A worker that simply failed has none.
const (
	TroubleNone    Trouble = ""
	TroubleLimit   Trouble = "limit"   // the account's usage limit
	TroubleBusy    Trouble = "busy"    // the model is overloaded or cannot be reached
	TroubleSession Trouble = "session" // the session that was to go on is gone
	TroubleSetup   Trouble = "setup"   // nothing works on this agent until a person changes something
	TroubleSpent   Trouble = "spent"   // it used up what one run may
)

// Pause is why nothing starts on a kind of agent, or on anything, until a time.
type Pause struct {
	// What is paused: a kind of agent, an agent's profile, or empty for every
	// worker that needs a worktree.
	What string `json:"what,omitempty"`
	// Why in words.
	Why   string    `json:"why"`
	Until time.Time `json:"until"`
	// Fault says that a person has to change something first; the loop looks
	// again by itself at Until.
	Fault bool `json:"fault,omitempty"`
	// Tries is how often in a row it was found so.
	Tries int `json:"tries,omitempty"`
}
