package board

import (
	"fmt"
	"sync/atomic"
)

// Progress is how far the reading of a board has come, as far as the board can
// know.
type Progress struct {
	Board string `json:"board"`           // where it is read: `Linear`
	Page  int    `json:"page,omitempty"`  // the request under way, from 1; 0 where Pages is not known
	Pages int    `json:"pages,omitempty"` // how many there are going to be
	Rows  int    `json:"rows,omitempty"`  // read so far
}

// String is the progress as a person reads it: `GitHub, page 2 of 3`, `Linear,
// 80 rows so far`.
func (p Progress) String() string {
	switch {
	case p.Pages > 0:
		return fmt.Sprintf("%s, page %d of %d", p.Board, p.Page, p.Pages)
	case p.Rows == 1:
		return p.Board + ", 1 row so far"
	}
	return fmt.Sprintf("%s, %d rows so far", p.Board, p.Rows)
}

// Teller is a board that is read in many requests, and says how far it is.
type Teller interface {
	// Tell names who is told from now on; nil is nobody. It is called by whoever
	// reads the board, between two requests, and must not block.
	Tell(who func(Progress))
}

// Telling is a Teller for backends to embed.
type Telling struct {
	who atomic.Pointer[func(Progress)]
}

// Tell implements Teller.
func (t *Telling) Tell(who func(Progress)) {
	if who == nil {
		t.who.Store(nil)
		return
	}
	t.who.Store(&who)
}

// Told passes on how far it is.
func (t *Telling) Told(p Progress) {
	if who := t.who.Load(); who != nil {
		(*who)(p)
	}
}
