package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/loop"
)

// ownerActor is the person in front of the room.
func ownerActor() board.Actor { return board.Actor{Kind: board.ActorOwner} }

// ownerPulls are the pull requests as their owner acts on them from the room:
// what `dispatcher pulls merge` and `pulls request-changes` do.
type ownerPulls struct{ f *Factory }

var (
	_ loop.OwnerPulls = ownerPulls{}
	_ loop.OwnerBoard = (*board.Policy)(nil)
)

func (o ownerPulls) Merge(ctx context.Context, name, head string, force bool) (string, error) {
	store, err := o.f.Pulls(ctx)
	if err != nil {
		return "", err
	}
	owner, err := o.f.Owner(ctx)
	if err != nil {
		return "", err
	}
	merged, err := store.Merge(ctx, pulls.MergeRequest{Name: name, Head: head, Force: force, By: owner})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s is merged into %s", merged.PR.Name, merged.PR.Base)
	if merged.Already {
		text = fmt.Sprintf("%s was merged before", merged.PR.Name)
	}
	done, err := o.f.CloseIssues(ctx, merged.PR)
	if err != nil {
		merged.Notes = append(merged.Notes, fmt.Sprintf("the loop closes its issues later: %v", err))
	}
	for _, row := range done {
		text += fmt.Sprintf("; %s → Done", row.Ref)
		if row.Left != "" {
			merged.Notes = append(merged.Notes, row.Left)
		}
	}
	return strings.Join(append([]string{text}, merged.Notes...), "; "), nil
}

func (o ownerPulls) Request(ctx context.Context, name, head, text string, findings []board.Finding) (loop.Requested, error) {
	store, err := o.f.Pulls(ctx)
	if err != nil {
		return loop.Requested{}, err
	}
	by := "owner"
	if owner, err := o.f.Owner(ctx); err == nil {
		by = owner.Name
	}
	review, err := store.RequestChanges(ctx, pulls.ChangesRequest{Name: name, By: by, Body: text, Head: head, Findings: findings})
	if err != nil {
		return loop.Requested{}, err
	}
	// From here on the request stands, whatever else fails.
	out := loop.Requested{Review: review.ID}
	pr, err := store.Get(ctx, name)
	if err != nil {
		return out, err
	}
	_, before, err := o.f.rowsOf(ctx, pr)
	if err != nil {
		return out, err
	}
	was := map[board.Ref]*board.Issue{}
	for i := range before {
		was[before[i].Ref] = &before[i]
	}
	rows, err := o.f.SendBack(ctx, pr)
	for _, r := range rows {
		if r.Sent {
			sent := loop.SentBack{Ref: r.Ref, Left: r.Left}
			if i := was[r.Ref]; i != nil {
				sent.From, sent.Assignee, sent.Since = i.Role, i.Assignee, i.StateSince
			}
			out.Sent = append(out.Sent, sent)
		} else {
			out.Kept = append(out.Kept, r.Ref)
		}
	}
	if err != nil {
		return out, fmt.Errorf("write the board: %w", err)
	}
	return out, nil
}

func (o ownerPulls) Withdraw(ctx context.Context, name, review string) error {
	store, err := o.f.Pulls(ctx)
	if err != nil {
		return err
	}
	w, ok := store.(interface {
		Withdraw(ctx context.Context, name, review string) error
	})
	if !ok {
		return fmt.Errorf("%s keeps every review; take it back on its page", name)
	}
	return w.Withdraw(ctx, name, review)
}
