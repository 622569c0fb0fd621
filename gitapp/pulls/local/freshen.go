package local

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// maxMerges bounds how far MergeOnly looks back.
const maxMerges = 100

// MergeOnly says whether a pull request's head went from one commit to another
// by clean merges of its base alone: along the first parents, each a merge of
// a commit that the base has, with the very tree that git makes of the two
// (design.md, section 7, a verdict counts for the head it was given on). What
// was resolved or added by hand is thereby told from what git did.
//
// Commits that this repository does not hold prove nothing: false.
func (s *Store) MergeOnly(ctx context.Context, name, from, to string) (bool, error) {
	only, err := s.mergeOnly(ctx, name, from, to)
	if err != nil {
		return false, fmt.Errorf("compare two heads of %s: %w", name, err)
	}
	return only, nil
}

func (s *Store) mergeOnly(ctx context.Context, name, from, to string) (bool, error) {
	if err := errors.Join(git.ValidCommit(from), git.ValidCommit(to)); err != nil {
		return false, err
	}
	pr, err := s.Get(ctx, name)
	if err != nil {
		return false, err
	}
	g, repo := s.o.Git, s.o.Repo
	if pr.BaseSHA == "" || !g.HasCommit(ctx, repo, from) || !g.HasCommit(ctx, repo, to) {
		return false, nil
	}
	at := to
	for range maxMerges {
		if at == from {
			return true, nil
		}
		before, err := s.cleanMerge(ctx, at, pr.BaseSHA)
		if err != nil || before == "" {
			return false, err
		}
		at = before
	}
	return false, nil
}

// cleanMerge answers what a commit merged the base into, if it is a merge that
// git makes by itself; empty if it is anything else.
func (s *Store) cleanMerge(ctx context.Context, id, base string) (string, error) {
	g, repo := s.o.Git, s.o.Repo
	tree, parents, err := g.TreeOf(ctx, repo, id)
	if err != nil || len(parents) != 2 {
		return "", err
	}
	landed, err := g.IsAncestor(ctx, repo, parents[1], base)
	if err != nil || !landed {
		return "", err
	}
	if fork, err := g.MergeBase(ctx, repo, parents[0], parents[1]); err != nil || fork == "" {
		return "", err
	}
	made, conflicts, err := g.MergeTree(ctx, repo, parents[0], parents[1])
	if err != nil || len(conflicts) > 0 || made != tree {
		return "", err
	}
	return parents[0], nil
}

// Foreign lists who else than the developer identity wrote commits that one
// head of a pull request has, and neither another head of it nor the base.
func (s *Store) Foreign(ctx context.Context, name, from, to string) ([]string, error) {
	fail := func(err error) ([]string, error) {
		return nil, fmt.Errorf("look who wrote the commits of %s: %w", name, err)
	}
	if err := errors.Join(git.ValidCommit(from), git.ValidCommit(to)); err != nil {
		return fail(err)
	}
	pr, err := s.Get(ctx, name)
	if err != nil {
		return fail(err)
	}
	if pr.BaseSHA == "" || !s.o.Git.HasCommit(ctx, s.o.Repo, from) || !s.o.Git.HasCommit(ctx, s.o.Repo, to) {
		return nil, nil
	}
	commits, err := s.o.Git.Log(ctx, s.o.Repo, pr.BaseSHA, to, 0)
	if err != nil {
		return fail(err)
	}
	old, err := s.o.Git.Log(ctx, s.o.Repo, pr.BaseSHA, from, 0)
	if err != nil {
		return fail(err)
	}
	known := map[string]bool{}
	for _, c := range old {
		known[c.ID] = true
	}
	var who []string
	for _, c := range commits {
		if !known[c.ID] && c.Author.Email != s.o.Developer.Email && !slices.Contains(who, c.Author.String()) {
			who = append(who, c.Author.String())
		}
	}
	return who, nil
}

// Landing is what a merge of the base into a pull request brings: the commits
// that its head lacks, newest first, at most limit of them, and the files that
// git cannot merge by itself.
func (s *Store) Landing(ctx context.Context, name string, limit int) (landed []git.Commit, conflicts []string, err error) {
	fail := func(err error) ([]git.Commit, []string, error) {
		return nil, nil, fmt.Errorf("look what lands on %s: %w", name, err)
	}
	pr, err := s.Get(ctx, name)
	if err != nil {
		return fail(err)
	}
	if pr.BaseSHA == "" {
		return fail(fmt.Errorf("its base %s: %w", pr.Base, pulls.ErrBranchGone))
	}
	if landed, err = s.o.Git.Log(ctx, s.o.Repo, pr.HeadSHA, pr.BaseSHA, limit); err != nil {
		return fail(err)
	}
	if _, conflicts, err = s.o.Git.MergeTree(ctx, s.o.Repo, pr.BaseSHA, pr.HeadSHA); err != nil {
		return fail(err)
	}
	return landed, conflicts, nil
}
