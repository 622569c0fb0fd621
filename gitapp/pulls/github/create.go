package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	gogithub "github.com/google/go-github/v88/github"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// Create opens a pull request as the developer App, by REST: `gh pr create`
// asks GET /user, which is closed to Apps (dispatcher-system.md, Agent
// identities).
func (s *Store) Create(ctx context.Context, req pulls.CreateRequest) (board.PullRequest, error) {
	base := req.Base
	if base == "" {
		base = s.o.Base
	}
	if req.Head == base {
		return board.PullRequest{}, fmt.Errorf("open a pull request: head and base are both %s; commit on a branch of its own", base)
	}
	p, _, err := s.dev.rest.PullRequests.Create(ctx, s.owner(), s.name(), &gogithub.NewPullRequest{
		Title: &req.Title, Body: &req.Body, Base: &base, Head: &req.Head, Draft: &req.Draft,
	})
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("open a pull request from %s: %w", req.Head, s.whyNotOpened(ctx, &req, base, err))
	}
	pr, err := s.Get(ctx, pulls.Name(p.GetNumber()))
	if err != nil {
		return pr, err
	}
	pr.Foreign, err = s.foreignAuthors(ctx, pr.Number)
	return pr, err
}

// whyNotOpened tells the causes of 422 apart.
func (s *Store) whyNotOpened(ctx context.Context, req *pulls.CreateRequest, base string, err error) error {
	text := err.Error()
	switch {
	case status(err) != http.StatusUnprocessableEntity:
		return s.plain(err)
	case strings.Contains(text, "already exists"):
		if old, findErr := s.ByHead(ctx, req.Head); findErr == nil {
			return fmt.Errorf("%s is %w from it: %s", old.Name, pulls.ErrExists, old.URL)
		}
		return fmt.Errorf("one is %w from it", pulls.ErrExists)
	case strings.Contains(text, "No commits between"):
		return fmt.Errorf("%s has no commit that %s lacks: commit and push first", req.Head, base)
	case invalidField(err, "head"):
		return fmt.Errorf("GitHub has no branch %s: `git push -u %s %s` first", req.Head, s.o.Remote, req.Head)
	case invalidField(err, "base"):
		return fmt.Errorf("GitHub has no branch %s to merge into: name it with --base", base)
	}
	return s.plain(err)
}

// invalidField says whether GitHub refused what a field holds.
func invalidField(err error, field string) bool {
	e, ok := errors.AsType[*gogithub.ErrorResponse](err)
	return ok && slices.ContainsFunc(e.Errors, func(d gogithub.Error) bool { return d.Field == field && d.Code == "invalid" })
}

// foreignAuthors lists who else than the developer App wrote commits, merges of
// the base left out: GitHub attributes by address, so a wrong one is seen here.
func (s *Store) foreignAuthors(ctx context.Context, number int) ([]string, error) {
	var commits []*gogithub.RepositoryCommit
	for o := (&gogithub.ListOptions{Page: 1, PerPage: 100}); o.Page > 0; {
		page, resp, err := s.dev.rest.PullRequests.ListCommits(ctx, s.owner(), s.name(), number, o)
		if err != nil {
			return nil, fmt.Errorf("look who wrote the commits of %s: %w", pulls.Name(number), s.plain(err))
		}
		commits = append(commits, page...)
		o.Page = resp.NextPage
	}
	seen := map[string]bool{}
	var out []string
	for _, c := range commits {
		if len(c.Parents) > 1 || c.GetAuthor().GetID() == s.o.Developer.BotUserID {
			continue
		}
		who := c.GetCommit().GetAuthor()
		name := fmt.Sprintf("%s <%s>", who.GetName(), who.GetEmail())
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out, nil
}

// readyMutation and draftMutation are what REST has no call for.
type readyMutation struct {
	MarkPullRequestReadyForReview struct {
		PullRequest *struct{ IsDraft bool }
	} `graphql:"markPullRequestReadyForReview(input: {pullRequestId: $id})"`
}

type draftMutation struct {
	ConvertPullRequestToDraft struct {
		PullRequest *struct{ IsDraft bool }
	} `graphql:"convertPullRequestToDraft(input: {pullRequestId: $id})"`
}

// Update changes an open pull request as the developer App.
func (s *Store) Update(ctx context.Context, name string, e pulls.Edit) (board.PullRequest, error) {
	fail := func(err error) (board.PullRequest, error) {
		return board.PullRequest{}, fmt.Errorf("change %s: %w", name, s.plain(err))
	}
	n, err := s.number(name)
	if err != nil {
		return board.PullRequest{}, err
	}
	p, _, err := s.dev.rest.PullRequests.Get(ctx, s.owner(), s.name(), n)
	if err != nil {
		return fail(err)
	}
	if p.GetState() != "open" {
		return board.PullRequest{}, fmt.Errorf("change %s: it is %s and %w", name, p.GetState(), pulls.ErrNotOpen)
	}
	if e.Title != nil || e.Body != nil {
		if _, _, err := s.dev.rest.PullRequests.Edit(ctx, s.owner(), s.name(), n, &gogithub.PullRequest{Title: e.Title, Body: e.Body}); err != nil {
			return fail(err)
		}
	}
	if e.Draft != nil && *e.Draft != p.GetDraft() {
		vars := map[string]any{"id": ID(p.GetNodeID())}
		if *e.Draft {
			err = s.dev.gql.Mutate(ctx, &draftMutation{}, vars)
		} else {
			err = s.dev.gql.Mutate(ctx, &readyMutation{}, vars)
		}
		if err != nil {
			return fail(err)
		}
	}
	pr, err := s.Get(ctx, name)
	if err != nil {
		return pr, err
	}
	pr.Foreign, err = s.foreignAuthors(ctx, n)
	return pr, err
}
