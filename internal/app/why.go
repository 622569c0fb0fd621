package app

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Why asks every rule about one row, as the loop would.
func (f *Factory) Why(ctx context.Context, ref board.Ref) (board.Issue, []plan.Answer, error) {
	p, err := f.Board(ctx)
	if err != nil {
		return board.Issue{}, nil, err
	}
	issue, err := p.Issue(ctx, ref)
	if err != nil {
		return board.Issue{}, nil, err
	}
	q := board.Query{Milestones: []string{issue.Milestone}, Closed: true}
	if issue.Milestone == "" {
		q.Milestones = []string{board.NoMilestone}
	}
	rows, err := p.Poll(ctx, q)
	if err != nil {
		return board.Issue{}, nil, fmt.Errorf("read its milestone: %w", err)
	}
	facts, err := f.facts(ctx, rows)
	if err != nil {
		return board.Issue{}, nil, err
	}
	return issue, plan.Explain(facts, &issue), nil
}

// NextFiring is what the next firing would do.
type NextFiring struct {
	Start []state.Dispatch `json:"-"`
	Rows  []state.Row      `json:"rows"`
	Done  []state.Decision `json:"-"`
}

// DryRun says what a firing would start now, and why the other rows wait. It
// writes nothing.
func (f *Factory) DryRun(ctx context.Context, names []string) (*NextFiring, error) {
	if _, err := f.Repo(ctx); err != nil {
		return nil, err
	}
	p, err := f.Board(ctx)
	if err != nil {
		return nil, err
	}
	milestones, err := chooseMilestones(ctx, p, names)
	if err != nil {
		return nil, err
	}
	rows, err := p.Poll(ctx, board.Query{Milestones: milestones, Closed: true})
	if err != nil {
		return nil, fmt.Errorf("poll the board: %w", err)
	}
	facts, err := f.facts(ctx, rows)
	if err != nil {
		return nil, err
	}
	return &NextFiring{Start: plan.TopUp(facts), Rows: plan.Rows(facts), Done: plan.Merged(facts)}, nil
}
