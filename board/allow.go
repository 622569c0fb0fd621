package board

import "slices"

// allowed is what a worker process may ask of the command line, by kind
// (design.md, section 11). A command is named by its words, and a name covers
// what stands below it.
var allowed = map[ActorKind][]string{
	ActorDeveloper: {"board tick", "pr", "commit", "token"},
	ActorReviewer:  {"review", "token"},
	ActorCleaner:   {"commit"},
}

// allowedToAll is what every kind of worker may ask; board state is narrowed
// further by MayMove, pulls to its reading half.
var allowedToAll = []string{
	"board issue", "board comment", "board state", "board release",
	"pulls list", "pulls view", "pulls diff", "pulls checks",
	"help", "version",
}

// MayRun says whether the actor may run a command of ours, named without the
// program (`board issue`). Everyone but a worker may run everything; what a
// command then does to a board is Policy's to judge.
func MayRun(by Actor, command string) bool {
	if !by.Worker() {
		return true
	}
	for _, list := range [][]string{allowedToAll, allowed[by.Kind]} {
		if slices.Contains(list, command) {
			return true
		}
	}
	return false
}
