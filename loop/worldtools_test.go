package loop_test

import (
	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

func answer(ref board.Ref, text string) state.Command {
	return state.Command{Kind: state.CommandAnswer, Ref: ref, Text: text}
}
