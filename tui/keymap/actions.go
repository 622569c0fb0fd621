package keymap

// Action is what a key does, the same in every view. Its text is the name by
// which a person binds other keys to it.
type Action string

// The actions of the room.
const (
	Up       Action = "up"
	Down     Action = "down"
	Left     Action = "left"
	Right    Action = "right"
	PageUp   Action = "page-up"
	PageDown Action = "page-down"
	HalfUp   Action = "half-up"
	HalfDown Action = "half-down"
	First    Action = "first"
	Last     Action = "last"

	Open     Action = "open"
	Back     Action = "back"
	NextPane Action = "next-pane"
	PrevPane Action = "previous-pane"

	Board   Action = "board"
	Workers Action = "workers"
	Needs   Action = "needs-you"
	Pulls   Action = "pulls"
	Log     Action = "log"
	Goto    Action = "go-to"
	Issue   Action = "issue"
	Money   Action = "money"
	Next    Action = "next-firing"

	NextNeed  Action = "next-need"
	Find      Action = "find"
	NextMatch Action = "next-match"
	PrevMatch Action = "previous-match"
	PrevPiece Action = "previous-piece"
	NextPiece Action = "next-piece"
	NextError Action = "next-error"
	Mark      Action = "mark"
	Layout    Action = "layout"
	Follow    Action = "follow"

	Answer     Action = "answer"
	Steer      Action = "steer"
	Interrupt  Action = "interrupt"
	Stop       Action = "stop"
	Transcript Action = "transcript"
	Diff       Action = "diff"
	Why        Action = "why"

	Move      Action = "move"
	CarryDown Action = "carry-down"
	CarryUp   Action = "carry-up"
	Claim     Action = "claim"
	Release   Action = "release"
	Create    Action = "new-issue"
	Edit      Action = "edit"
	Browse    Action = "browser"
	Copy      Action = "copy"
	Undo      Action = "undo"

	Pause    Action = "pause"
	Dispatch Action = "dispatch"
	Merge    Action = "merge"
	Request  Action = "request-changes"
	Update   Action = "update"
	TakeOver Action = "take-over"
	StopLoop Action = "stop-loop"
	Fire     Action = "fire"

	Palette Action = "palette"
	Help    Action = "help"
	Redraw  Action = "redraw"
	Suspend Action = "suspend"
	Leave   Action = "leave"
)

// The actions of a field, of a menu and of a confirmation.
const (
	Send      Action = "field-send"
	NewLine   Action = "field-new-line"
	Editor    Action = "field-editor"
	Keep      Action = "field-keep"
	NextField Action = "field-next"
	Choose    Action = "menu-choose"
	MenuUp    Action = "menu-up"
	MenuDown  Action = "menu-down"
	Cancel    Action = "menu-back"
	Yes       Action = "menu-yes"
	No        Action = "menu-no"
)

// Mode says who has the keys.
type Mode string

// The modes with keys of their own (screens.md, Focus and modes).
const (
	Browsing Mode = "browse"
	Typing   Mode = "field"
	Choosing Mode = "menu"
)

// Needed is what an action must find in the subject.
type Needed int

// What an action can need. Who carries it out says in words what is missing.
const (
	NeedsNothing Needed = iota
	NeedsIssue          // a row of the board
	NeedsRun            // a run of this loop, living or over
	NeedsLive           // a worker that lives
	NeedsPull           // an open pull request
	NeedsAsk            // something that waits for a person
)
