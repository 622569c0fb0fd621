package looptest

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
)

// Gate is what a world puts between a loop and its board: each call passes it
// under its name and with the row it is about, if it is about one. The gate
// carries the call out, fails, or lets the loop die, as the world says.
type Gate interface {
	// Read passes "poll" and "issue", which change nothing.
	Read(ctx context.Context, name string, ref board.Ref, do func() error) error
	// Effect passes a write: "state", "comment", "link", "answer", "claim",
	// "renew", "assign" or "release"; of the owner also "tick", "label",
	// "uncomment", "create", "edit", "block" or "place".
	Effect(ctx context.Context, name string, ref board.Ref, do func() error) error
}

// Board is a board as a loop has it, under one actor and behind a gate.
type Board struct {
	Gate   Gate
	Policy *board.Policy
}

var _ loop.Board = Board{}

// Poll passes the gate as "poll".
func (b Board) Poll(ctx context.Context, q board.Query) (rows []board.Issue, err error) {
	err = b.Gate.Read(ctx, "poll", "", func() error { rows, err = b.Policy.Poll(ctx, q); return err })
	return rows, err
}

// Issue passes the gate as "issue".
func (b Board) Issue(ctx context.Context, ref board.Ref) (i board.Issue, err error) {
	err = b.Gate.Read(ctx, "issue", ref, func() error { i, err = b.Policy.Issue(ctx, ref); return err })
	return i, err
}

// As is the same board under another actor.
func (b Board) As(a board.Actor) (loop.Writes, loop.Claims) {
	out := Board{b.Gate, b.Policy.As(a)}
	return out, out
}

// SetStateFrom passes the gate as "state".
func (b Board) SetStateFrom(ctx context.Context, ref board.Ref, role, from board.Role) error {
	return b.Gate.Effect(ctx, "state", ref, func() error { return b.Policy.SetStateFrom(ctx, ref, role, from) })
}

// Comment passes the gate as "comment".
func (b Board) Comment(ctx context.Context, ref board.Ref, as board.ActorKind, body string) (c board.Comment, err error) {
	err = b.Gate.Effect(ctx, "comment", ref, func() error { c, err = b.Policy.Comment(ctx, ref, as, body); return err })
	return c, err
}

// LinkPR passes the gate as "link".
func (b Board) LinkPR(ctx context.Context, ref board.Ref, pr string) error {
	return b.Gate.Effect(ctx, "link", ref, func() error { return b.Policy.LinkPR(ctx, ref, pr) })
}

// Answer passes the gate as "answer".
func (b Board) Answer(ctx context.Context, ref board.Ref, body string, to board.Role) error {
	return b.Gate.Effect(ctx, "answer", ref, func() error { return b.Policy.Answer(ctx, ref, body, to) })
}

// Claim passes the gate as "claim", or as "renew" when it keeps a claim up.
func (b Board) Claim(ctx context.Context, ref board.Ref, req board.ClaimRequest) (c board.Claim, err error) {
	name := "claim"
	if req.Renew {
		name = "renew"
	}
	err = b.Gate.Effect(ctx, name, ref, func() error { c, err = b.Policy.Claim(ctx, ref, req); return err })
	return c, err
}

// Assign passes the gate as "assign".
func (b Board) Assign(ctx context.Context, ref board.Ref, to board.Delegate) error {
	return b.Gate.Effect(ctx, "assign", ref, func() error { return b.Policy.Assign(ctx, ref, to) })
}

// Release passes the gate as "release".
func (b Board) Release(ctx context.Context, ref board.Ref, session string) error {
	return b.Gate.Effect(ctx, "release", ref, func() error { return b.Policy.Release(ctx, ref, session) })
}
