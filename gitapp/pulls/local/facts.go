package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// List answers the open pull requests, or all of them, by number. A record that
// cannot be read is answered as an open pull request by UnreadableAuthor, and a
// *BrokenError says why beside the complete answer.
func (s *Store) List(ctx context.Context, all bool) ([]board.PullRequest, error) {
	records, err := s.loadAll()
	broken, ok := errors.AsType[*BrokenError](err)
	if err != nil && !ok {
		return nil, err
	}
	var wanted []record
	for _, r := range records {
		if all || r.State == board.PullOpen {
			wanted = append(wanted, r)
		}
	}
	prs, factsErr := s.facts(ctx, wanted)
	if factsErr != nil {
		return nil, fmt.Errorf("list pull requests: %w", factsErr)
	}
	if !all {
		prs = onlyOpen(prs)
	}
	if broken != nil {
		prs = withBroken(prs, broken)
	}
	return prs, err
}

func withBroken(prs []board.PullRequest, broken *BrokenError) []board.PullRequest {
	for n := range broken.Records {
		prs = append(prs, board.PullRequest{
			Number: n, Name: pulls.Name(n), Title: "its record cannot be read", State: board.PullOpen,
			Author: UnreadableAuthor, Mergeable: board.MergeUnknown, Checks: board.ChecksNone,
		})
	}
	slices.SortFunc(prs, func(a, b board.PullRequest) int { return a.Number - b.Number })
	return prs
}

func onlyOpen(prs []board.PullRequest) []board.PullRequest {
	var open []board.PullRequest
	for i := range prs {
		if prs[i].State == board.PullOpen {
			open = append(open, prs[i])
		}
	}
	return open
}

// Get answers one pull request, named `#3` or `3`. pulls.ErrNotFound.
func (s *Store) Get(ctx context.Context, name string) (board.PullRequest, error) {
	number, err := pulls.ParseName(name)
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("%w: %w", pulls.ErrNotFound, err)
	}
	r, err := s.load(number)
	if err != nil {
		return board.PullRequest{}, err
	}
	prs, err := s.facts(ctx, []record{r})
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("look at %s: %w", pulls.Name(number), err)
	}
	return prs[0], nil
}

// ByHead answers the open pull request of a branch. pulls.ErrNotFound.
func (s *Store) ByHead(ctx context.Context, branch string) (board.PullRequest, error) {
	records, broken := s.loadAll()
	for _, r := range records {
		if r.State == board.PullOpen && r.Head == branch {
			prs, err := s.facts(ctx, []record{r})
			if err != nil {
				return board.PullRequest{}, fmt.Errorf("look at %s: %w", pulls.Name(r.Number), err)
			}
			if prs[0].State == board.PullOpen {
				return prs[0], nil
			}
		}
	}
	return board.PullRequest{}, errors.Join(fmt.Errorf("open from %s: %w", branch, pulls.ErrNotFound), broken)
}

// facts fills in what is read live. A head that is new, or has been merged
// outside, is recorded as seen.
func (s *Store) facts(ctx context.Context, records []record) ([]board.PullRequest, error) {
	prs := make([]board.PullRequest, 0, len(records))
	var now heads
	for i := range records {
		r := &records[i]
		if r.State != board.PullOpen {
			prs = append(prs, s.settled(r))
			continue
		}
		if now == nil {
			var err error
			if now, err = s.heads(ctx, records); err != nil {
				return nil, err
			}
		}
		pr, err := s.open(ctx, r, now)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pulls.Name(r.Number), err)
		}
		prs = append(prs, pr)
	}
	return prs, nil
}

// settled is a pull request that changes no more.
func (s *Store) settled(r *record) board.PullRequest {
	pr := static(r)
	pr.HeadSHA, pr.Mergeable = r.HeadSHA, board.MergeUnknown
	pr.CheckRuns, pr.Checks = s.checksAt(r, r.HeadSHA)
	if pr.Checks == board.ChecksPending {
		pr.Checks = board.ChecksNone // nobody will run them
	}
	return pr
}

