package github

import (
	"context"
	"slices"
	"time"
)

// settledPage is a page of those that ended, what changed last first.
type settledPage struct {
	Nodes    []markWire
	PageInfo pageInfo
}

// maxSettled bounds how many that ended are listed, and maxSettledPages how many
// further pages of them a sweep asks for: as many as that takes.
const (
	maxSettled      = 300
	maxSettledPages = 3
)

// readOnSettled reads further pages of those that ended, back to what the last
// sweep saw: more may end between two sweeps than one page holds, while the
// machine sleeps. The first sweep of a process reads none.
func (s *Store) readOnSettled(ctx context.Context, page settledPage) ([]markWire, error) {
	s.mu.Lock()
	since := s.settledAt
	s.mu.Unlock()
	marks := page.Nodes
	for range maxSettledPages {
		if since.IsZero() || !page.PageInfo.HasNextPage || len(page.Nodes) == 0 || !page.Nodes[len(page.Nodes)-1].UpdatedAt.After(since) {
			break
		}
		vars := s.repoVars()
		vars["after"] = page.PageInfo.EndCursor
		q, _, err := query[struct {
			Repository struct {
				Settled settledPage `graphql:"settled: pullRequests(states: [MERGED, CLOSED], first: 100, after: $after, orderBy: {field: UPDATED_AT, direction: DESC})"`
			} `graphql:"repository(owner: $owner, name: $name)"`
		}](ctx, s, vars)
		if err != nil {
			return nil, err
		}
		page = q.Repository.Settled
		marks = append(marks, page.Nodes...)
	}
	return marks, nil
}

// retain adds those that ended and were seen earlier: a row keeps its pull
// request although others end after it. Of too many those that changed longest
// ago go.
func (s *Store) retain(marks []markWire) []markWire {
	s.mu.Lock()
	defer s.mu.Unlock()
	latest := time.Unix(0, 0) // none ended yet, which is not the same as no sweep
	now := make(map[string]bool, len(marks))
	for i := range marks {
		now[marks[i].ID] = true
		if marks[i].State != "OPEN" && marks[i].UpdatedAt.After(latest) {
			latest = marks[i].UpdatedAt
		}
	}
	s.settledAt = latest
	settled := slices.DeleteFunc(slices.Clone(marks), func(m markWire) bool { return m.State == "OPEN" })
	settled = append(settled, slices.DeleteFunc(s.settled, func(m markWire) bool { return now[m.ID] })...)
	slices.SortStableFunc(settled, func(a, b markWire) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	s.settled = settled[:min(len(settled), maxSettled):min(len(settled), maxSettled)]
	open := slices.DeleteFunc(marks, func(m markWire) bool { return m.State != "OPEN" })
	return append(open, s.settled...)
}
