package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// doClaim gives a row to the owner: whoever held it lets go first.
func (e *Engine) doClaim(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	who := firstOf(e.o.Owner, "owner")
	was, err := e.d.Board.Issue(ctx, c.Ref)
	switch {
	case err != nil:
		return state.Done{}, nil, err
	case was.Closed:
		return state.Done{}, nil, fmt.Errorf("claim %s: %w: it is closed", c.Ref, board.ErrForbidden)
	case was.HumanOwned() && was.Assignee == who:
		return state.Done{Text: fmt.Sprintf("%s is yours already", c.Ref)}, nil, nil
	}
	if was.Claim != nil || was.Delegate != board.DelegateNone {
		if err := o.Release(ctx, c.Ref, ""); err != nil {
			return state.Done{}, nil, err
		}
	}
	if _, err := o.Edit(ctx, c.Ref, board.Edit{Assignee: &who}); err != nil {
		return state.Done{}, nil, e.halfTaken(ctx, &was, err)
	}
	done := state.Done{Text: fmt.Sprintf("%s is yours; no agent works on it until you release it", c.Ref)}
	if was.Claim != nil {
		return done, nil, nil // whoever held it is stopped
	}
	return done, &undoable{ref: c.Ref, what: "that you took " + string(c.Ref), do: func(ctx context.Context) (string, error) {
		now, err := e.d.Board.Issue(ctx, c.Ref)
		if err != nil {
			return "", err
		}
		if now.Assignee != who {
			return "", builtOn("%s is not assigned to %s any more", c.Ref, who)
		}
		before := was.Assignee
		if _, err := o.Edit(ctx, c.Ref, board.Edit{Assignee: &before}); err != nil {
			return "", err
		}
		if was.Delegate != board.DelegateNone { // what was next on it is next again
			_, claims := e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
			err = claims.Assign(ctx, c.Ref, was.Delegate)
		}
		return fmt.Sprintf("%s is as it was", c.Ref), err
	}}, nil
}

// takeAgainWithin is how long a row is left alone that its owner wanted and did
// not get.
const takeAgainWithin = 10 * time.Minute

// halfTaken makes good that a row was let go of and could not be given to its
// owner: who was next on it is so again, and where a claim is gone the loop
// leaves the owner the time to take it once more.
func (e *Engine) halfTaken(ctx context.Context, was *board.Issue, why error) error {
	switch {
	case was.Claim == nil && was.Delegate == board.DelegateNone:
		return why
	case was.Claim == nil:
		_, claims := e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
		if err := claims.Assign(ctx, was.Ref, was.Delegate); err == nil {
			return fmt.Errorf("%w; it is as it was", why)
		}
	}
	e.graces.set(was.Ref, plan.Touch{Did: "wanted to take", Until: e.o.Now().Add(takeAgainWithin)})
	return fmt.Errorf("%w; whoever held it has let go, and nobody has it: take it again, the loop leaves it alone for ten minutes", why)
}

// doRelease lets a row go, whoever holds it.
func (e *Engine) doRelease(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, was, err := e.ownersRow(ctx, c.Ref)
	if err != nil {
		return state.Done{}, nil, err
	}
	if was.Claim == nil && was.Delegate == board.DelegateNone && was.Assignee == "" {
		return state.Done{Text: fmt.Sprintf("nobody holds %s", c.Ref)}, nil, nil
	}
	if err := o.Release(ctx, c.Ref, ""); err != nil {
		return state.Done{}, nil, err
	}
	return state.Done{Text: fmt.Sprintf("%s is released", c.Ref)}, nil, nil
}

// doCreate makes a new issue.
func (e *Engine) doCreate(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	d := c.Issue
	n := board.NewIssue{Labels: d.Labels, Blockers: d.Blockers}
	for to, from := range map[*string]*string{&n.Title: d.Title, &n.Body: d.Body, &n.Milestone: d.Milestone} {
		if from != nil {
			*to = *from
		}
	}
	if d.Milestone == nil && len(e.o.Milestones) > 0 {
		n.Milestone = e.o.Milestones[0]
	}
	made, err := o.Create(ctx, n)
	if err != nil {
		return state.Done{}, nil, err
	}
	return state.Done{Ref: made.Ref, Text: fmt.Sprintf("%s: new in %s", made.Ref, made.State)}, nil, nil
}

// doEdit changes the text and the belongings of a row.
func (e *Engine) doEdit(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, was, err := e.ownersRow(ctx, c.Ref)
	if err != nil {
		return state.Done{}, nil, err
	}
	d := c.Issue
	if d.Was != nil && !stands(d.Was, &was) {
		return state.Done{}, nil, fmt.Errorf("%s was edited by somebody else meanwhile; look at it again", c.Ref)
	}
	edit := board.Edit{Title: d.Title, Body: d.Body, Milestone: d.Milestone}
	if d.Labels != nil {
		edit.AddLabels, edit.RemoveLabels = difference(d.Labels, was.Labels), difference(was.Labels, d.Labels)
	}
	if _, err := o.Edit(ctx, c.Ref, edit); err != nil {
		return state.Done{}, nil, err
	}
	if err := reblock(ctx, o, &was, d.Blockers); err != nil {
		return state.Done{}, nil, fmt.Errorf("the text of %s is changed, its blockers are not all: %w", c.Ref, err)
	}
	return state.Done{Text: fmt.Sprintf("%s is changed", c.Ref)}, nil, nil
}

// stands says whether an issue still is what an edit began with, in the fields
// that it names.
func stands(then *state.IssueDraft, now *board.Issue) bool {
	for was, is := range map[*string]string{then.Title: now.Title, then.Body: now.Body, then.Milestone: now.Milestone} {
		if was != nil && strings.TrimSpace(*was) != strings.TrimSpace(is) {
			return false
		}
	}
	blockers := make([]board.Ref, 0, len(now.Blockers))
	for _, b := range now.Blockers {
		blockers = append(blockers, b.Ref)
	}
	return same(then.Labels, now.Labels) && same(then.Blockers, blockers)
}

// same says whether a list holds what it did; nil was not looked at.
func same[S ~string](then, now []S) bool {
	return then == nil || len(difference(then, now)) == 0 && len(difference(now, then)) == 0
}

// reblock makes the given issues all that hold a row back; nil leaves them.
func reblock(ctx context.Context, o OwnerBoard, was *board.Issue, want []board.Ref) error {
	if want == nil {
		return nil
	}
	var have []board.Ref
	for _, b := range was.Blockers {
		have = append(have, b.Ref)
	}
	var errs []error
	for _, ref := range difference(want, have) {
		errs = append(errs, o.Block(ctx, was.Ref, ref, true))
	}
	for _, ref := range difference(have, want) {
		errs = append(errs, o.Block(ctx, was.Ref, ref, false))
	}
	return errors.Join(errs...)
}

// difference are the names in a that are not in b, compared without case.
func difference[S ~string](a, b []S) []S {
	var out []S
	for _, s := range a {
		if !slices.ContainsFunc(b, func(t S) bool { return strings.EqualFold(string(s), string(t)) }) {
			out = append(out, s)
		}
	}
	return out
}
