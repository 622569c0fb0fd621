package simtest

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
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

// ownerOf is the board as the owner's commands write to it. This board keeps
// its text, its order and its comments.
type ownerOf struct{ boardOf }

func (p *process) owner() loop.OwnerBoard {
	return ownerOf{boardOf{p: p, as: p.s.as(board.Actor{Kind: board.ActorOwner, Name: "ann"})}}
}

func (o ownerOf) SetStateName(ctx context.Context, ref board.Ref, name string) error {
	return o.p.effect("state", func() error { return o.as.SetStateName(ctx, ref, name) })
}

func (o ownerOf) Tick(ctx context.Context, ref board.Ref, box board.Box) error {
	return o.p.effect("tick", func() error { return o.as.Tick(ctx, ref, box) })
}

func (o ownerOf) Label(ctx context.Context, ref board.Ref, name string, add bool) error {
	return o.p.effect("label", func() error { return o.as.Label(ctx, ref, name, add) })
}

func (o ownerOf) Uncomment(ctx context.Context, ref board.Ref, id string) error {
	return o.p.effect("uncomment", func() error { return o.as.Uncomment(ctx, ref, id) })
}

func (o ownerOf) Create(ctx context.Context, n board.NewIssue) (board.Issue, error) {
	return o.as.Create(ctx, n)
}

func (o ownerOf) Edit(ctx context.Context, ref board.Ref, e board.Edit) (board.Issue, error) {
	return o.as.Edit(ctx, ref, e)
}

func (o ownerOf) Block(ctx context.Context, ref, blocker board.Ref, on bool) error {
	return o.as.Block(ctx, ref, blocker, on)
}

func (o ownerOf) Place(ctx context.Context, ref board.Ref, to board.Place) error {
	return o.as.Place(ctx, ref, to)
}
