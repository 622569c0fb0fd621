package state

import "time"

// Contact is what a room in another process knows of its contact with the loop.
type Contact struct {
	Lost  time.Time // since when there is none; zero while there is
	Again time.Time // when it is tried again
	Why   string
	// Refused says that there is a loop, which does not talk to this room: what
	// helps stands in Why.
	Refused bool
}
