package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Every kind of command has its words, and each text comes out whole.
func TestEveryCommandHasItsWords(t *testing.T) {
	t.Parallel()
	// Of these nothing is said: the picture shows them, or nobody asked aloud.
	quiet := []state.CommandKind{state.CommandDrain, state.CommandAbort, state.CommandLeave, state.CommandAck, state.CommandTouch}
	for _, kind := range state.CommandKinds() {
		w, ok := wordings[kind]
		if !ok {
			t.Errorf("the room has no words for the command %q", kind)
			continue
		}
		c := state.Command{Kind: kind, Ref: "ACM-1", PR: "#3", Role: board.RoleReady}
		for what, text := range map[string]string{"verb": w.verb, "busy": w.busy, "said": worded(w.said, &c), "many": wordedMany(&c, 2)} {
			if strings.ContainsAny(text, "{}") || what == "verb" && text == "" {
				t.Errorf("%s: %s is %q", kind, what, text)
			}
		}
		if (w.said == "") != slices.Contains(quiet, kind) {
			t.Errorf("%s: %q is said once it is taken", kind, w.said)
		}
		if w.done != nil && w.busy == "" {
			t.Errorf("%s waits for a picture and shows nothing", kind)
		}
	}
	for kind := range wordings {
		if !slices.Contains(state.CommandKinds(), kind) {
			t.Errorf("there are words for %q, which no loop knows", kind)
		}
	}
}

// What is under way on a row ends with the picture that shows it, and a row
// that has left the picture is waited for no longer.
func TestWhatIsUnderWayEndsWithThePicture(t *testing.T) {
	t.Parallel()
	human := board.Issue{Ref: "A-1", Role: board.RoleReady, Assignee: "olive"}
	claimed := board.Issue{Ref: "A-1", Role: board.RoleInProgress, Claim: &board.Claim{}}
	plain := board.Issue{Ref: "A-1", Role: board.RoleReady}
	of := func(r state.Row) *state.Snapshot { return &state.Snapshot{Rows: []state.Row{r}} }
	at := func(role board.Role) *state.Snapshot {
		return of(state.Row{Issue: board.Issue{Ref: "A-1", Role: role}})
	}
	works := func(w state.Worker) *state.Snapshot {
		w.Run.ID, w.Run.Ref, w.Run.Phase = "r1", "A-1", state.PhaseRunning
		return &state.Snapshot{Rows: []state.Row{{Issue: claimed, Run: "r1"}}, Workers: []state.Worker{w}}
	}
	pulls := of(state.Row{Issue: plain})
	pulls.Pulls = []state.Pull{{Ref: "A-1", PR: board.PullRequest{Name: "#3", State: board.PullOpen}}}
	cases := map[state.CommandKind]struct{ before, after *state.Snapshot }{
		state.CommandMove:      {at(board.RoleBacklog), at(board.RoleReady)},
		state.CommandAnswer:    {at(board.RoleQuestion), at(board.RoleReady)},
		state.CommandRequest:   {at(board.RoleHumanReview), at(board.RoleChangesRequested)},
		state.CommandHold:      {of(state.Row{Issue: plain}), of(state.Row{Issue: plain, Hold: "held"})},
		state.CommandUnhold:    {of(state.Row{Issue: plain, Hold: "held"}), of(state.Row{Issue: plain})},
		state.CommandRetry:     {of(state.Row{Issue: plain, Hold: "attention"}), of(state.Row{Issue: plain})},
		state.CommandStop:      {of(state.Row{Issue: plain, Run: "r1"}), of(state.Row{Issue: plain})},
		state.CommandDispatch:  {of(state.Row{Issue: plain}), of(state.Row{Issue: plain, Run: "r1"})},
		state.CommandClaim:     {of(state.Row{Issue: plain}), of(state.Row{Issue: human})},
		state.CommandRelease:   {of(state.Row{Issue: claimed}), of(state.Row{Issue: plain})},
		state.CommandInterrupt: {works(state.Worker{}), works(state.Worker{Waiting: true})},
		state.CommandTakeOver:  {works(state.Worker{}), works(state.Worker{TakenOver: true})},
		state.CommandMerge:     {pulls, of(state.Row{Issue: plain})},
	}
	for kind, w := range wordings {
		c, ok := cases[kind]
		if ok != (w.done != nil) {
			t.Errorf("%s: a picture ends it: %v, and it is tested here: %v", kind, w.done != nil, ok)
			continue
		}
		if !ok {
			continue
		}
		cmd := state.Command{Kind: kind, Ref: "A-1", Role: board.RoleReady}
		if w.done(c.before, &cmd) || !w.done(c.after, &cmd) || !w.done(&state.Snapshot{}, &cmd) {
			t.Errorf("%s: done before %v, after %v, without the row %v", kind, w.done(c.before, &cmd), w.done(c.after, &cmd), w.done(&state.Snapshot{}, &cmd))
		}
	}
}
