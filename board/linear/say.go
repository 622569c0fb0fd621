package linear

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
)

// Comment adds a comment, under its role's tag where it has one.
func (b *Board) Comment(ctx context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return board.Comment{}, fmt.Errorf("comment on %s: %w", ref, err)
	}
	if as != board.ActorOwner {
		body = cut(body)
	}
	c, err := b.say(ctx, r.ID, tagged(as, body))
	if err != nil {
		return board.Comment{}, fmt.Errorf("comment on %s: %w", ref, err)
	}
	made := board.Comment{ID: c.ID, Role: as, Author: by.Name, Body: body, At: c.CreatedAt, Run: by.Run}
	if c.User != nil {
		made.Author = c.User.DisplayName
	}
	return made, nil
}

// CommentCreateInput makes a comment under an id of ours, so that one whose
// answer was lost can be found, and cannot come into being twice.
type CommentCreateInput struct {
	ID      string `json:"id"`
	IssueID string `json:"issueId"`
	Body    string `json:"body"`
}

// CommentUpdateInput changes a comment's text.
type CommentUpdateInput struct {
	Body string `json:"body"`
}

// say writes a comment.
func (b *Board) say(ctx context.Context, issue, body string) (commentWire, error) {
	in := CommentCreateInput{ID: b.o.NewID(), IssueID: issue, Body: body}
	var made commentWire
	err := b.once(ctx, func() error {
		var m struct {
			CommentCreate commentPayload `graphql:"commentCreate(input: $input)"`
		}
		err := b.client.mutate(ctx, &m, map[string]any{"input": in})
		made = m.CommentCreate.Comment
		if refused, ok := errors.AsType[*RefusedError](err); ok && refused.taken {
			made, err = b.standsAlready(ctx, in)
		} else if err == nil && !m.CommentCreate.of(in.ID) {
			err = errUnconfirmed
		}
		return err
	}, func() (found bool, err error) {
		made, found, err = b.commentByID(ctx, in.ID)
		return found, err
	})
	if err != nil {
		return commentWire{}, err
	}
	b.commented(issue, &made)
	return made, nil
}

// standsAlready is a comment that Linear refuses to make a second time: nobody
// else knows its id, so that it is ours, and is written. What reads do not show
// of it yet is what was sent.
func (b *Board) standsAlready(ctx context.Context, in CommentCreateInput) (commentWire, error) {
	for _, wait := range readBack {
		if err := b.o.Pause(ctx, wait); err != nil {
			return commentWire{}, fmt.Errorf("%w: %w", board.ErrUnknownOutcome, err)
		}
		if c, found, err := b.commentByID(ctx, in.ID); found && err == nil {
			return c, nil
		}
	}
	at := b.budget.serverTime()
	if at.IsZero() {
		at = b.now()
	}
	return commentWire{ID: in.ID, Body: in.Body, CreatedAt: at, UpdatedAt: at, User: &userWire{IsMe: true}}, nil
}

// commentByID looks for one comment.
func (b *Board) commentByID(ctx context.Context, id string) (commentWire, bool, error) {
	var q struct {
		Comment commentWire `graphql:"comment(id: $id)"`
	}
	err := b.client.query(ctx, toRead, &q, map[string]any{"id": text(id)})
	if errors.Is(err, board.ErrNotFound) {
		return commentWire{}, false, nil
	}
	return q.Comment, err == nil, err
}

// reword changes a comment in place.
func (b *Board) reword(ctx context.Context, issue, id, body string) error {
	var made commentWire
	err := b.once(ctx, func() error {
		var m struct {
			CommentUpdate commentPayload `graphql:"commentUpdate(id: $id, input: $input)"`
		}
		err := b.client.mutate(ctx, &m, map[string]any{"id": text(id), "input": CommentUpdateInput{Body: body}})
		made = m.CommentUpdate.Comment
		if err == nil && !m.CommentUpdate.of(id) {
			err = errUnconfirmed
		}
		return err
	}, func() (bool, error) {
		now, found, err := b.commentByID(ctx, id)
		made = now
		return found && now.Body == body, err
	})
	if err != nil {
		return err
	}
	b.commented(issue, &made)
	return nil
}

// unsay deletes a comment. One that is gone already is no error.
func (b *Board) unsay(ctx context.Context, issue, id string) error {
	err := b.once(ctx, func() error {
		var m struct {
			CommentDelete payload `graphql:"commentDelete(id: $id)"`
		}
		err := b.client.mutate(ctx, &m, map[string]any{"id": text(id)})
		return m.CommentDelete.confirmed(err)
	}, func() (bool, error) {
		_, found, err := b.commentByID(ctx, id)
		return !found, err
	})
	if err != nil && !errors.Is(err, board.ErrNotFound) {
		return err
	}
	b.uncommented(issue, id)
	return nil
}
