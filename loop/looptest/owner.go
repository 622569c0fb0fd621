package looptest

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
)

// OwnerBoard is a board as the owner's commands to a loop write to it.
type OwnerBoard struct{ Board }

var _ loop.OwnerBoard = OwnerBoard{}

// SetStateName passes the gate as "state".
func (o OwnerBoard) SetStateName(ctx context.Context, ref board.Ref, name string) error {
	return o.Gate.Effect(ctx, "state", ref, func() error { return o.Policy.SetStateName(ctx, ref, name) })
}

// Tick passes the gate as "tick".
func (o OwnerBoard) Tick(ctx context.Context, ref board.Ref, box board.Box) error {
	return o.Gate.Effect(ctx, "tick", ref, func() error { return o.Policy.Tick(ctx, ref, box) })
}

// Label passes the gate as "label".
func (o OwnerBoard) Label(ctx context.Context, ref board.Ref, name string, add bool) error {
	return o.Gate.Effect(ctx, "label", ref, func() error { return o.Policy.Label(ctx, ref, name, add) })
}

// Uncomment passes the gate as "uncomment".
func (o OwnerBoard) Uncomment(ctx context.Context, ref board.Ref, id string) error {
	return o.Gate.Effect(ctx, "uncomment", ref, func() error { return o.Policy.Uncomment(ctx, ref, id) })
}

// Create passes the gate as "create".
func (o OwnerBoard) Create(ctx context.Context, n board.NewIssue) (i board.Issue, err error) {
	err = o.Gate.Effect(ctx, "create", "", func() error { i, err = o.Policy.Create(ctx, n); return err })
	return i, err
}

// Edit passes the gate as "edit".
func (o OwnerBoard) Edit(ctx context.Context, ref board.Ref, e board.Edit) (i board.Issue, err error) {
	err = o.Gate.Effect(ctx, "edit", ref, func() error { i, err = o.Policy.Edit(ctx, ref, e); return err })
	return i, err
}

// Block passes the gate as "block".
func (o OwnerBoard) Block(ctx context.Context, ref, blocker board.Ref, on bool) error {
	return o.Gate.Effect(ctx, "block", ref, func() error { return o.Policy.Block(ctx, ref, blocker, on) })
}

// Place passes the gate as "place".
func (o OwnerBoard) Place(ctx context.Context, ref board.Ref, to board.Place) error {
	return o.Gate.Effect(ctx, "place", ref, func() error { return o.Policy.Place(ctx, ref, to) })
}
