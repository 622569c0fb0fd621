package ghproject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/moves"
)

// valuePayload is what a write of a field confirms.
type valuePayload struct {
	Item *struct {
		ID string
		valuesWire
	} `graphql:"projectV2Item"`
}

// set writes one field of an item; a nil value clears it. When the answer was
// lost it looks whether the write happened before it is sent again, once.
func (b *Board) set(ctx context.Context, r *row, field string, value ProjectV2FieldValue, happened func(*row) bool) (*valuesWire, error) {
	send := func() (*valuesWire, error) {
		vars := map[string]any{"project": ID(b.o.ProjectID), "item": ID(r.item), "field": ID(field)}
		var got valuePayload
		var err error
		if value == nil {
			var m struct {
				Clear valuePayload `graphql:"clearProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field})"`
			}
			err = b.mutate(ctx, &m, vars)
			got = m.Clear
		} else {
			var m struct {
				Update valuePayload `graphql:"updateProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field, value: $value})"`
			}
			vars["value"] = value
			err = b.mutate(ctx, &m, vars)
			got = m.Update
		}
		if err != nil {
			return nil, err
		}
		if got.Item == nil {
			return nil, fmt.Errorf("%w: GitHub answered without the item", board.ErrUnknownOutcome)
		}
		return &got.Item.valuesWire, nil
	}
	got, err := send()
	if !errors.Is(err, board.ErrUnknownOutcome) {
		return got, err
	}
	now, _, look := b.one(ctx, refOf(r.Number))
	switch {
	case look != nil:
		return nil, errors.Join(err, look)
	case happened(now):
		return &now.values, nil
	}
	lost := err
	got, err = send()
	return got, board.StillUnknown(lost, err)
}

// SetState moves a row to a column, named in any case. The name is looked up in
// the project's options as they are now.
func (b *Board) SetState(ctx context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	if err := b.setState(ctx, by, ref, state, from); err != nil {
		return fmt.Errorf("move %s: %w", ref, err)
	}
	return nil
}

func (b *Board) setState(ctx context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	r, cols, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	i := b.issue(r, cols)
	if from != board.RoleNone && i.Role != from {
		return fmt.Errorf("%w: it is in %s", board.ErrChanged, board.OneLine(i.State))
	}
	now := ""
	if r.values.Status != nil {
		now = r.values.Status.Single.OptionID
	}
	if i.Role == board.RoleQuestion && b.virtual() {
		now = parked
	}
	if b.virtual() && strings.EqualFold(state, virtualQuestion) {
		return b.park(ctx, by, r, cols, now)
	}
	to, err := cols.named(state)
	if err != nil {
		return err
	}
	if now == to.ID {
		return nil
	}
	if now == parked { // the question is over
		if _, err := b.set(ctx, r, cols.claimed, nil, func(n *row) bool { return n.values.ClaimedBy == nil }); err != nil {
			return err
		}
	}
	note := moves.Move{Issue: r.ID, From: now, To: to.ID, By: by.Kind, After: i.StateSince}
	if err := b.moves.Note(ctx, note); err != nil {
		return fmt.Errorf("note who makes the move: %w", err)
	}
	got, err := b.set(ctx, r, cols.status, ProjectV2FieldValue{"singleSelectOptionId": to.ID}, func(n *row) bool {
		return n.values.Status != nil && n.values.Status.Single.OptionID == to.ID
	})
	if err != nil {
		return err
	}
	if got.Status != nil {
		note.At = got.Status.Single.UpdatedAt
		_ = b.moves.Note(ctx, note) // the move is made; without its time the first note stands for it
	}
	return nil
}

