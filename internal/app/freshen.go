package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/workers/prompt"
)

// loopUpdates brings pull requests up to date.
type loopUpdates struct{ s pulls.Forge }

var _ loop.Updates = loopUpdates{}

// Freshen takes one that somebody else has brought up to date for done.
func (u loopUpdates) Freshen(ctx context.Context, name, head string) error {
	_, err := u.s.Freshen(ctx, name, head)
	if errors.Is(err, pulls.ErrUpToDate) {
		return nil
	}
	return err
}

func (u loopUpdates) MergeOnly(ctx context.Context, name, from, to string) (bool, error) {
	return u.s.MergeOnly(ctx, name, from, to)
}

func (u loopUpdates) Foreign(ctx context.Context, name, from, to string) ([]string, error) {
	return u.s.Foreign(ctx, name, from, to)
}

var _ loop.Branches = loopTrees{}

// CheckedOut lists the branches that the main checkout and its worktrees have.
func (t loopTrees) CheckedOut(ctx context.Context) ([]string, error) {
	all, err := t.m.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, w := range all {
		if w.Branch != "" {
			out = append(out, w.Branch)
		}
	}
	return out, nil
}

// Checkout makes a worktree with the branch of a pull request, whosever it is.
func (t loopTrees) Checkout(ctx context.Context, issue board.Issue, branch, run string) (loop.Worktree, error) {
	return t.create(ctx, issue, branch, run)
}

// maxLanded is how many commits of the base a cleaner is shown by name.
const maxLanded = 50

// cleaner is what a cleaner is told of the merge that it has to make.
func (p *prompter) cleaner(ctx context.Context, task prompt.Task, r loop.PromptRequest) (prompt.CleanerInput, error) {
	in := prompt.CleanerInput{Task: task, Branch: r.Run.Branch, Worktree: r.Run.Worktree}
	if task.PR == nil {
		return in, fmt.Errorf("%s has no open pull request to clean up", r.Issue.Ref)
	}
	in.Behind = task.PR.Behind
	landed, conflicts, err := p.landing(ctx, task.PR.Name, maxLanded)
	if err != nil {
		return in, err
	}
	for _, c := range landed {
		in.Landed = append(in.Landed, prompt.Commit{SHA: c.ID, Subject: c.Subject})
	}
	in.Conflicts = conflicts
	return in, nil
}
