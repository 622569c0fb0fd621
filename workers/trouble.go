package workers

// Trouble is an obstacle that ended a run and that is none of the run's own
// work: what it means is the same for every issue.
type Trouble string

// The troubles. A run that simply failed has none.
const (
	TroubleNone    Trouble = ""
	TroubleLimit   Trouble = "limit"   // the account's usage limit; Exit.LimitUntil where it is told
	TroubleBusy    Trouble = "busy"    // the model is overloaded or cannot be reached: later it may work
	TroubleSession Trouble = "session" // the session that was to go on is not there, or not to be had
	TroubleSetup   Trouble = "setup"   // the agent cannot work here at all until a person changes something
	TroubleSpent   Trouble = "spent"   // it has used up what one run may: another would do the same
)

// Ending is how an agent ended, for its language to explain.
type Ending struct {
	Result *Result // the last one; nil when there was none
	Began  bool    // a turn had begun
	Code   int
	Words  string // the end of its standard error, or what else it said outside its protocol
}

// Explainer is a language that knows its program's own words for a trouble.
type Explainer interface {
	// Explain tells the trouble that an ending means, and says in one sentence
	// what happened and the way out. The words may be empty.
	Explain(e Ending) (Trouble, string)
}
