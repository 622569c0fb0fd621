package loop

import (
	"log/slog"
	"time"

	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Options are how a loop is run.
type Options struct {
	Milestones []string
	Settings   plan.Settings
	Poll       time.Duration // between firings that nothing else woke
	UntilIdle  bool          // end when nothing can happen without a person
	// RestampAfter is how old a stamp may grow before the heart renews it, and
	// HeartEvery how often it looks (design.md, sections 6 and 17).
	RestampAfter, HeartEvery time.Duration
	// SecondLook is how long after a worker's start its claim is looked at once
	// more; zero where the board has a fence.
	SecondLook time.Duration
	StopGrace  time.Duration // how long an effect may take once the loop ends

	Repository string // for the title
	Owner      string // who the owner is, as git knows them
	Agents     string // what works the issues, when it is not the real thing
	Host, Boot string // this machine
	PID        int
	CostCap    float64

	// Jitter answers a random time below the bound, by which pauses that others
	// share are drawn out; nil is none.
	Jitter func(bound time.Duration) time.Duration

	Now   func() time.Time
	NewID func() string   // a new UUID
	Wakes <-chan struct{} // hints that the board changed; may be nil
	Log   *slog.Logger

	// Guard is asked before each firing whether this loop may still be the one
	// of its checkout; an error ends it as leaving does. It may be nil.
	Guard func() error

	// Runs and Firing are what the journal held at the start; Ended are the newest
	// runs of earlier loops, oldest first, which are shown and nothing more.
	Runs   []state.Run
	Ended  []state.Worker
	Firing int
	Paused bool
	Limits map[string]time.Time // usage limits, by kind of agent
	// Notices are what the start has to say, for example a file kept aside.
	Notices []string
}

// End says how a loop ended.
type End struct {
	Idle    bool // nothing more could happen without a person
	Paused  bool // --until-idle on a loop that the owner paused
	Drained bool
	Aborted bool
	Left    int // workers that go on without the loop
	Status  string
	Err     error // why the loop could not go on
}
