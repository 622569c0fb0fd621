package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/looptest"
)

// What the board of these tests lets its owner do, beyond what every board
// does.
var (
	_ board.Creator     = creatorBoard{}
	_ board.Uncommenter = creatorBoard{}
)

// creatorBoard is the memory board with the owner's own doings.
type creatorBoard struct{ *memoryBoard }

func (b creatorBoard) Create(ctx context.Context, _ board.Actor, n board.NewIssue) (board.Issue, error) {
	return b.Issue(ctx, b.Add(n))
}

func (b creatorBoard) Edit(ctx context.Context, by board.Actor, ref board.Ref, e board.Edit) (board.Issue, error) {
	err := b.Write(by, ref, "edit", func(i *board.Issue) error {
		for to, from := range map[*string]*string{&i.Title: e.Title, &i.Body: e.Body, &i.Milestone: e.Milestone, &i.Assignee: e.Assignee} {
			if from != nil {
				*to = *from
			}
		}
		i.Labels = append(slices.DeleteFunc(i.Labels, func(l string) bool { return slices.Contains(e.RemoveLabels, l) }), e.AddLabels...)
		return nil
	})
	if err != nil {
		return board.Issue{}, err
	}
	return b.Issue(ctx, ref)
}

func (b creatorBoard) Block(_ context.Context, by board.Actor, ref, blocker board.Ref, on bool) error {
	return b.Write(by, ref, "block", func(i *board.Issue) error {
		i.Blockers = slices.DeleteFunc(i.Blockers, func(o board.Blocker) bool { return o.Ref == blocker })
		if on {
			i.Blockers = append(i.Blockers, board.Blocker{Ref: blocker, Open: true})
		}
		return nil
	})
}

func (b creatorBoard) Place(_ context.Context, _ board.Actor, ref board.Ref, p board.Place) error {
	return b.Order(func(rows []*board.Issue) ([]*board.Issue, error) {
		row := b.Find(ref)
		if row == nil {
			return nil, fmt.Errorf("place %s: %w", ref, board.ErrNotFound)
		}
		rest := slices.DeleteFunc(slices.Clone(rows), func(i *board.Issue) bool { return i == row })
		at := 0
		if !p.Top {
			at = slices.IndexFunc(rest, func(i *board.Issue) bool { return i.Ref == p.Before || i.Ref == p.After })
			if at < 0 {
				return nil, fmt.Errorf("place %s: %w", ref, board.ErrNotFound)
			}
			if p.After != "" {
				at++
			}
		}
		return slices.Insert(rest, at, row), nil
	})
}

func (b creatorBoard) Uncomment(_ context.Context, by board.Actor, ref board.Ref, id string) error {
	return b.Write(by, ref, "uncomment", func(i *board.Issue) error {
		i.Comments = slices.DeleteFunc(i.Comments, func(c board.Comment) bool { return c.ID == id })
		return nil
	})
}

// ownerDeps is the board as the owner's commands write to it.
func (p *process) ownerDeps() loop.OwnerBoard {
	policy := board.NewPolicy(creatorBoard{p.w.board}, board.Actor{Kind: board.ActorOwner, Name: "ann"}, board.PolicyOptions{})
	return looptest.OwnerBoard{Board: looptest.Board{Gate: gateOf{p}, Policy: policy}}
}

// ownerPullsOf are the world's pull requests as their owner acts on them.
type ownerPullsOf struct{ p *process }

func (f ownerPullsOf) find(name string) (*board.PullRequest, error) {
	for _, p := range f.p.w.pulls {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", name, board.ErrNotFound)
}

func (f ownerPullsOf) Merge(ctx context.Context, name, head string, force bool) (string, error) {
	return "merged " + name, f.p.effect(ctx, "merge", func() error {
		f.p.w.mu.Lock()
		defer f.p.w.mu.Unlock()
		p, err := f.find(name)
		switch {
		case err != nil:
			return err
		case head != "" && head != p.HeadSHA:
			return errors.New("its head moved since you looked")
		case p.Checks == board.ChecksRed && !force:
			return errors.New("its checks are red")
		}
		p.State, p.MergedAt = board.PullMerged, f.p.w.board.Now()
		return nil
	})
}

func (f ownerPullsOf) Request(ctx context.Context, name, _, text string, _ []board.Finding) (loop.Requested, error) {
	var out loop.Requested
	err := f.p.effect(ctx, "request", func() error {
		f.p.w.mu.Lock()
		p, err := f.find(name)
		if err == nil {
			out.Review = fmt.Sprintf("%s-%d", name, len(p.Reviews)+1)
			p.Reviews = append(p.Reviews, board.Review{ID: out.Review, Author: "ann", State: board.ReviewChangesRequested, Commit: p.HeadSHA, Body: text})
		}
		f.p.w.mu.Unlock()
		if err != nil {
			return err
		}
		if err := f.p.read(ctx, "rows of a request"); err != nil {
			return err
		}
		for _, ref := range p.Issues {
			row := f.p.w.issue(ref)
			if row.Role != board.RoleHumanReview {
				out.Kept = append(out.Kept, ref)
				continue
			}
			out.Sent = append(out.Sent, loop.SentBack{Ref: ref, From: row.Role, Assignee: row.Assignee, Since: row.StateSince})
			auto := f.p.w.as(board.Actor{Kind: board.ActorAutomation})
			if err := errors.Join(auto.SetStateFrom(ctx, ref, board.RoleChangesRequested, row.Role), auto.Release(ctx, ref, "")); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (f ownerPullsOf) Withdraw(ctx context.Context, name, review string) error {
	return f.p.effect(ctx, "withdraw", func() error {
		f.p.w.mu.Lock()
		defer f.p.w.mu.Unlock()
		p, err := f.find(name)
		if err == nil {
			p.Reviews = slices.DeleteFunc(p.Reviews, func(r board.Review) bool { return r.ID == review })
		}
		return err
	})
}
