package board

import (
	"context"
	"fmt"
	"strings"
)

// Policy is a board with the rules applied: the only way the command line and
// the loop write to one. It reads a row before it writes to it, refuses what
// the actor may not do with an error that wraps ErrForbidden and says why, and
// passes the rest on. It is safe for use by several goroutines.
type Policy struct {
	backend Backend
	actor   Actor
	opts    PolicyOptions
}

// PolicyOptions is what the rules need from elsewhere.
type PolicyOptions struct {
	// Merged says whether a pull request of the issue is merged. It is asked
	// before every move by an agent, the loop included; nil knows of no pull
	// request.
	Merged func(ctx context.Context, i Issue) (bool, error)
}

// NewPolicy wraps a backend for one actor.
func NewPolicy(backend Backend, actor Actor, opts PolicyOptions) *Policy {
	return &Policy{backend: backend, actor: actor, opts: opts}
}

// As is the same board for another actor.
func (p *Policy) As(actor Actor) *Policy {
	return &Policy{backend: p.backend, actor: actor, opts: p.opts}
}

// Actor is who this policy writes as.
func (p *Policy) Actor() Actor { return p.actor }

// Poll answers the rows that q asks for, in board order.
func (p *Policy) Poll(ctx context.Context, q Query) ([]Issue, error) { return p.backend.Poll(ctx, q) }

// rowReader is a board that reads one row for less than the whole of it:
// without children and without which blockers are open. No rule about a write
// asks for those.
type rowReader interface {
	Row(ctx context.Context, ref Ref) (Issue, error)
}

// Row answers one row as a write judges it: at the cost of one row, but maybe
// without its children and without which of its blockers are open.
func (p *Policy) Row(ctx context.Context, ref Ref) (Issue, error) {
	if r, ok := p.backend.(rowReader); ok {
		return r.Row(ctx, ref)
	}
	return p.backend.Issue(ctx, ref)
}

// Issue answers one row, whole.
func (p *Policy) Issue(ctx context.Context, ref Ref) (Issue, error) {
	return p.backend.Issue(ctx, ref)
}

// States lists the board's columns in order.
func (p *Policy) States(ctx context.Context) ([]State, error) { return p.backend.States(ctx) }

// Milestones lists the board's milestones, with NoMilestone last.
func (p *Policy) Milestones(ctx context.Context) ([]Milestone, error) {
	return p.backend.Milestones(ctx)
}

// ParseRef answers the canonical form of a ref in any case.
func (p *Policy) ParseRef(s string) (Ref, error) { return p.backend.ParseRef(s) }

// RoleState is the board's name of the state that has the role.
func (p *Policy) RoleState(r Role) (string, bool) { return p.backend.RoleState(r) }

// SetState moves a row to the state that has the role.
func (p *Policy) SetState(ctx context.Context, ref Ref, role Role) error {
	return p.SetStateFrom(ctx, ref, role, RoleNone)
}

// SetStateFrom is SetState for a row that must still have the role from, or
// be there already; it fails with ErrChanged otherwise. RoleNone is any.
func (p *Policy) SetStateFrom(ctx context.Context, ref Ref, role, from Role) error {
	name, ok := p.backend.RoleState(role)
	if !ok {
		return fmt.Errorf("move %s to %s: %w: no state of this board has that role", ref, role.Word(), ErrNotFound)
	}
	return p.move(ctx, ref, State{Name: name, Role: role, Closed: role.Closed()}, from)
}

// SetStateName moves a row to a state named by its role, by an alias, or by
// the board's own name in any case (dispatcher-system.md, CLI, state).
func (p *Policy) SetStateName(ctx context.Context, ref Ref, name string) error {
	if role, ok := ParseRole(name); ok {
		return p.SetState(ctx, ref, role)
	}
	states, err := p.backend.States(ctx)
	if err != nil {
		return fmt.Errorf("move %s to %s: %w", ref, quoteState(name), err)
	}
	names := make([]string, 0, len(states))
	for _, s := range states {
		if equalFold(s.Name, strings.TrimSpace(name)) {
			return p.move(ctx, ref, s, RoleNone)
		}
		names = append(names, s.Name)
	}
	return fmt.Errorf("move %s to %s: %w: the states are %s", ref, quoteState(name), ErrNotFound, strings.Join(names, ", "))
}

func (p *Policy) move(ctx context.Context, ref Ref, to State, from Role) error {
	i, err := p.Row(ctx, ref)
	if err == nil {
		err = p.mayMoveNow(ctx, &i, to, from)
	}
	if err != nil {
		return fmt.Errorf("move %s to %s: %w", ref, to.Name, err)
	}
	if equalFold(i.State, to.Name) {
		return nil
	}
	return p.backend.SetState(ctx, p.actor, i.Ref, to.Name, i.Role)
}

// mayMoveNow holds a move to the table, to the state that was expected, and
// to the pull request: a merged one stops every move by an agent
// (dispatcher-system.md, Transitions).
func (p *Policy) mayMoveNow(ctx context.Context, i *Issue, to State, from Role) error {
	if from != RoleNone && i.Role != from && i.Role != to.Role {
		return fmt.Errorf("%w: it is in %s", ErrChanged, i.State)
	}
	if err := MayMove(p.actor, i, to.Role, to.Closed); err != nil {
		return err
	}
	if p.opts.Merged == nil || p.actor.Kind == ActorOwner || p.actor.Kind == ActorAutomation {
		return nil
	}
	merged, err := p.opts.Merged(ctx, *i)
	if err != nil {
		return fmt.Errorf("look whether its pull request is merged: %w", err)
	}
	if merged {
		return ErrMerged
	}
	return nil
}

// Claim takes or renews a row for a session and answers the claim that stands.
func (p *Policy) Claim(ctx context.Context, ref Ref, req ClaimRequest) (Claim, error) {
	i, err := p.Row(ctx, ref)
	if err == nil {
		err = p.mayClaimNow(&i, req)
	}
	if err != nil {
		return Claim{}, fmt.Errorf("claim %s: %w", ref, err)
	}
	return p.backend.Claim(ctx, p.actor, i.Ref, req)
}

// mayClaimNow lets a renewal through where a new claim would be refused: a row
// that was parked or moved keeps its heartbeat until it is released.
func (p *Policy) mayClaimNow(i *Issue, req ClaimRequest) error {
	if req.Renew && !p.actor.Worker() && i.Unreadable == "" && i.Delegate.Ours() {
		return nil
	}
	return MayClaim(p.actor, i)
}

// Assign hands the row to an agent phase: it moves the delegate and deletes
// the claim.
func (p *Policy) Assign(ctx context.Context, ref Ref, to Delegate) error {
	i, err := p.Row(ctx, ref)
	if err == nil {
		err = MayClaim(p.actor, &i)
	}
	if err == nil && to != DelegateDeveloper && to != DelegateReviewer {
		err = refuse("a row is assigned to the developer or the reviewer")
	}
	if err != nil {
		return fmt.Errorf("assign %s: %w", ref, err)
	}
	return p.backend.Assign(ctx, p.actor, i.Ref, to)
}

// Release deletes the claim and clears delegate and assignee. With a session,
// another session's claim is left alone; a row without a claim is still
// cleared (dispatcher-system.md, Claims).
func (p *Policy) Release(ctx context.Context, ref Ref, session string) error {
	i, err := p.Row(ctx, ref)
	if err == nil {
		err = mayRelease(p.actor, &i)
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", ref, err)
	}
	return p.backend.Release(ctx, p.actor, i.Ref, session)
}
