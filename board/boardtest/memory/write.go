package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
)

// SetState moves a row, if it is where the caller saw it.
func (b *Board) SetState(_ context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	return b.Write(by, ref, "move", func(i *board.Issue) error {
		if from != board.RoleNone && i.Role != from {
			return board.ErrChanged
		}
		for _, r := range board.Roles() {
			if strings.EqualFold(r.DefaultName(), state) {
				if i.Role == r {
					return errSame
				}
				b.Put(i, r, by.Kind)
				return nil
			}
		}
		return fmt.Errorf("to %q: %w", state, board.ErrNotFound)
	})
}

// Comment adds a comment.
func (b *Board) Comment(_ context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	var c board.Comment
	err := b.Write(by, ref, "comment", func(i *board.Issue) error {
		c = board.Comment{ID: "c" + strconv.Itoa(len(i.Comments)+1), Role: as, Author: by.Name, Body: body, At: b.Now(), Run: by.Run}
		i.Comments = append(i.Comments, c)
		return nil
	})
	return c, err
}

// Label sets a label or takes it off.
func (b *Board) Label(_ context.Context, by board.Actor, ref board.Ref, name string, add bool) error {
	return b.Write(by, ref, "label", func(i *board.Issue) error {
		if add && !strings.EqualFold(name, boardtest.Label) && !strings.EqualFold(name, ConfirmLabel) {
			return fmt.Errorf("%w: %s", board.ErrNotFound, name)
		}
		had := i.HasLabel(name)
		if add && !had {
			i.Labels = append(slices.Clone(i.Labels), name)
			if strings.EqualFold(name, boardtest.Label) {
				i.Labels[len(i.Labels)-1] = boardtest.Label
			}
		}
		if !add {
			i.Labels = slices.DeleteFunc(slices.Clone(i.Labels), func(l string) bool { return strings.EqualFold(l, name) })
		}
		return nil
	})
}

// LinkPR links a pull request, once.
func (b *Board) LinkPR(_ context.Context, by board.Actor, ref board.Ref, pr string) error {
	return b.Write(by, ref, "link", func(i *board.Issue) error {
		if slices.Contains(i.PRs, pr) {
			return errSame
		}
		i.PRs = append(slices.Clone(i.PRs), pr)
		return nil
	})
}

// Tick sets or clears a box of the text.
func (b *Board) Tick(_ context.Context, by board.Actor, ref board.Ref, box board.Box) error {
	return b.Write(by, ref, "tick", func(i *board.Issue) error {
		body, err := board.Tick(i.Body, box)
		if err == nil {
			i.Body = body
		}
		return err
	})
}
