package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// doAnswer writes the owner's reply and moves the row on.
func (e *Engine) doAnswer(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	writes, _ := e.d.Board.As(ownerActor())
	was, err := e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return state.Done{}, nil, err
	}
	since := e.undos.since(&was)
	if err := writes.Answer(ctx, c.Ref, c.Text, ""); err != nil {
		return state.Done{}, nil, err
	}
	now, err := e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return state.Done{Text: "answered " + string(c.Ref)}, nil, nil //nolint:nilerr // it is answered; it only cannot be taken back
	}
	back := &undoable{ref: c.Ref, what: "the answer to " + string(c.Ref)}
	back.do = func(ctx context.Context) (string, error) { return e.unanswer(ctx, &now, since) }
	return state.Done{Text: fmt.Sprintf("answered %s; it is in %s", c.Ref, now.State)}, back, nil
}

// unanswer puts a row back to Question, where it had been since then, and takes
// the reply off it.
func (e *Engine) unanswer(ctx context.Context, then *board.Issue, since time.Time) (string, error) {
	o, err := e.owner()
	if err != nil {
		return "", err
	}
	if err := e.unchanged(ctx, then); err != nil {
		return "", err
	}
	if err := o.SetStateFrom(ctx, then.Ref, board.RoleQuestion, then.Role); err != nil {
		return "", err
	}
	e.putBack(ctx, then.Ref, since)
	said := fmt.Sprintf("%s waits for your answer again", then.Ref)
	for _, reply := range slices.Backward(then.Comments) {
		if reply.Role != board.ActorOwner {
			continue
		}
		if err := o.Uncomment(ctx, then.Ref, reply.ID); err != nil {
			return fmt.Sprintf("%s; your reply stays on it: %v", said, err), nil //nolint:nilerr // said
		}
		break
	}
	return said, nil
}

// doMove moves a row from where the owner saw it.
func (e *Engine) doMove(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, was, err := e.ownersRow(ctx, c.Ref)
	if err != nil {
		return state.Done{}, nil, err
	}
	if c.From != board.RoleNone && was.Role != c.From {
		return state.Done{}, nil, fmt.Errorf("move %s: %w: it is in %s now; look again", c.Ref, board.ErrChanged, was.State)
	}
	if was.Role == c.Role {
		return state.Done{Text: fmt.Sprintf("%s is in %s already", was.Ref, was.State)}, nil, nil
	}
	if err := o.SetStateFrom(ctx, was.Ref, c.Role, was.Role); err != nil {
		return state.Done{}, nil, err
	}
	now, err := e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return state.Done{Text: fmt.Sprintf("%s moved to %s", was.Ref, c.Role.DefaultName())}, nil, nil //nolint:nilerr // it is moved; it only cannot be taken back
	}
	was.StateSince = e.undos.since(&was)
	back := &undoable{ref: was.Ref, what: fmt.Sprintf("the move of %s to %s", was.Ref, now.State)}
	back.do = func(ctx context.Context) (string, error) { return e.moveBack(ctx, &now, &was) }
	return state.Done{Text: fmt.Sprintf("%s: %s → %s", was.Ref, was.State, now.State)}, back, nil
}

// moveBack puts a row back that nobody has touched since.
func (e *Engine) moveBack(ctx context.Context, then, was *board.Issue) (string, error) {
	o, err := e.owner()
	if err != nil {
		return "", err
	}
	if err := e.unchanged(ctx, then); err != nil {
		return "", err
	}
	if was.Role == board.RoleNone {
		err = o.SetStateName(ctx, then.Ref, was.State)
	} else {
		err = o.SetStateFrom(ctx, then.Ref, was.Role, then.Role)
	}
	if err != nil {
		return "", err
	}
	e.putBack(ctx, then.Ref, was.StateSince)
	return fmt.Sprintf("%s is back in %s", then.Ref, was.State), nil
}