// park makes a row a question where no column is one: it stays In Progress, and
// its field says so.
func (b *Board) park(ctx context.Context, by board.Actor, r *row, cols *columns, now string) error {
	if now == parked {
		return nil
	}
	note := moves.Move{Issue: r.ID, From: now, To: parked, By: by.Kind, After: r.UpdatedAt}
	if err := b.moves.Note(ctx, note); err != nil {
		return fmt.Errorf("note who makes the move: %w", err)
	}
	if r.values.Status == nil || cols.roles[r.values.Status.Single.OptionID] != board.RoleInProgress {
		to, err := cols.named(b.o.States[board.RoleInProgress])
		if err != nil {
			return err
		}
		if _, err := b.set(ctx, r, cols.status, ProjectV2FieldValue{"singleSelectOptionId": to.ID}, func(n *row) bool {
			return n.values.Status != nil && n.values.Status.Single.OptionID == to.ID
		}); err != nil {
			return err
		}
	}
	got, err := b.write(ctx, r, cols, parked)
	if err == nil && got.ClaimedBy != nil {
		note.At = got.ClaimedBy.Text.UpdatedAt
		_ = b.moves.Note(ctx, note) // as above
	}
	return err
}

// write puts a text into Claimed By.
func (b *Board) write(ctx context.Context, r *row, cols *columns, text string) (*valuesWire, error) {
	return b.set(ctx, r, cols.claimed, ProjectV2FieldValue{"text": text}, func(n *row) bool {
		return n.values.ClaimedBy != nil && n.values.ClaimedBy.Text.Text == text
	})
}

// Label adds or removes a label that the repository has; twice is once.
func (b *Board) Label(ctx context.Context, _ board.Actor, ref board.Ref, name string, add bool) error {
	if err := b.label(ctx, ref, name, add); err != nil {
		return fmt.Errorf("label %s: %w", ref, err)
	}
	return nil
}

func (b *Board) label(ctx context.Context, ref board.Ref, name string, add bool) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	has := slices.ContainsFunc(r.Labels.Nodes, func(l struct{ ID, Name string }) bool { return strings.EqualFold(l.Name, name) })
	id, err := b.labelID(ctx, name)
	switch {
	case err != nil && !add && !has && errors.Is(err, board.ErrNotFound):
		return nil
	case err != nil:
		return err
	case has == add:
		return nil
	}
	vars := map[string]any{"issue": ID(r.ID), "labels": []ID{ID(id)}}
	if add {
		var m struct {
			Add struct {
				Labelable struct {
					Typename string `graphql:"__typename"`
				}
			} `graphql:"addLabelsToLabelable(input: {labelableId: $issue, labelIds: $labels})"`
		}
		return b.twice(ctx, &m, vars)
	}
	var m struct {
		Remove struct {
			Labelable struct {
				Typename string `graphql:"__typename"`
			}
		} `graphql:"removeLabelsFromLabelable(input: {labelableId: $issue, labelIds: $labels})"`
	}
	return b.twice(ctx, &m, vars)
}

// Tick sets or clears a checkbox of the issue's text; every other character
// stays as it is. When the answer was lost the text is read and ticked again.
func (b *Board) Tick(ctx context.Context, _ board.Actor, ref board.Ref, box board.Box) error {
	err := b.tick(ctx, ref, box)
	if errors.Is(err, board.ErrUnknownOutcome) {
		err = board.StillUnknown(err, b.tick(ctx, ref, box))
	}
	if err != nil {
		return fmt.Errorf("tick a box of %s: %w", ref, err)
	}
	return nil
}

func (b *Board) tick(ctx context.Context, ref board.Ref, box board.Box) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	next, err := board.Tick(r.Body, box)
	if err != nil || next == r.Body {
		return err
	}
	var m struct {
		UpdateIssue struct{ Issue *struct{ ID string } } `graphql:"updateIssue(input: {id: $issue, body: $body})"`
	}
	return b.mutate(ctx, &m, map[string]any{"issue": ID(r.ID), "body": graphqlString(next)})
}

// LinkPR explains itself: GitHub links a pull request by its own text alone
// (dispatcher-system.md, CLI).
func (b *Board) LinkPR(ctx context.Context, _ board.Actor, ref board.Ref, pr string) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return fmt.Errorf("link %s: %w", board.OneLine(pr), err)
	}
	for _, p := range r.ClosedBy.Nodes {
		if p.URL == pr || string(refOf(p.Number)) == pr || fmt.Sprint(p.Number) == pr {
			return nil
		}
	}
	return fmt.Errorf("link %s to %s: %w: on GitHub a pull request is linked by the line `Fixes %s` in its own text, when it goes into the default branch", board.OneLine(pr), ref, board.ErrForbidden, refOf(r.Number))
}
