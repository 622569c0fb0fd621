package github

import (
	"context"
	"slices"

	"github.com/shurcooL/graphql"
)

// maxMore bounds how many further pages of one list are read: 500 reviews of a
// pull request, of which the oldest are left out beyond that, and 1,000 findings
// of a review, twice what one of ours may have.
const maxMore = 10

// readOn reads what did not fit into the first pages of a pull request: reviews
// before the last 50, and findings of a review after the first 30.
func (s *Store) readOn(ctx context.Context, w *pullWire) error {
	r := &w.Reviews
	for range maxMore {
		if !r.PageInfo.HasPreviousPage {
			break
		}
		var q struct {
			Node struct {
				Pull struct {
					Reviews reviewsPage `graphql:"reviews(last: 50, before: $before)"`
				} `graphql:"... on PullRequest"`
			} `graphql:"node(id: $id)"`
		}
		if err := s.read.gql.Query(ctx, &q, map[string]any{"id": ID(w.ID), "before": r.PageInfo.StartCursor, "findings": graphql.Boolean(true)}); err != nil {
			return err
		}
		earlier := &q.Node.Pull.Reviews
		r.Nodes, r.PageInfo = slices.Concat(earlier.Nodes, r.Nodes), earlier.PageInfo
	}
	for i := range r.Nodes {
		if err := s.readFindingsOn(ctx, &r.Nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readFindingsOn(ctx context.Context, w *reviewWire) error {
	c := &w.Comments
	for range maxMore {
		if !c.PageInfo.HasNextPage {
			return nil
		}
		var q struct {
			Node struct {
				Review struct {
					Comments findingsPage `graphql:"comments(first: 100, after: $after)"`
				} `graphql:"... on PullRequestReview"`
			} `graphql:"node(id: $id)"`
		}
		if err := s.read.gql.Query(ctx, &q, map[string]any{"id": ID(w.ID), "after": c.PageInfo.EndCursor}); err != nil {
			return err
		}
		more := &q.Node.Review.Comments
		c.Nodes, c.PageInfo = append(c.Nodes, more.Nodes...), more.PageInfo
	}
	return nil
}