// doTick sets or clears one box of the description.
func (e *Engine) doTick(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	was, err := boxOf(ctx, e.d.Board, c.Ref, c.N)
	if err != nil {
		return state.Done{}, nil, err
	}
	if c.Text != "" && c.Text != was.Text {
		return state.Done{}, nil, fmt.Errorf("tick a box of %s: %w: box %d is %q now; look again", c.Ref, board.ErrChanged, c.N, was.Text)
	}
	word := "ticked"
	if c.Off {
		word = "open"
	}
	if was.Done == !c.Off {
		return state.Done{Text: fmt.Sprintf("%s: %q is %s already", c.Ref, was.Text, word)}, nil, nil
	}
	if err := o.Tick(ctx, c.Ref, board.Box{N: c.N, Set: !c.Off}); err != nil {
		return state.Done{}, nil, err
	}
	back := &undoable{ref: c.Ref, what: fmt.Sprintf("the box %q of %s", was.Text, c.Ref), do: func(ctx context.Context) (string, error) {
		now, err := boxOf(ctx, e.d.Board, c.Ref, c.N)
		if err != nil {
			return "", err
		}
		if now.Text != was.Text || now.Done == was.Done {
			return "", builtOn("the description of %s was changed since", c.Ref)
		}
		return fmt.Sprintf("%s: %q is as it was", c.Ref, was.Text), o.Tick(ctx, c.Ref, board.Box{N: c.N, Set: was.Done})
	}}
	return state.Done{Text: fmt.Sprintf("%s: %q is %s", c.Ref, was.Text, word)}, back, nil
}

func boxOf(ctx context.Context, rows Rows, ref board.Ref, n int) (board.Checkbox, error) {
	i, err := rows.Issue(ctx, ref)
	if err != nil {
		return board.Checkbox{}, err
	}
	boxes := board.Checkboxes(i.Body)
	if n < 1 || n > len(boxes) {
		return board.Checkbox{}, fmt.Errorf("tick a box of %s: %w: it has %d, there is no box %d", ref, board.ErrNotFound, len(boxes), n)
	}
	return boxes[n-1], nil
}

// doLabel puts a label on a row, or takes it off.
func (e *Engine) doLabel(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	name := strings.TrimSpace(c.Text)
	was, err := e.d.Board.Issue(ctx, c.Ref)
	if err != nil {
		return state.Done{}, nil, err
	}
	if was.HasLabel(name) == !c.Off {
		return state.Done{Text: fmt.Sprintf("%s: nothing to change about the label %s", c.Ref, name)}, nil, nil
	}
	if err := o.Label(ctx, c.Ref, name, !c.Off); err != nil {
		return state.Done{}, nil, err
	}
	back := &undoable{ref: c.Ref, what: fmt.Sprintf("the label %s of %s", name, c.Ref), do: func(ctx context.Context) (string, error) {
		return fmt.Sprintf("%s: the label %s is as it was", c.Ref, name), o.Label(ctx, c.Ref, name, c.Off)
	}}
	if c.Off {
		return state.Done{Text: fmt.Sprintf("%s: without the label %s", c.Ref, name)}, back, nil
	}
	return state.Done{Text: fmt.Sprintf("%s: labelled %s", c.Ref, name)}, back, nil
}

// doComment says something on a row, as its owner.
func (e *Engine) doComment(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	o, err := e.owner()
	if err != nil {
		return state.Done{}, nil, err
	}
	said, err := o.Comment(ctx, c.Ref, board.ActorOwner, c.Text)
	if err != nil {
		return state.Done{}, nil, err
	}
	back := &undoable{ref: c.Ref, what: "the comment on " + string(c.Ref), do: func(ctx context.Context) (string, error) {
		return fmt.Sprintf("the comment on %s is gone", c.Ref), o.Uncomment(ctx, c.Ref, said.ID)
	}}
	return state.Done{Text: "commented on " + string(c.Ref)}, back, nil
}