func static(r *record) board.PullRequest {
	return board.PullRequest{
		Number: r.Number, Name: pulls.Name(r.Number), Title: r.Title, Body: r.Body, State: r.State, Draft: r.Draft,
		Author: r.Author, ByAgent: r.ByAgent, Base: r.Base, Head: r.Head, MergeSHA: r.MergeSHA, MergedAt: r.MergedAt,
		CreatedAt: r.CreatedAt, Reviews: r.Reviews, Issues: pulls.Fixes(r.Body),
	}
}

// open is an open pull request with its live facts.
func (s *Store) open(ctx context.Context, r *record, now heads) (board.PullRequest, error) {
	base, based := now[r.Base]
	head, there := now[r.Head]
	if !there {
		head = r.HeadSHA
	}
	var d derived
	var err error
	if based {
		d, err = s.derive(ctx, pair{base, head})
	}
	if !based || err != nil && !s.o.Git.HasCommit(ctx, s.o.Repo, head) {
		pr := static(r)
		pr.HeadSHA, pr.Mergeable = head, board.MergeUnknown
		pr.CheckRuns, pr.Checks = s.checksAt(r, head)
		return pr, nil
	}
	if err != nil {
		return board.PullRequest{}, err
	}
	merged, err := s.mergedOutside(ctx, r, base, head, d)
	if err != nil {
		return board.PullRequest{}, err
	}
	if merged != "" {
		return s.settleOutside(ctx, r, base, merged)
	}
	if d.ahead > 0 && (head != r.HeadSHA || d.fork != r.ForkSHA) {
		s.noteHead(ctx, r, head, d.fork)
	}
	pr := static(r)
	pr.HeadSHA, pr.BaseSHA = head, base
	pr.Mergeable, pr.Behind, pr.Foreign = d.mergeable, d.behind, d.foreign
	if !there {
		pr.Mergeable = board.MergeUnknown // there is no branch to merge
	}
	pr.CheckRuns, pr.Checks = s.checksAt(r, head)
	return pr, nil
}

// checksAt are the results at a head, and what they come to: of the configured
// checks, or, where none is configured, of whatever was recorded.
func (s *Store) checksAt(r *record, head string) ([]board.Check, board.CheckState) {
	var at []board.Check
	byName := map[string]board.CheckState{}
	for _, c := range r.Checks {
		if c.Head == head {
			at = append(at, c)
			byName[c.Name] = c.State
		}
	}
	state := board.ChecksNone
	worst := func(c board.CheckState) {
		switch {
		case c == board.ChecksRed, state == board.ChecksNone, c == board.ChecksPending && state == board.ChecksGreen:
			if state != board.ChecksRed {
				state = c
			}
		}
	}
	if len(s.specs()) == 0 {
		for _, c := range at {
			worst(c.State)
		}
		return at, state
	}
	for _, spec := range s.specs() {
		c, ok := byName[spec.Name]
		if !ok {
			c = board.ChecksPending
		}
		worst(c)
	}
	return at, state
}

// Diff is what a pull request changes, as text; of a merged one what it
// changed.
func (s *Store) Diff(ctx context.Context, name string) (string, error) {
	pr, err := s.Get(ctx, name)
	if err != nil {
		return "", err
	}
	r, err := s.load(pr.Number)
	if err != nil {
		return "", err
	}
	if !s.o.Git.HasCommit(ctx, s.o.Repo, pr.HeadSHA) {
		return "", fmt.Errorf("diff of %s: its head %.12s is not in this repository", pr.Name, pr.HeadSHA)
	}
	from := r.ForkSHA
	if pr.State == board.PullOpen {
		if from, err = s.baseOf(ctx, &pr); err != nil {
			return "", fmt.Errorf("diff of %s: %w", pr.Name, err)
		}
	}
	return s.o.Git.Diff(ctx, s.o.Repo, from, pr.HeadSHA)
}

func (s *Store) now() time.Time { return s.o.Now().UTC().Truncate(time.Second) }
