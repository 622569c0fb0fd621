package ghproject

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// maxNamed is how many issues the words of a pull request may name: whoever
// writes them must not use up the hour's points with them.
const maxNamed = 20

// taskBranch is a branch of an issue (dispatcher-system.md, One task, one PR).
var taskBranch = regexp.MustCompile(`^task/([1-9][0-9]{0,8})-`)

// IssuesOf answers the rows that a pull request may belong to, closed ones
// included: by its branch, by what it says it fixes, and by what GitHub has
// linked to it, which is what the rows say of it as well. It costs a request,
// and one for each row; reading the whole board for it costs one for each
// hundred items and more.
func (b *Board) IssuesOf(ctx context.Context, pr board.PullRequest) ([]board.Issue, error) {
	var refs []board.Ref
	add := func(s string) {
		if ref, err := b.ParseRef(s); err == nil && !slices.Contains(refs, ref) && len(refs) < maxNamed {
			refs = append(refs, ref)
		}
	}
	if m := taskBranch.FindStringSubmatch(pr.Head); m != nil {
		add(m[1])
	}
	linked, err := b.linked(ctx, &pr)
	if err != nil {
		return nil, fmt.Errorf("look for the issues of %s: %w", board.OneLine(pr.Name), err)
	}
	for _, n := range linked {
		add(string(refOf(n)))
	}
	for _, ref := range pr.Issues {
		add(string(ref))
	}
	var rows []board.Issue
	for _, ref := range refs {
		i, err := b.Issue(ctx, ref)
		if errors.Is(err, board.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, i)
	}
	return rows, nil
}

// linked are the issues of this repository that GitHub has linked to a pull
// request of its own; a local one is none.
func (b *Board) linked(ctx context.Context, pr *board.PullRequest) ([]int, error) {
	if pr.Number <= 0 || !strings.Contains(strings.ToLower(pr.URL), "/"+strings.ToLower(b.o.Repository)+"/pull/") {
		return nil, nil
	}
	var q struct {
		Repository struct {
			PullRequest *struct {
				ClosingIssuesReferences struct {
					Nodes []struct {
						Number     int
						Repository struct{ NameWithOwner string }
					}
				} `graphql:"closingIssuesReferences(first: 50)"`
			} `graphql:"pullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	vars := b.repoVars()
	vars["number"] = graphql.Int(pr.Number) //nolint:gosec // GitHub's own
	err := b.query(ctx, &q, vars)
	if errors.Is(err, board.ErrNotFound) || err == nil && q.Repository.PullRequest == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, n := range q.Repository.PullRequest.ClosingIssuesReferences.Nodes {
		if b.mine(n.Repository.NameWithOwner) {
			numbers = append(numbers, n.Number)
		}
	}
	return numbers, nil
}
