package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	gogithub "github.com/google/go-github/v88/github"
	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// maxPages bounds a sweep: 1,000 open pull requests.
const maxPages = 20

// atOnce is how many pull requests are read in full in one request.
const atOnce = 50

// List answers the open pull requests, and with all those that were closed
// last. What has not changed since the last call is not read again.
func (s *Store) List(ctx context.Context, all bool) ([]board.PullRequest, error) {
	marks, seen, err := s.sweep(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the pull requests of %s: %w", s.o.Forge.Repository, s.plain(err))
	}
	marks = s.retain(marks)
	open, settled := s.changed(marks, seen)
	if err = s.learn(ctx, open, true); err == nil && all {
		err = s.learn(ctx, settled, false)
	}
	if err != nil {
		return nil, fmt.Errorf("read the pull requests of %s: %w", s.o.Forge.Repository, s.plain(err))
	}
	var out []board.PullRequest
	listed := marks
	if !all { // what ended was not read
		listed = slices.DeleteFunc(slices.Clone(marks), func(m markWire) bool { return m.State != "OPEN" })
	}
	for _, pr := range s.remembered(listed) {
		if all || pr.State == board.PullOpen {
			out = append(out, pr)
		}
	}
	if err := s.measure(ctx, out); err != nil {
		return nil, fmt.Errorf("compare the pull requests of %s with their base: %w", s.o.Forge.Repository, s.plain(err))
	}
	s.forget(marks, out)
	slices.SortFunc(out, func(a, b board.PullRequest) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

// sweep reads the marks of all pull requests, and says whether checks could be
// seen.
func (s *Store) sweep(ctx context.Context) (marks []markWire, seen bool, err error) {
	vars := s.repoVars()
	vars["after"] = (*graphql.String)(nil)
	for page := range maxPages {
		var q *sweepQuery
		if q, seen, err = query[sweepQuery](ctx, s, vars); err != nil {
			return nil, false, err
		}
		marks = append(marks, q.Repository.Open.Nodes...)
		if page == 0 {
			settled, err := s.readOnSettled(ctx, q.Repository.Settled)
			if err != nil {
				return nil, false, err
			}
			marks = append(marks, settled...)
		}
		if !q.Repository.Open.PageInfo.HasNextPage {
			return marks, seen, nil
		}
		vars["after"] = q.Repository.Open.PageInfo.EndCursor
	}
	return nil, false, fmt.Errorf("there are more than %d open pull requests", maxPages*atOnce)
}

// changed are the ids of those that are not known as they are now.
func (s *Store) changed(marks []markWire, seen bool) (open, settled []ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range marks {
		m := &marks[i]
		k, ok := s.known[m.ID]
		due := !k.again.IsZero() && !s.now().Before(k.again)
		if now := m.mark(seen); !ok || due || k.mark != now && !(m.Mergeable == "UNKNOWN" && strings.HasPrefix(k.mark, now)) {
			if m.State == "OPEN" {
				open = append(open, ID(m.ID))
			} else {
				settled = append(settled, ID(m.ID))
			}
		}
	}
	return open, settled
}

// learn reads pull requests in full. What reviews say on lines is most of what
// that costs: of those that ended, whose reviews nobody answers any more, it is
// left to Get.
func (s *Store) learn(ctx context.Context, ids []ID, findings bool) error {
	for part := range slices.Chunk(ids, atOnce) {
		q, seen, err := query[nodesQuery](ctx, s, map[string]any{"ids": part, "findings": graphql.Boolean(findings)})
		if err != nil {
			return err
		}
		for i := range q.Nodes {
			w := &q.Nodes[i].Pull
			switch {
			case w.ID == "", !findings && w.State == "OPEN": // gone, or reopened meanwhile: the next sweep sees it
			case !findings:
				w.withoutAnswers()
				pr := s.facts(w, seen)
				for i := range pr.Reviews {
					pr.Reviews[i].FindingsUnread = true
				}
				s.remember(w, pr, seen)
			default:
				if _, err := s.take(ctx, w, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measure says how far each open one is behind its base, by the compare call:
// mergeStateStatus masks it (SYMPTOMS.md, GitHub 27).
func (s *Store) measure(ctx context.Context, prs []board.PullRequest) error {
	for i := range prs {
		p := &prs[i]
		if p.State != board.PullOpen {
			continue
		}
		n, err := s.behind(ctx, pair{p.BaseSHA, p.HeadSHA})
		if err != nil {
			return err
		}
		if n == unrelated {
			// There is nothing to compare, and nothing merges; the others go on.
			n, p.Mergeable = 0, board.MergeUnknown
		}
		p.Behind = n
	}
	return nil
}

func (s *Store) behind(ctx context.Context, p pair) (int, error) {
	s.mu.Lock()
	n, ok := s.apart[p]
	s.mu.Unlock()
	if ok || p.base == "" || p.head == "" {
		return n, nil
	}
	c, _, err := s.read.rest.Repositories.CompareCommits(ctx, s.owner(), s.name(), p.base, p.head, &gogithub.ListOptions{PerPage: 1})
	n = c.GetBehindBy()
	switch {
	case status(err) == http.StatusNotFound:
		n = unrelated
	case s.o.AsReviewer && status(err) == http.StatusForbidden && s.gate.Open() == nil:
		return 0, nil // its App needs no contents, and a reviewer does not ask how far behind it is
	case err != nil:
		return 0, err
	case c.BehindBy == nil:
		return 0, errNoAnswer
	}
	s.mu.Lock()
	if len(s.apart) >= mostKnown {
		clear(s.apart)
	}
	s.apart[p] = n
	s.mu.Unlock()
	return n, nil
}

// unrelated stands for two commits that GitHub will not compare: they have no
// common history, or one of them is gone (FACTS.md, GitHub).
const unrelated = -1

// Get answers one pull request as it is now.
func (s *Store) Get(ctx context.Context, name string) (board.PullRequest, error) {
	n, err := s.number(name)
	if err != nil {
		return board.PullRequest{}, err
	}
	vars := s.repoVars()
	vars["number"], vars["findings"] = graphql.Int(n), graphql.Boolean(true) //nolint:gosec // a number of a pull request
	q, seen, err := query[oneQuery](ctx, s, vars)
	switch {
	case err != nil && strings.Contains(err.Error(), "Could not resolve to a PullRequest"), err == nil && q.Repository.PullRequest == nil:
		return board.PullRequest{}, fmt.Errorf("%s in %s: %w", pulls.Name(n), s.o.Forge.Repository, pulls.ErrNotFound)
	case err != nil:
		return board.PullRequest{}, fmt.Errorf("read %s: %w", pulls.Name(n), s.plain(err))
	}
	pr, err := s.take(ctx, q.Repository.PullRequest, seen)
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("read reviews and checks of %s: %w", pulls.Name(n), s.plain(err))
	}
	one := []board.PullRequest{pr}
	if err := s.measure(ctx, one); err != nil {
		return board.PullRequest{}, fmt.Errorf("compare %s with its base: %w", pulls.Name(n), s.plain(err))
	}
	return one[0], nil
}

// ByHead answers the open pull request of a branch.
func (s *Store) ByHead(ctx context.Context, branch string) (board.PullRequest, error) {
	found, _, err := s.read.rest.PullRequests.List(ctx, s.owner(), s.name(),
		&gogithub.PullRequestListOptions{State: "open", Head: s.owner() + ":" + branch})
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("look for the pull request of %s: %w", branch, s.plain(err))
	}
	for _, p := range found {
		if p.GetHead().GetRef() == branch {
			return s.Get(ctx, pulls.Name(p.GetNumber()))
		}
	}
	return board.PullRequest{}, fmt.Errorf("open from %s: %w", branch, pulls.ErrNotFound)
}

// Diff is what a pull request changes, as GitHub has it.
func (s *Store) Diff(ctx context.Context, name string) (string, error) {
	n, err := s.number(name)
	if err != nil {
		return "", err
	}
	text, _, err := s.read.rest.PullRequests.GetRaw(ctx, s.owner(), s.name(), n, gogithub.RawOptions{Type: gogithub.Diff})
	if err != nil {
		if status(err) == 404 {
			return "", fmt.Errorf("%s in %s: %w", pulls.Name(n), s.o.Forge.Repository, pulls.ErrNotFound)
		}
		return "", fmt.Errorf("diff of %s: %w", pulls.Name(n), s.plain(err))
	}
	return text, nil
}
