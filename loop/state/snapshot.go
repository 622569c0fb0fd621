package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Mode is what the loop is doing as a whole.
type Mode string

// The modes of a loop.
const (
	ModeRunning  Mode = "running"
	ModePaused   Mode = "paused"   // nothing new starts, what runs goes on
	ModeDraining Mode = "draining" // no top-up, finish what runs, then end
	ModeAborting Mode = "aborting" // stopping workers and restoring rows
	ModeStopped  Mode = "stopped"  // ended; workers may go on
)

// Moment is how long the loop may be busy with one thing before whoever waits
// is told with what (screens.md, When there is nothing, or something is wrong).
const Moment = 2 * time.Second

// Snapshot is the whole picture at one moment: immutable, versioned, latest
// wins. What must not be missed (refusals, finished workers, questions) stays
// in it until it is acknowledged or no longer true.
type Snapshot struct {
	Version    uint64    `json:"version"`
	At         time.Time `json:"at"`
	Mode       Mode      `json:"mode"`
	Repository string    `json:"repository"` // name for the title: owner/name, else the folder's name
	Milestones []string  `json:"milestones"`
	Agents     string    `json:"agents,omitempty"` // what works the issues, when it is not the real thing: "scripted agents"

	Rows      []Row     `json:"rows"`     // every open row of the milestones and the done ones, in board order
	PolledAt  time.Time `json:"polledAt"` // when Rows were read; zero before the first poll
	PollError string    `json:"pollError,omitempty"`
	Workers   []Worker  `json:"workers"`            // live first, then those that ended last
	Pulls     []Pull    `json:"pulls"`              // open pull requests
	Requests  []Request `json:"requests,omitempty"` // what workers wait for, oldest first
	Needs     []Need    `json:"needs"`              // what waits for a person, most urgent first
	Pauses    []Pause   `json:"pauses,omitempty"`   // what keeps everything waiting: usage limits, models that do not answer
	Status    string    `json:"status"`             // the one-line status text of the last firing
	Firing    int       `json:"firing"`             // number of the last firing
	Step      string    `json:"step,omitempty"`     // the step under way, empty between firings
	StepSince time.Time `json:"stepSince,omitzero"`
	// Reading is how far the poll under way has come, on a board that is read in
	// several requests; nil when nothing is known of it.
	Reading    *board.Progress `json:"reading,omitempty"`
	NextFiring time.Time       `json:"nextFiring,omitzero"`
	Slots      Slots           `json:"slots"`
	CostToday  float64         `json:"costToday"` // USD, UTC day
	CostCap    float64         `json:"costCap,omitempty"`
	Firings    []Firing        `json:"firings"` // the last ones, newest last
	Log        []Entry         `json:"log"`     // newest last, bounded
	Notices    []Notice        `json:"notices"` // refusals and failures, until acknowledged
}

// Slots says how many workers of each kind run, and how many may.
type Slots struct {
	Developers    int `json:"developers"`
	MaxDevelopers int `json:"maxDevelopers"`
	Reviewers     int `json:"reviewers"`
	MaxReviewers  int `json:"maxReviewers"`
	Cleaners      int `json:"cleaners"`
	MaxCleaners   int `json:"maxCleaners"`
	MaxWorkers    int `json:"maxWorkers"`
}

// Row is one issue as the control room shows it.
type Row struct {
	Issue board.Issue `json:"issue"`
	// Waits is why the row is not worked now, in words; empty when it is
	// worked, or done.
	Waits string `json:"waits,omitempty"`
	// Hold is a machine name for the reason: backlog, question, review,
	// human, agent, blocked, confirm, attention, parent, claim, slots,
	// unreadable, verifying, retry, paused, next, closed.
	Hold string `json:"hold,omitempty"`
	Next bool   `json:"next,omitempty"` // eligible: would start when a slot is free
	Run  string `json:"run,omitempty"`  // id of our live run on it
}

// Worker is one run as the control room shows it.
type Worker struct {
	Run      Run       `json:"run"`
	LastSign time.Time `json:"lastSign,omitzero"`
	Activity string    `json:"activity,omitempty"`
	CostUSD  float64   `json:"costUSD"`
	Tokens   int64     `json:"tokens"`
	Context  int64     `json:"context,omitempty"` // tokens of the conversation at its last request
	Tail     []Line    `json:"tail,omitempty"`
	Lines    int       `json:"lines"`
	Outcome  string    `json:"outcome,omitempty"` // how it was settled, once it is

	Waiting   bool      `json:"waiting,omitempty"`   // interrupted; it waits for the owner's word
	TakenOver bool      `json:"takenOver,omitempty"` // the owner goes on in its session
	Messages  []Message `json:"messages,omitempty"`  // what the owner said to it, oldest first, bounded
	Model     string    `json:"model,omitempty"`
	RSS       int64     `json:"rss,omitempty"`   // bytes that the agent and all below it hold
	Procs     int       `json:"procs,omitempty"` // how many processes that are
}

// Pull is one pull request as the control room shows it.
type Pull struct {
	PR  board.PullRequest `json:"pr"`
	Ref board.Ref         `json:"ref,omitempty"`
}

// NeedKind orders what waits for a person.
type NeedKind string

// What can wait for a person, most urgent first.
const (
	NeedRequest     NeedKind = "request"     // a running worker asks: Request
	NeedInterrupted NeedKind = "interrupted" // a worker stands still and waits for a word
	NeedQuestion    NeedKind = "question"
	NeedAttention   NeedKind = "attention" // given up: needs human attention
	NeedReview      NeedKind = "review"    // a pull request in Human Review
	NeedConfirm     NeedKind = "confirm"   // labelled Confirm with user
	NeedStale       NeedKind = "stale"
)

// Need is one thing that waits for a person.
type Need struct {
	Kind    NeedKind  `json:"kind"`
	Ref     board.Ref `json:"ref"`
	Title   string    `json:"title"`
	Text    string    `json:"text"` // the question in full, or the reason
	PR      string    `json:"pr,omitempty"`
	Run     string    `json:"run,omitempty"`
	Request string    `json:"request,omitempty"` // id of the Request
	Since   time.Time `json:"since"`
}

// Firing is one pass that is over.
type Firing struct {
	N      int           `json:"n"`
	At     time.Time     `json:"at"`
	Why    string        `json:"why"` // what woke it
	Took   time.Duration `json:"took"`
	Status string        `json:"status"` // its status text, or what ended it early
	Bad    bool          `json:"bad,omitempty"`
}

// Entry is one line of the log.
type Entry struct {
	At     time.Time `json:"at"`
	Firing int       `json:"firing"`
	Ref    board.Ref `json:"ref,omitempty"`
	Text   string    `json:"text"`
	Bad    bool      `json:"bad,omitempty"`
}

// Notice is something that must not be missed.
type Notice struct {
	ID   uint64    `json:"id"`
	At   time.Time `json:"at"`
	Ref  board.Ref `json:"ref,omitempty"`
	Text string    `json:"text"`
}

// Worker answers the live worker on a row, if there is one.
func (s *Snapshot) Worker(run string) (Worker, bool) {
	for _, w := range s.Workers {
		if w.Run.ID == run {
			return w, true
		}
	}
	return Worker{}, false
}
