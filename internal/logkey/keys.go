// Package logkey holds the names that values have in the log, each once, and
// the handler that writes the log to a file.
//
// It promises that every process of a repository can append to the same file,
// one JSON object a line, and that what looks like a secret is replaced before
// it is written. It never writes to the terminal and holds no global logger.
package logkey

// What the work is about.
const (
	Ref         = "ref"         // the issue, as its board names it
	Milestone   = "milestone"   // name
	Role        = "role"        // of a row
	From        = "from"        // role, state or address before
	To          = "to"          // role, state or address after
	Label       = "label"       // of an issue
	Actor       = "actor"       // who wrote
	Delegate    = "delegate"    // phase of a row
	Platform    = "platform"    // which board
	Reason      = "reason"      // why, in a phrase
	Hold        = "hold"        // why a row is not dispatched
	Decision    = "decision"    // of the plan
	Disposition = "disposition" // how a run was settled
)

// Runs, claims and processes.
const (
	Run     = "run"     // run id
	Kind    = "kind"    // developer, reviewer or cleaner
	Attempt = "attempt" // number of the try, from 1
	Agent   = "agent"   // profile name
	Session = "session" // the agent's session id
	Epoch   = "epoch"   // of a claim
	Stamp   = "stamp"   // of a claim
	Lease   = "lease"   // end of a claim's lease
	Host    = "host"
	Boot    = "boot"
	PID     = "pid"
	Exit    = "exit" // exit code
	Signal  = "signal"
	Cost    = "cost" // US dollars
	Status  = "status"
	Verdict = "verdict"
)

// Git and pull requests.
const (
	Branch   = "branch"
	Worktree = "worktree" // path
	Head     = "head"     // commit
	Base     = "base"     // branch or commit
	Commit   = "commit"
	Remote   = "remote"
	Pull     = "pull" // number or URL
	Check    = "check"
	Review   = "review"
)

// The machinery.
const (
	Err      = "err"
	Panic    = "panic" // what a recovered goroutine said
	Stack    = "stack"
	Step     = "step"   // of a firing
	Firing   = "firing" // its number
	Wake     = "wake"   // what woke the loop
	Event    = "event"
	Command  = "command" // of the operator, or a program
	Args     = "args"    // of a program; never secrets
	Dir      = "dir"
	Path     = "path"
	Line     = "line"
	Count    = "count"
	Bytes    = "bytes"
	Duration = "duration" // nanoseconds
	Due      = "due"      // a time to come
	Version  = "version"
	URL      = "url"
)
