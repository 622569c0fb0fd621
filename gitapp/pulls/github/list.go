package github

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v88/github"
	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// known is a pull request as it was read last.
type known struct {
	mark string
	pr   board.PullRequest
	// again is when it is read once more although nothing seems to have
	// changed; zero is never.
	again time.Time
}

// GitHub's marks count whole seconds: what happened in the second of a reading,
// after it, leaves no other mark. What has changed of late is read once more.
const (
	lately  = 5 * time.Minute // far more than clocks are apart
	another = 10 * time.Second
)

// pair is a base and a head: how far they are apart never changes.
type pair struct{ base, head string }

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
	if err := s.learn(ctx, s.changed(marks, seen)); err != nil {
		return nil, fmt.Errorf("read the pull requests of %s: %w", s.o.Forge.Repository, s.plain(err))
	}
	var out []board.PullRequest
	for _, pr := range s.remembered(marks) {
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

// forget drops what is known of pull requests that a sweep no longer sees, and
// of pairs of commits that none of these is at.
func (s *Store) forget(marks []markWire, now []board.PullRequest) {
	seen, at := make(map[string]bool, len(marks)), make(map[pair]bool, len(now))
	for i := range marks {
		seen[marks[i].ID] = true
	}
	for i := range now {
		at[pair{now[i].BaseSHA, now[i].HeadSHA}] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(id string, _ known) bool { return !seen[id] })
	maps.DeleteFunc(s.apart, func(p pair, _ int) bool { return !at[p] })
}

// mostKnown bounds what is known in a process that reads pull requests one by
// one and never sweeps.
const mostKnown = 2 * maxPages * atOnce

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
			marks = append(marks, q.Repository.Settled.Nodes...)
		}
		if !q.Repository.Open.PageInfo.HasNextPage {
			return marks, seen, nil
		}
		vars["after"] = q.Repository.Open.PageInfo.EndCursor
	}
	return nil, false, fmt.Errorf("there are more than %d open pull requests", maxPages*atOnce)
}

// changed are the ids of those that are not known as they are now.
func (s *Store) changed(marks []markWire, seen bool) []ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []ID
	for i := range marks {
		m := &marks[i]
		k, ok := s.known[m.ID]
		due := !k.again.IsZero() && !s.now().Before(k.again)
		if now := m.mark(seen); !ok || due || k.mark != now && !(m.Mergeable == "UNKNOWN" && strings.HasPrefix(k.mark, now)) {
			ids = append(ids, ID(m.ID))
		}
	}
	return ids
}

// learn reads pull requests in full.
func (s *Store) learn(ctx context.Context, ids []ID) error {
	for part := range slices.Chunk(ids, atOnce) {
		q, seen, err := query[nodesQuery](ctx, s, map[string]any{"ids": part})
		if err != nil {
			return err
		}
		for i := range q.Nodes {
			if w := &q.Nodes[i].Pull; w.ID != "" {
				if _, err := s.take(ctx, w, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take remembers a pull request that was read anew, once its checks are whole:
// its mark and what is known of it are always of one reading.
func (s *Store) take(ctx context.Context, w *pullWire, seen bool) (board.PullRequest, error) {
	pr := s.pull(w)
	if !seen {
		pr.Checks, pr.ChecksWhy = board.ChecksUnknown, s.whyUnseen()
	}
	if err := s.compareChecks(ctx, &pr); err != nil {
		return pr, err // it is read anew the next time
	}
	return s.remember(w, pr, seen), nil
}

// remember keeps what was read. Of a mergeable that GitHub is still working
// out, what was known of the same two commits stays (SYMPTOMS.md, GitHub 26).
func (s *Store) remember(w *pullWire, pr board.PullRequest, seen bool) board.PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.known[w.ID]
	if ok && pr.State == board.PullOpen && pr.Mergeable == board.MergeUnknown && old.pr.HeadSHA == pr.HeadSHA && old.pr.BaseSHA == pr.BaseSHA {
		pr.Mergeable = old.pr.Mergeable
	}
	m := w.asMark()
	k := known{mark: m.mark(seen), pr: pr}
	now := s.now()
	switch {
	case now.Sub(w.UpdatedAt) > lately:
	case !ok || old.mark != k.mark:
		k.again = now.Add(another)
	case now.Before(old.again):
		k.again = old.again
	}
	if len(s.known) >= mostKnown {
		clear(s.known) // it is read again
	}
	s.known[w.ID] = k
	return pr
}

func (s *Store) now() time.Time {
	if s.o.Now == nil {
		return time.Now()
	}
	return s.o.Now()
}

func (s *Store) remembered(marks []markWire) []board.PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]board.PullRequest, 0, len(marks))
	for i := range marks {
		k, ok := s.known[marks[i].ID]
		if !ok {
			continue // it went between the two requests
		}
		pr := k.pr
		if pr.State == board.PullOpen {
			now, moved := mergeableOf(marks[i].Mergeable), pr.BaseSHA != marks[i].BaseRefOid
			if now != board.MergeUnknown || moved {
				// The base moves without a change of the pull request; whether it
				// still merges is for GitHub to say again.
				pr.BaseSHA, pr.Mergeable = marks[i].BaseRefOid, now
				k.pr = pr
				s.known[marks[i].ID] = k
			}
		}
		out = append(out, pr)
	}
	return out
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
	vars["number"] = graphql.Int(n) //nolint:gosec // a number of a pull request
	q, seen, err := query[oneQuery](ctx, s, vars)
	switch {
	case err != nil && strings.Contains(err.Error(), "Could not resolve to a PullRequest"), err == nil && q.Repository.PullRequest == nil:
		return board.PullRequest{}, fmt.Errorf("%s in %s: %w", pulls.Name(n), s.o.Forge.Repository, pulls.ErrNotFound)
	case err != nil:
		return board.PullRequest{}, fmt.Errorf("read %s: %w", pulls.Name(n), s.plain(err))
	}
	pr, err := s.take(ctx, q.Repository.PullRequest, seen)
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("read the checks of %s: %w", pulls.Name(n), s.plain(err))
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
