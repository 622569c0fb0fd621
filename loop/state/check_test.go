package state

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

func TestCommandsAreCheckedByTheirKind(t *testing.T) {
	t.Parallel()
	title := "a title"
	for _, c := range []struct {
		name string
		in   Command
		want string // part of the refusal; empty when it is taken
	}{
		{"pause alone", Command{Kind: CommandPause}, ""},
		{"pause with a ref", Command{Kind: CommandPause, Ref: "DSP-1"}, "pause takes no ref"},
		{"nothing", Command{}, `no command ""`},
		{"unknown", Command{Kind: "dance"}, `no command "dance"`},
		{"an answer", Command{Kind: CommandAnswer, Ref: "DSP-1", Text: "a"}, ""},
		{"an answer of blanks", Command{Kind: CommandAnswer, Ref: "DSP-1", Text: " \n"}, "answer needs a text"},
		{"hold without a reason", Command{Kind: CommandHold, Ref: "DSP-1"}, ""},
		{"move", Command{Kind: CommandMove, Ref: "DSP-1", Role: board.RoleReady, From: board.RoleBacklog}, ""},
		{"move nowhere", Command{Kind: CommandMove, Ref: "DSP-1"}, "move needs a role"},
		{"order to the top", Command{Kind: CommandOrder, Ref: "DSP-1", Top: true}, ""},
		{"order nowhere", Command{Kind: CommandOrder, Ref: "DSP-1"}, "exactly one of before, after, top"},
		{"order to two places", Command{Kind: CommandOrder, Ref: "DSP-1", Top: true, After: "DSP-2"}, "exactly one of"},
		{"tick no box", Command{Kind: CommandTick, Ref: "DSP-1", Off: true}, "the number of a box"},
		{"steer by ref", Command{Kind: CommandSteer, Ref: "DSP-1", Text: "slower"}, ""},
		{"steer by run", Command{Kind: CommandSteer, Run: "r1", Text: "slower"}, ""},
		{"steer by both", Command{Kind: CommandSteer, Ref: "DSP-1", Run: "r1", Text: "slower"}, ""},
		{"steer nobody", Command{Kind: CommandSteer, Text: "slower"}, "steer needs one of ref, run"},
		{"allow always", Command{Kind: CommandAllow, Request: "q1", Always: true}, ""},
		{"deny always", Command{Kind: CommandDeny, Request: "q1", Always: true}, "deny takes no always"},
		{"create", Command{Kind: CommandCreate, Issue: &IssueDraft{Title: &title}}, ""},
		{"create under a ref", Command{Kind: CommandCreate, Ref: "DSP-9", Issue: &IssueDraft{Title: &title}}, "create takes no ref"},
		{"create over another", Command{Kind: CommandCreate, Issue: &IssueDraft{Title: &title, Was: &IssueDraft{}}}, "create takes no was"},
		{"edit over what was read", Command{Kind: CommandEdit, Ref: "DSP-1", Issue: &IssueDraft{Title: &title, Was: &IssueDraft{}}}, ""},
		{"undo the last", Command{Kind: CommandUndo}, ""},
		{"merge by force", Command{Kind: CommandMerge, PR: "#3", Head: "abc", Force: true}, ""},
		{"merge for a row", Command{Kind: CommandMerge, PR: "#3", Ref: "DSP-1"}, ""},
		{"merge an issue", Command{Kind: CommandMerge, Ref: "DSP-1"}, "merge needs a pull request"},
		{"request by force", Command{Kind: CommandRequest, PR: "#3", Text: "no", Force: true}, "request takes no force"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.in.Check()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("refused with %v, want %q", err, c.want)
			}
		})
	}
}
