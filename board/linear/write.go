package linear

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/moves"
)

// lockPause is how long Linear's own locks get before a write is tried again.
const lockPause = 500 * time.Millisecond

// errUnconfirmed is an answer to a write that does not say that it was made.
var errUnconfirmed = fmt.Errorf("%w: Linear does not confirm it", board.ErrUnknownOutcome)

// once sends a mutation. When the answer was lost, or does not confirm it, it
// looks whether the write happened; only where it does not show is it sent again,
// once. The look may be older than the write, so that what Linear says against
// the second sending is no proof against the first: it looks again, and where
// the write never shows its outcome stays unknown.
func (b *Board) once(ctx context.Context, send func() error, happened func() (bool, error)) error {
	err := send()
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.lock() {
		if err := b.o.Pause(ctx, lockPause); err != nil {
			return err
		}
		err = send()
	}
	if !errors.Is(err, board.ErrUnknownOutcome) {
		return err
	}
	if done, look := happened(); done || look != nil {
		return lookedFor(done, err, look)
	}
	again := send()
	if again == nil {
		return nil
	}
	for _, wait := range readBack {
		if stop := b.o.Pause(ctx, wait); stop != nil {
			return board.StillUnknown(err, stop)
		}
		if done, look := happened(); done || look != nil {
			return lookedFor(done, board.StillUnknown(err, again), look)
		}
	}
	return board.StillUnknown(err, again)
}

// lookedFor is what a write of unknown outcome came to after a look.
func lookedFor(done bool, err, look error) error {
	if done {
		return nil
	}
	return errors.Join(err, look)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// update changes an issue and holds the answer against what was wanted. A key
// with nil sends an explicit null, which is how Linear clears.
func (b *Board) update(ctx context.Context, r *row, input IssueUpdateInput, as func(*row) bool) (time.Time, error) {
	var made *issuePayload
	send := func() error {
		var m struct {
			IssueUpdate issuePayload `graphql:"issueUpdate(id: $id, input: $input)"`
		}
		if err := b.client.mutate(ctx, &m, map[string]any{"id": text(r.ID), "input": input}); err != nil {
			return err
		}
		if !m.IssueUpdate.Success || m.IssueUpdate.Issue == nil || m.IssueUpdate.Issue.ID != r.ID {
			return errUnconfirmed
		}
		made = &m.IssueUpdate
		return nil
	}
	var found *row
	err := b.once(ctx, send, func() (bool, error) {
		now, _, err := b.read(ctx, r.ID)
		if err != nil {
			return false, err
		}
		found = now
		return as(now), nil
	})
	switch {
	case err != nil:
		return time.Time{}, err
	case made == nil:
		return found.UpdatedAt, nil // what the answer did not say was found
	}
	b.updated(made)
	p := made.Issue
	after := *r
	after.Description, after.State, after.Assignee, after.Delegate = p.Description, p.State, p.Assignee, p.Delegate
	after.labels, after.labelIDs = labelsOf(p.Labels.Nodes)
	if !as(&after) {
		return p.UpdatedAt, fmt.Errorf("Linear confirms the change with something else: it shows the state %s and the delegate %s",
			board.OneLine(p.State.Name), nameOf(p.Delegate))
	}
	return p.UpdatedAt, nil
}

func nameOf(u *userWire) string {
	if u == nil {
		return "nobody"
	}
	return board.OneLine(u.DisplayName)
}

// SetState moves a row to a state, named in any case. The name is looked up in
// the team's states as they are now.
func (b *Board) SetState(ctx context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	err := b.setState(ctx, by, ref, state, from)
	if err != nil {
		return fmt.Errorf("move %s: %w", ref, err)
	}
	return nil
}

func (b *Board) setState(ctx context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	r, s, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	to, err := s.named(state)
	if err != nil {
		return err
	}
	if from != board.RoleNone && s.roleOf(r.State.ID) != from {
		return fmt.Errorf("%w: it is in %s", board.ErrChanged, board.OneLine(r.State.Name))
	}
	if r.State.ID == to.ID {
		return nil
	}
	note := moves.Move{Issue: r.ID, From: r.State.ID, To: to.ID, By: by.Kind, After: r.UpdatedAt}
	if err := b.moves.Note(ctx, note); err != nil {
		return fmt.Errorf("note who makes the move: %w", err)
	}
	at, err := b.update(ctx, r, IssueUpdateInput{"stateId": to.ID}, func(r *row) bool { return r.State.ID == to.ID })
	if err != nil {
		return err
	}
	note.At = at
	// The move is made. Without its time the first note stands for it.
	_ = b.moves.Note(ctx, note)
	return nil
}

// Tick sets or clears a checkbox of the description. The description is read
// first: every other character stays as it is.
func (b *Board) Tick(ctx context.Context, _ board.Actor, ref board.Ref, box board.Box) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return fmt.Errorf("tick a box of %s: %w", ref, err)
	}
	body := ""
	if r.Description != nil {
		body = *r.Description
	}
	next, err := board.Tick(body, box)
	if err != nil {
		return fmt.Errorf("tick a box of %s: %w", ref, err)
	}
	if next == body {
		return nil
	}
	_, err = b.update(ctx, r, IssueUpdateInput{"description": next}, func(r *row) bool {
		return r.Description != nil && sameBoxes(*r.Description, next)
	})
	if err != nil {
		return fmt.Errorf("tick a box of %s: %w", ref, err)
	}
	return nil
}

// sameBoxes compares the boxes alone: Linear may write Markdown in its own way.
func sameBoxes(a, b string) bool {
	return slices.EqualFunc(board.Checkboxes(a), board.Checkboxes(b), func(x, y board.Checkbox) bool { return x.Done == y.Done })
}

// LinkPR attaches a pull request by name or URL; twice is once.
func (b *Board) LinkPR(ctx context.Context, _ board.Actor, ref board.Ref, pr string) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return fmt.Errorf("link %s: %w", board.OneLine(pr), err)
	}
	url, ok := PullURL(b.o.Repository, strings.TrimSpace(pr), b.o.LocalPulls)
	switch {
	case !ok:
		return fmt.Errorf("link a pull request to %s: %w: %q is neither a number nor a URL", ref, board.ErrForbidden, board.OneLine(pr))
	case slices.Contains(r.links, url):
		return nil
	}
	if err := b.attach(ctx, r, url); err != nil {
		return fmt.Errorf("link %s to %s: %w", board.OneLine(pr), ref, err)
	}
	b.linked(r.ID, url)
	return nil
}
