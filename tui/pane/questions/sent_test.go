package questions

import (
	"testing"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Each kind of command is an answer to what its row says, and to nothing else;
// a new kind has to say which.
func TestWhichCommandsAnswer(t *testing.T) {
	t.Parallel()
	const none = state.NeedKind("")
	of := map[state.CommandKind]state.NeedKind{
		state.CommandAllow: state.NeedRequest, state.CommandDeny: state.NeedRequest, state.CommandReply: state.NeedRequest,
		state.CommandAnswer: state.NeedQuestion, state.CommandSteer: state.NeedInterrupted, state.CommandRetry: state.NeedAttention,
		state.CommandHold: state.NeedAttention, state.CommandUnhold: state.NeedAttention, state.CommandMerge: state.NeedReview,
		state.CommandRequest: state.NeedReview, state.CommandLabel: state.NeedConfirm, state.CommandRelease: state.NeedStale,

		state.CommandFire: none, state.CommandPause: none, state.CommandResume: none, state.CommandDrain: none, state.CommandAbort: none,
		state.CommandLeave: none, state.CommandAck: none, state.CommandStop: none, state.CommandInterrupt: none, state.CommandTakeOver: none,
		state.CommandHandBack: none, state.CommandMove: none, state.CommandOrder: none, state.CommandTick: none, state.CommandComment: none,
		state.CommandClaim: none, state.CommandDispatch: none, state.CommandCreate: none, state.CommandEdit: none, state.CommandUndo: none,
		state.CommandTouch: none, state.CommandUpdatePR: none,
	}
	needs := []state.NeedKind{
		state.NeedRequest, state.NeedInterrupted, state.NeedQuestion, state.NeedAttention, state.NeedReview, state.NeedConfirm, state.NeedStale,
	}
	for _, kind := range state.CommandKinds() {
		want, ok := of[kind]
		if !ok {
			t.Errorf("nobody says what the command %q answers", kind)
		}
		for _, k := range needs {
			n := state.Need{Kind: k, Ref: "A-1", PR: "#3", Run: "r1"}
			c := state.Command{Kind: kind, Ref: "A-1", PR: "#3", Run: "r1", Off: true}
			if k == state.NeedRequest {
				n.Request, c.Request = "q1", "q1"
			}
			if got := settles(&c, &n); got != (k == want) {
				t.Errorf("%s answers a %s: %v", kind, k, got)
			}
			n.Ref, n.PR, n.Run, n.Request = "A-2", "#4", "r2", "q2"
			if settles(&c, &n) {
				t.Errorf("%s answers the %s of another row", kind, k)
			}
		}
	}
}
