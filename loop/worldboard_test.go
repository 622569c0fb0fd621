package loop_test

import (
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest/memory"
)

// memoryBoard is the fenced board in memory, which notes what happens to claims
// and states.
type memoryBoard struct {
	*memory.Board

	// log is every change of a claim and a state, for a failed test to print.
	log []string
}

func newMemoryBoard() *memoryBoard {
	b := &memoryBoard{Board: &memory.Board{Now: time.Now, Fenced: true}}
	b.Wrote = b.note
	return b
}

// note keeps a write; the board's lock is held.
func (b *memoryBoard) note(by board.Actor, what string, before, after *board.Issue) {
	if what == "move" || what == "claim" || what == "assign" || what == "release" {
		b.log = append(b.log, fmt.Sprintf("%s %s: %s by %s: %s %q %s to %s %q %s", b.Now().Format("15:04:05.000"), after.Ref, what, by.Kind,
			before.Role.Word(), before.Delegate, holder(before), after.Role.Word(), after.Delegate, holder(after)))
	}
}

func holder(i *board.Issue) string {
	if i.Claim == nil {
		return "unclaimed"
	}
	return fmt.Sprintf("claimed by %s, epoch %d", i.Claim.Session, i.Claim.Epoch)
}
