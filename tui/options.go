package tui

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/attention"
)

// Controller is a loop as the control room sees it: in this process, or behind
// a socket.
type Controller interface {
	// Send asks the loop for something and answers what it did, or its refusal.
	Send(ctx context.Context, c state.Command) (state.Done, error)
	// Snapshots answers the one channel on which pictures arrive, the latest
	// wins. It is closed when there is no contact with the loop any more.
	Snapshots() <-chan *state.Snapshot
}

// Options is what a control room is made from.
type Options struct {
	Controller Controller
	// Reader answers what is read on demand; nil where nothing does.
	Reader Reader
	// Now is the clock; time.Now if nil. Its location is the one in which
	// times of day are shown.
	Now func() time.Time
	// Look is how the person before it likes the room.
	Look Look
	// Attention is how it calls for them.
	Attention attention.Options
	// Crashed keeps what is known of a room that broke, and answers where.
	Crashed func(Crash) (path string, err error)
	// Kept are the drafts of an earlier room on this board, Keep writes them
	// down; nil where drafts end with the room. Keep is called in commands, one
	// at a time, and once more at the end.
	Kept map[string]string
	Keep func(drafts map[string]string) error
	// Editor takes a text into the owner's editor; nil without one.
	Editor Editor
	// Session opens a worker's session for its owner; nil where only the loop is
	// asked for it.
	Session Session
	// Browse opens a page; nil where nothing can.
	Browse func(url string) error
	// Suspend stops this process until the shell behind it lets it go on; nil
	// where no shell stands behind the screen.
	Suspend func()
	// Background says that leaving hands the loop to a process in the
	// background.
	Background bool
	// Contacts tells of the contact with a loop in another process; nil for one
	// in this.
	Contacts <-chan state.Contact
	// Attached says that the loop is another process: leaving only leaves.
	Attached bool
}

// Leave is how the control room was left.
type Leave string

// The ways out of the control room.
const (
	LeaveWorkers  Leave = "leave"  // the loop ended, its workers go on
	LeaveDrained  Leave = "drain"  // the loop ended after its workers
	LeaveAborted  Leave = "abort"  // workers stopped, rows restored
	LeaveDetached Leave = "detach" // the loop goes on elsewhere
	LeaveEnded    Leave = "ended"  // the loop had ended by itself
	// LeaveSuspended is LeaveWorkers of an owner who comes back: the loop is to
	// go on in the background, and the room on it once the shell lets it.
	LeaveSuspended Leave = "suspend"
	LeaveLost      Leave = "lost" // terminal, loop or context went away
)

// frameEvery is how often a changed picture is taken at most: pictures that
// arrive faster are skipped, the latest wins.
const frameEvery = 33 * time.Millisecond

// slowEvery is the same on a slow line, and slowFrames how often a second the
// screen is written there.
const (
	slowEvery  = 250 * time.Millisecond
	slowFrames = 4
)

// toastFor is how long a passing message stands in place of the subject.
const toastFor = 4 * time.Second

// restFor is how long acting keys rest after what they acted on has gone.
const restFor = 500 * time.Millisecond

// busyFor is how long something is shown as under way at most.
const busyFor = 30 * time.Second

// ackAfter is how long a notice must have stood before a key dismisses it: a
// key that was on its way when it appeared must not.
const ackAfter = time.Second

// sendWithin bounds how long a command may take to be accepted.
const sendWithin = 10 * time.Second
