package ghproject

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
)

// maxComment is how many characters GitHub takes; ours stay below it.
const maxComment = 60_000

// Comment adds a comment, under its role's tag where it has one. What is too
// long for one comment of ours is cut, and says so.
func (b *Board) Comment(ctx context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return board.Comment{}, fmt.Errorf("comment on %s: %w", ref, err)
	}
	if as != board.ActorOwner {
		body = cut(body)
	}
	text := tagged(as, body)
	c, err := b.say(ctx, r, text)
	if errors.Is(err, board.ErrUnknownOutcome) {
		there, look := b.said(ctx, ref, r, text)
		if look != nil {
			return board.Comment{}, fmt.Errorf("comment on %s: %w", ref, errors.Join(err, look))
		}
		if there != nil {
			return b.made(there, by, as, body), nil
		}
		lost := err
		c, err = b.say(ctx, r, text)
		err = board.StillUnknown(lost, err)
	}
	if err != nil {
		return board.Comment{}, fmt.Errorf("comment on %s: %w", ref, err)
	}
	return b.made(c, by, as, body), nil
}

// say writes a comment once.
func (b *Board) say(ctx context.Context, r *row, text string) (*commentWire, error) {
	var m struct {
		AddComment struct {
			CommentEdge *struct{ Node commentWire }
		} `graphql:"addComment(input: {subjectId: $subject, body: $body})"`
	}
	err := b.mutate(ctx, &m, map[string]any{"subject": ID(r.ID), "body": graphqlString(text)})
	if err == nil && m.AddComment.CommentEdge == nil {
		err = fmt.Errorf("%w: GitHub answered without the comment", board.ErrUnknownOutcome)
	}
	if err != nil {
		return nil, err
	}
	return &m.AddComment.CommentEdge.Node, nil
}

// said looks for a comment of ours that was not there before and whose write got
// no answer. A read may be older than the write: what the first does not show is
// looked for again after a pause. It answers nil when neither shows it.
func (b *Board) said(ctx context.Context, ref board.Ref, before *row, text string) (*commentWire, error) {
	for looks := range 2 {
		if looks > 0 {
			if err := b.o.Pause(ctx); err != nil {
				return nil, err
			}
		}
		now, _, err := b.one(ctx, ref)
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(now.Comments.Nodes, func(c commentWire) bool { return c.Body == text && c.ViewerDidAuthor && !has(before, c.ID) })
		if n >= 0 {
			return &now.Comments.Nodes[n], nil
		}
	}
	return nil, nil
}

func has(r *row, id string) bool {
	return slices.ContainsFunc(r.Comments.Nodes, func(c commentWire) bool { return c.ID == id })
}

func (*Board) made(c *commentWire, by board.Actor, as board.ActorKind, body string) board.Comment {
	out := board.Comment{ID: c.ID, Role: as, Author: by.Name, Body: body, At: c.CreatedAt, Run: by.Run}
	if c.Author != nil {
		out.Author = c.Author.Login
	}
	return out
}

// cut shortens a text of ours and keeps its machine line.
func cut(body string) string {
	if len([]rune(body)) <= maxComment {
		return body
	}
	text := []rune(board.WithoutMark(body))
	short := string(text[:min(maxComment, len(text))]) + "\n\n(cut here: the whole text was too long for a comment; it is in the run's transcript)"
	if mark, ok := board.ParseMark(body); ok {
		return board.WithMark(short, mark)
	}
	return short
}
