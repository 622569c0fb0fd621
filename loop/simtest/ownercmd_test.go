package simtest

import (
	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/state"
)

// command is one of a kind that the owner gives about a row.
func (s *sim) command(k state.CommandKind, i *board.Issue) state.Command {
	c := state.Command{Kind: k}
	switch k {
	case state.CommandHold, state.CommandUnhold, state.CommandRetry, state.CommandStop, state.CommandAnswer, state.CommandComment:
		c.Ref, c.Text = i.Ref, "because"
	case state.CommandMove:
		c.Ref, c.Role = i.Ref, board.Roles()[s.dice.IntN(len(board.Roles()))]
	case state.CommandTouch, state.CommandDispatch, state.CommandRelease:
		c.Ref = i.Ref
	default: // about no row
	}
	return c
}

// board is the board of a process, under one actor.
func (p *process) board(a board.Actor) looptest.Board {
	return looptest.Board{Gate: gateOf{p}, Policy: p.s.as(a)}
}

// owner is the board as the owner's commands write to it.
func (p *process) owner() loop.OwnerBoard {
	return looptest.OwnerBoard{Board: p.board(board.Actor{Kind: board.ActorOwner, Name: "ann"})}
}
