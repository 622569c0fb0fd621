package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// EventKind names what happened.
type EventKind string

// What a loop tells of itself while it happens. All of it is in the snapshot,
// too: an event is for those who wait for something.
const (
	EventMode       EventKind = "mode"       // the loop is paused, drains, ended
	EventFiring     EventKind = "firing"     // a pass is over; Text is its status
	EventClaimed    EventKind = "claimed"    // a row is taken for a run
	EventStarted    EventKind = "started"    // its worker lives
	EventFinished   EventKind = "finished"   // its worker has ended
	EventRouted     EventKind = "routed"     // how the run was settled
	EventQuestion   EventKind = "question"   // a row or a running worker asks its owner
	EventPermission EventKind = "permission" // a running worker asks whether it may
	EventGaveUp     EventKind = "gave-up"    // a row needs its owner's attention
	EventLimit      EventKind = "limit"      // money or the account's quota is spent
	EventNotice     EventKind = "notice"     // what must not be missed
	EventGap        EventKind = "gap"        // the reader was too slow: events are left out here
)

// EventKinds lists every kind of event.
func EventKinds() []EventKind {
	return []EventKind{
		EventMode, EventFiring, EventClaimed, EventStarted, EventFinished, EventRouted, EventQuestion, EventPermission,
		EventGaveUp, EventLimit, EventNotice, EventGap,
	}
}

// Event is one thing that happened. Numbers begin with 1 in each loop and grow
// by one.
type Event struct {
	N      uint64     `json:"n"`
	At     time.Time  `json:"at"`
	Kind   EventKind  `json:"kind"`
	Ref    board.Ref  `json:"ref,omitempty"`
	Run    string     `json:"run,omitempty"`
	Worker board.Kind `json:"worker,omitempty"`
	Text   string     `json:"text,omitempty"`
}
