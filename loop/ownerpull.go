package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// errNoPulls refuses what the forge of this loop does not offer.
var errNoPulls = errors.New("this loop cannot act on pull requests as their owner; do it on the pull request's page")

// doMerge merges a pull request at the head that the owner read.
func (e *Engine) doMerge(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	if e.d.OwnerPulls == nil {
		return state.Done{}, nil, errNoPulls
	}
	text, err := e.d.OwnerPulls.Merge(ctx, c.PR, c.Head, c.Force)
	return state.Done{Text: text}, nil, err
}

// doUpdatePR brings a pull request up to date with its base.
func (e *Engine) doUpdatePR(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	if e.d.Updates == nil {
		return state.Done{}, nil, errNoPulls
	}
	list, err := e.d.Pulls.List(ctx)
	if err != nil {
		return state.Done{}, nil, fmt.Errorf("list pull requests: %w", err)
	}
	for i := range list {
		p := &list[i]
		if p.Name != c.PR {
			continue
		}
		if c.Head != "" && c.Head != p.HeadSHA {
			return state.Done{}, nil, fmt.Errorf("update %s: its head moved since you looked; look again", p.Name)
		}
		if p.State != board.PullOpen {
			return state.Done{}, nil, fmt.Errorf("update %s: it is %s", p.Name, p.State)
		}
		if p.Behind == 0 && p.Mergeable == board.MergeClean {
			return state.Done{Text: p.Name + " is up to date"}, nil, nil
		}
		if err := e.d.Updates.Freshen(ctx, p.Name, p.HeadSHA); err != nil {
			return state.Done{}, nil, err
		}
		return state.Done{Text: fmt.Sprintf("%s is up to date with %s", p.Name, p.Base)}, nil, nil
	}
	return state.Done{}, nil, fmt.Errorf("update %s: %w", c.PR, board.ErrNotFound)
}

// doRequest sends a pull request back with what should change.
func (e *Engine) doRequest(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	if e.d.OwnerPulls == nil {
		return state.Done{}, nil, errNoPulls
	}
	r, err := e.d.OwnerPulls.Request(ctx, c.PR, c.Head, c.Text, c.Findings)
	if err != nil && r.Review == "" {
		return state.Done{}, nil, err
	}
	if err != nil { // to send it again would be a second review
		text := fmt.Sprintf("changes are requested on %s, but its row may not have moved, move it yourself: %v", c.PR, err)
		e.post(func(context.Context) { e.notify(c.Ref, text) })
		return state.Done{Text: text}, nil, nil
	}
	var sent, left []string
	undo := true
	for i, row := range r.Sent {
		r.Sent[i].Since = e.undos.since(&board.Issue{Ref: row.Ref, StateSince: row.Since})
		sent = append(sent, string(row.Ref))
		if row.Left != "" {
			left = append(left, andLeft(string(row.Ref), row.Left))
		}
		undo = undo && row.From == board.RoleHumanReview
		ref := row.Ref
		e.post(func(context.Context) { e.touch(ref, "returned") })
	}
	done := state.Done{Text: fmt.Sprintf("changes requested on %s", c.PR)}
	switch {
	case len(sent) > 0:
		done.Text += "; " + strings.Join(sent, ", ") + " → Changes Requested"
	case len(r.Kept) > 0:
		done.Text += fmt.Sprintf("; %s stays where it is, the next developer gets the request", r.Kept[0])
	}
	for _, l := range left {
		done.Text += "; " + l
	}
	if !undo || len(sent) == 0 {
		return done, nil, nil // a review under way was stopped by it
	}
	return done, &undoable{ref: r.Sent[0].Ref, what: "the request on " + c.PR, do: func(ctx context.Context) (string, error) {
		return e.withdraw(ctx, c.PR, r)
	}}, nil
}

// withdraw puts the rows of a request back to Human Review, and takes the
// request off the pull request.
func (e *Engine) withdraw(ctx context.Context, pr string, r Requested) (string, error) {
	o, err := e.owner()
	if err != nil {
		return "", err
	}
	for _, row := range r.Sent {
		now, err := e.d.Board.Issue(ctx, row.Ref)
		if err != nil {
			return "", err
		}
		if now.Role != board.RoleChangesRequested || now.Claim != nil {
			return "", builtOn("%s is in %s", row.Ref, now.State)
		}
	}
	for _, row := range r.Sent {
		if err := o.SetStateFrom(ctx, row.Ref, row.From, board.RoleChangesRequested); err != nil {
			return "", err
		}
		e.putBack(ctx, row.Ref, row.Since)
		if row.Assignee == "" {
			continue
		}
		if _, err := o.Edit(ctx, row.Ref, board.Edit{Assignee: &row.Assignee}); err != nil {
			return "", err
		}
	}
	if err := e.d.OwnerPulls.Withdraw(ctx, pr, r.Review); err != nil {
		return "", fmt.Errorf("its rows are back in Human Review, the request stands: %w", err)
	}
	return "the request on " + pr + " is taken back", nil
}
