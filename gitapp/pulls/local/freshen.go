package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
)

// Freshen merges the base into an open pull request's branch, as the developer
// identity and without a checkout, if its head still is expectedHead
// (dispatcher-system.md, Maintenance, Freshen PRs). It never rebases and never
// forces: the branch moves only from where it was seen.
//
// Why it cannot be done is found out and never guessed: pulls.ErrUpToDate,
// pulls.ErrConflict, pulls.ErrHeadMoved, pulls.ErrBranchGone,
// pulls.ErrCheckedOut, pulls.ErrNotOpen. Whatever else git says is an error of
// its own and means none of these.
func (s *Store) Freshen(ctx context.Context, name, expectedHead string) (board.PullRequest, error) {
	pr, err := s.freshen(ctx, name, expectedHead)
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("bring %s up to date: %w", name, err)
	}
	return pr, nil
}

func (s *Store) freshen(ctx context.Context, name, expectedHead string) (board.PullRequest, error) {
	if err := git.ValidCommit(expectedHead); err != nil {
		return board.PullRequest{}, err
	}
	pr, err := s.Get(ctx, name)
	if err != nil {
		return pr, err
	}
	base, err := s.mayFreshen(ctx, &pr, expectedHead)
	if err != nil {
		return pr, err
	}
	tree, conflicts, err := s.o.Git.MergeTree(ctx, s.o.Repo, pr.HeadSHA, base)
	if err != nil {
		return pr, err
	}
	if len(conflicts) > 0 {
		return pr, fmt.Errorf("%w with %s in %s", pulls.ErrConflict, pr.Base, some(conflicts))
	}
	commit, err := s.o.Git.CommitTree(ctx, s.o.Repo, tree, []string{pr.HeadSHA, base},
		fmt.Sprintf("Merge %s into %s\n", pr.Base, pr.Head), s.o.Developer)
	if err != nil {
		return pr, err
	}
	if err := s.moveHead(ctx, &pr, commit); err != nil {
		return pr, err
	}
	return s.Get(ctx, name)
}

// mayFreshen asks everything that speaks against an update, and answers where
// the base is.
func (s *Store) mayFreshen(ctx context.Context, pr *board.PullRequest, expectedHead string) (string, error) {
	if pr.State != board.PullOpen {
		return "", fmt.Errorf("it is %s and %w", pr.State, pulls.ErrNotOpen)
	}
	now, err := s.heads(ctx, []record{{State: board.PullOpen, Base: pr.Base, Head: pr.Head}})
	if err != nil {
		return "", err
	}
	head, ok := now[pr.Head]
	if !ok {
		return "", fmt.Errorf("%s: %w", pr.Head, pulls.ErrBranchGone)
	}
	base, ok := now[pr.Base]
	if !ok {
		return "", fmt.Errorf("%s: %w", pr.Base, pulls.ErrBranchGone)
	}
	if head != expectedHead || pr.HeadSHA != expectedHead {
		return "", fmt.Errorf("%s is at %.12s, not %.12s: %w", pr.Head, head, expectedHead, pulls.ErrHeadMoved)
	}
	at, err := s.checkedOut(ctx, pr.Head)
	if err != nil {
		return "", err
	}
	if at != "" {
		return "", fmt.Errorf("%s is %w in %s", pr.Head, pulls.ErrCheckedOut, at)
	}
	fresh, err := s.o.Git.IsAncestor(ctx, s.o.Repo, base, head)
	if err != nil {
		return "", err
	}
	if fresh {
		return "", fmt.Errorf("%s has all of %s: %w", pr.Head, pr.Base, pulls.ErrUpToDate)
	}
	return base, nil
}

// moveHead moves the branch to the merge commit if it still is where it was
// read.
func (s *Store) moveHead(ctx context.Context, pr *board.PullRequest, commit string) error {
	var err error
	if s.o.Remote != "" {
		err = s.o.Git.PushTo(ctx, s.o.Repo, s.o.Remote, commit, pr.Head, pr.HeadSHA)
	} else {
		err = s.o.Git.UpdateRef(ctx, s.o.Repo, "refs/heads/"+pr.Head, commit, pr.HeadSHA, "merge "+pr.Base)
	}
	if !errors.Is(err, git.ErrChanged) {
		return err
	}
	now, askErr := s.heads(ctx, []record{{State: board.PullOpen, Base: pr.Base, Head: pr.Head}})
	if _, there := now[pr.Head]; askErr == nil && !there {
		return fmt.Errorf("%s: %w", pr.Head, pulls.ErrBranchGone)
	}
	return fmt.Errorf("%s: %w", pr.Head, pulls.ErrHeadMoved)
}
