package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Answer is what one rule says of one row.
type Answer = plan.Answer

// Why asks every rule about one row, as the loop would.
func (f *Factory) Why(ctx context.Context, ref board.Ref) (board.Issue, []Answer, error) {
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
	answers := plan.Explain(facts, &issue)
	if !plan.AnyBehind(facts) {
		return issue, answers, nil
	}
	if facts.CheckedOut, err = f.checkedOut(ctx); err != nil {
		return board.Issue{}, nil, err
	}
	if a, behind := plan.ExplainPull(facts, &issue); behind {
		answers = slices.Insert(answers, 0, a)
	}
	return issue, answers, nil
}

// NextRow is what the next firing would do with one open row.
type NextRow struct {
	Ref   board.Ref  `json:"ref"`
	Start board.Kind `json:"start,omitempty"` // which worker would be started on it
	Queue string     `json:"queue,omitempty"` // from which queue
	Done  bool       `json:"done,omitempty"`  // its pull request is merged: it would be closed
	// Update is a pull request that would be brought up to date: of the row, or
	// of no row of these milestones.
	Update string `json:"update,omitempty"`
	Waits  string `json:"waits,omitempty"` // why nothing would be done
}

// DryRun says what a firing would start now, and why the other rows wait. It
// writes nothing.
func (f *Factory) DryRun(ctx context.Context, names []string) ([]NextRow, error) {
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
	if facts.Others, err = p.Poll(ctx, board.Query{AllMilestones: true}); err != nil {
		return nil, fmt.Errorf("poll the whole project: %w", err)
	}
	if facts.CheckedOut, err = f.checkedOut(ctx); err != nil {
		return nil, err
	}
	return nextRows(facts), nil
}

// checkedOut are the branches that worktrees have.
func (f *Factory) checkedOut(ctx context.Context) (map[string]bool, error) {
	trees, err := f.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	list, err := loopTrees{m: trees}.CheckedOut(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(list))
	for _, b := range list {
		out[b] = true
	}
	return out, nil
}

func nextRows(facts *plan.Facts) []NextRow {
	starts := map[board.Ref]state.Dispatch{}
	for _, d := range plan.TopUp(facts) {
		starts[d.Issue.Ref] = d
	}
	if cs := plan.Conflicts(facts); len(cs) > 0 && facts.Free(board.KindCleaner) {
		if _, taken := starts[cs[0].Issue.Ref]; !taken {
			starts[cs[0].Issue.Ref] = cs[0]
		}
	}
	updates := plan.Freshen(facts)
	done := map[board.Ref]bool{}
	for _, d := range plan.Merged(facts) {
		done[d.Ref] = true
	}
	out := []NextRow{}
	for _, r := range plan.Rows(facts) {
		if r.Hold == plan.HoldClosed {
			continue
		}
		row := NextRow{Ref: r.Issue.Ref, Start: starts[r.Issue.Ref].Kind, Queue: starts[r.Issue.Ref].Why, Done: done[r.Issue.Ref]}
		for n := range updates {
			if plan.PullOf(&r.Issue, updates[n:n+1]) != nil {
				row.Update = updates[n].Name
				updates = slices.Delete(updates, n, n+1)
				break
			}
		}
		if row.Start == "" && !row.Done {
			row.Waits = r.Waits
		}
		out = append(out, row)
	}
	for n := range updates {
		out = append(out, NextRow{Update: updates[n].Name})
	}
	return out
}
