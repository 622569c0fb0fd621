package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	gogithub "github.com/google/go-github/v88/github"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
)

// GitHub updates a branch a moment after it has said that it will.
const (
	lookAgainAfter = time.Second
	looks          = 15
)

// Freshen has GitHub merge the base into the pull request's branch as the
// developer App, if its head still is expectedHead (dispatcher-system.md,
// Maintenance, Freshen PRs). Why it is refused is asked and never guessed, and
// answered as local pull requests do: a 422 has four causes (FACTS.md, Pull
// requests).
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
	n, err := s.number(name)
	if err != nil {
		return board.PullRequest{}, err
	}
	_, _, err = s.dev.rest.PullRequests.UpdateBranch(ctx, s.owner(), s.name(), n,
		&gogithub.PullRequestBranchUpdateOptions{ExpectedHeadSHA: &expectedHead})
	if _, later := errors.AsType[*gogithub.AcceptedError](err); later {
		err = nil
	}
	switch {
	case status(err) == http.StatusUnprocessableEntity:
		return board.PullRequest{}, s.whyNotUpdated(ctx, name, expectedHead, err)
	case err != nil:
		return board.PullRequest{}, s.plain(err)
	}
	for range looks {
		pr, err := s.Get(ctx, name)
		if err != nil || pr.HeadSHA != expectedHead {
			return pr, err
		}
		if err := s.o.Pause(ctx, lookAgainAfter); err != nil {
			return pr, err
		}
	}
	return board.PullRequest{}, errors.New("GitHub said that it would update the branch, and it has not moved yet; it is looked at again in the next firing")
}

// whyNotUpdated asks again what a refusal means.
func (s *Store) whyNotUpdated(ctx context.Context, name, expectedHead string, refused error) error {
	pr, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	for range looks {
		if pr.State != board.PullOpen || pr.HeadSHA != expectedHead || pr.Mergeable != board.MergeUnknown {
			break
		}
		if err := s.o.Pause(ctx, lookAgainAfter); err != nil {
			return err
		}
		if pr, err = s.Get(ctx, name); err != nil {
			return err
		}
	}
	switch {
	case pr.State != board.PullOpen:
		return fmt.Errorf("it is %s and %w", pr.State, pulls.ErrNotOpen)
	case pr.HeadSHA == "" || pr.BaseSHA == "":
		return fmt.Errorf("%s: %w", pr.Head, pulls.ErrBranchGone)
	case pr.HeadSHA != expectedHead:
		return fmt.Errorf("%s is at %.12s, not %.12s: %w", pr.Head, pr.HeadSHA, expectedHead, pulls.ErrHeadMoved)
	case pr.Mergeable == board.MergeConflict:
		return fmt.Errorf("%w with %s", pulls.ErrConflict, pr.Base)
	case pr.Behind == 0:
		return fmt.Errorf("%s has all of %s: %w", pr.Head, pr.Base, pulls.ErrUpToDate)
	}
	return s.plain(refused) // a fork, a deleted branch, a rule: GitHub's words
}

// fetch brings a pull request's commits here.
func (s *Store) fetch(ctx context.Context, pr *board.PullRequest) error {
	h := s.o.History
	if s.o.Remote == "" || pr.BaseSHA == "" || h.Git.HasCommit(ctx, h.Dir, pr.HeadSHA) && h.Git.HasCommit(ctx, h.Dir, pr.BaseSHA) {
		return nil
	}
	ref := func(branch string) string {
		return "+refs/heads/" + branch + ":refs/remotes/" + s.o.Remote + "/" + branch
	}
	head := ref(pr.Head)
	if pr.FromFork() { // GitHub keeps its commits under the number
		head = fmt.Sprintf("+refs/pull/%d/head:refs/remotes/%s/pull/%d", pr.Number, s.o.Remote, pr.Number)
	}
	return h.Git.Fetch(ctx, h.Dir, s.o.Remote, ref(pr.Base), head)
}

// at is a pull request, with its commits here.
func (s *Store) at(ctx context.Context, name string) (board.PullRequest, error) {
	pr, err := s.Get(ctx, name)
	if err == nil {
		err = s.fetch(ctx, &pr)
	}
	return pr, err
}

// Merge is the owner's, on GitHub's page.
func (s *Store) Merge(ctx context.Context, req pulls.MergeRequest) (pulls.Merged, error) {
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return pulls.Merged{}, err
	}
	if pr.State == board.PullMerged {
		return pulls.Merged{PR: pr, Already: true}, nil
	}
	return pulls.Merged{}, fmt.Errorf("merge %s: on GitHub the merge is made there: %s", pr.Name, pr.URL)
}

// RunChecks runs nothing: on GitHub the checks are its own.
func (s *Store) RunChecks(ctx context.Context, name string) (board.PullRequest, error) {
	return s.Get(ctx, name)
}

// RerunChecks is refused for the same reason.
func (s *Store) RerunChecks(ctx context.Context, name string) (board.PullRequest, error) {
	pr, err := s.Get(ctx, name)
	if err != nil {
		return pr, err
	}
	return pr, fmt.Errorf("run the checks of %s: on GitHub they are run by its workflows: %s", pr.Name, pr.URL)
}
