package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// outlineWire is as much of a pull request as tells whose it is and how it
// ended.
type outlineWire struct {
	ID                      string
	Number                  int
	Title, Body, URL        string
	State                   string
	IsDraft                 bool
	IsCrossRepository       bool
	BaseRefName             string
	HeadRefName             string
	HeadRefOid              string
	CreatedAt               time.Time
	MergedAt                *time.Time
	MergeCommit             *struct{ Oid string }
	Author                  *actorWire
	ClosingIssuesReferences closingWire `graphql:"closingIssuesReferences(first: 50)"`
}

type outlinePage struct{ Nodes []outlineWire }

// findQuery asks for pull requests by their numbers and by their branch. What
// numbers are not used is asked for with a condition that does not hold.
type findQuery struct {
	Repository struct {
		A        *outlineWire `graphql:"a: pullRequest(number: $a) @include(if: $hasA)"`
		B        *outlineWire `graphql:"b: pullRequest(number: $b) @include(if: $hasB)"`
		C        *outlineWire `graphql:"c: pullRequest(number: $c) @include(if: $hasC)"`
		OfBranch outlinePage  `graphql:"ofBranch: pullRequests(headRefName: $branch, first: 10, orderBy: {field: CREATED_AT, direction: DESC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// outlinesQuery asks for what changed last, in one request.
type outlinesQuery struct {
	Repository struct {
		Open    outlinePage `graphql:"open: pullRequests(states: [OPEN], first: 100, orderBy: {field: UPDATED_AT, direction: DESC})"`
		Settled outlinePage `graphql:"settled: pullRequests(states: [MERGED, CLOSED], first: 50, orderBy: {field: UPDATED_AT, direction: DESC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// Find answers, in one request, the pull requests of a branch and those of the
// last three names that are this repository's.
func (s *Store) Find(ctx context.Context, branch string, names []string) ([]board.PullRequest, error) {
	vars := s.repoVars()
	vars["branch"] = graphql.String(branch)
	slots, next := []string{"a", "b", "c"}, 0
	for _, name := range slices.Backward(names) {
		if n, err := s.number(name); err == nil && next < len(slots) {
			vars[slots[next]], vars["has"+strings.ToUpper(slots[next])] = graphql.Int(n), graphql.Boolean(true) //nolint:gosec // ParseName bounds it
			next++
		}
	}
	for _, slot := range slots[next:] {
		vars[slot], vars["has"+strings.ToUpper(slot)] = graphql.Int(0), graphql.Boolean(false)
	}
	var q findQuery
	err := s.read.gql.Query(ctx, &q, vars)
	if err != nil && !strings.Contains(err.Error(), "Could not resolve to a PullRequest") { // else the others are there
		return nil, fmt.Errorf("look for the pull request of %s: %w", branch, s.plain(err))
	}
	r := &q.Repository
	found := s.outlines(r.OfBranch.Nodes)
	for _, w := range []*outlineWire{r.A, r.B, r.C} {
		if w != nil {
			found = append(found, s.outlines([]outlineWire{*w})...)
		}
	}
	return found, nil
}

// Outlines answers, in one request, the pull requests that changed last: at
// most 100 that are open and 50 that are not.
func (s *Store) Outlines(ctx context.Context) ([]board.PullRequest, error) {
	var q outlinesQuery
	if err := s.read.gql.Query(ctx, &q, s.repoVars()); err != nil {
		return nil, fmt.Errorf("list the pull requests of %s: %w", s.o.Forge.Repository, s.plain(err))
	}
	return append(s.outlines(q.Repository.Open.Nodes), s.outlines(q.Repository.Settled.Nodes)...), nil
}

func (s *Store) repoVars() map[string]any {
	return map[string]any{"owner": graphql.String(s.owner()), "name": graphql.String(s.name())}
}

func (s *Store) outlines(list []outlineWire) []board.PullRequest {
	out := make([]board.PullRequest, 0, len(list))
	for i := range list {
		out = append(out, s.outline(&list[i]))
	}
	return out
}

// outline is a pull request in the words of the board, without what moves:
// checks, reviews, and whether it merges.
func (s *Store) outline(w *outlineWire) board.PullRequest {
	pr := board.PullRequest{
		Number: w.Number, Name: pulls.Name(w.Number), URL: w.URL, Title: w.Title, Body: w.Body, Draft: w.IsDraft,
		State: stateOf(w.State), Author: w.Author.login(), Base: w.BaseRefName, Head: w.HeadRefName, HeadSHA: w.HeadRefOid,
		CreatedAt: w.CreatedAt, Mergeable: board.MergeUnknown, Checks: board.ChecksUnknown,
	}
	pr.ByAgent = pr.Author == s.o.Developer.BotLogin
	if w.MergedAt != nil {
		pr.MergedAt = *w.MergedAt
	}
	if w.MergeCommit != nil {
		pr.MergeSHA = w.MergeCommit.Oid
	}
	if w.IsCrossRepository {
		pr.Head = board.ForkHead(pr.Head)
	}
	pr.Issues = s.issues(w.Body, &w.ClosingIssuesReferences)
	return pr
}

var _ pulls.Finder = (*Store)(nil)
