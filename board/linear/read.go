package linear

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// Poll answers the rows that q asks for, in the board's order. When nothing
// has changed since the last poll it costs one request, and none when another
// question of the same firing was answered before.
func (b *Board) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	b.polling.Lock()
	defer b.polling.Unlock()
	rows, err := b.poll(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("poll the board: %w", err)
	}
	return rows, nil
}

func (b *Board) poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	m := &b.mirror
	if m.states == nil {
		if err := b.readMeta(ctx); err != nil {
			return nil, err
		}
	}
	s, err := b.wanted(ctx, q)
	if err != nil {
		return nil, err
	}
	need := scope{}
	if q.Closed {
		need = s
	}
	if err := b.sync(ctx, fmt.Sprintf("%v %v %q", q.Closed, q.AllMilestones, q.Milestones), need); err != nil {
		return nil, err
	}
	if m.states.wrong != nil {
		return nil, m.states.wrong
	}
	var found []*row
	for _, r := range m.rows {
		if (q.Closed || !closedType(r.State.Type)) && s.contains(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, m.states.order)
	out := make([]board.Issue, 0, len(found))
	for _, r := range found {
		out = append(out, b.issue(r, m.states))
	}
	return out, nil
}

// wanted resolves the milestones of a query; a name that the project does not
// know is an error, never an empty answer.
func (b *Board) wanted(ctx context.Context, q board.Query) (scope, error) {
	if q.AllMilestones {
		return scope{all: true}, nil
	}
	var s scope
	for _, name := range q.Milestones {
		id, err := b.mirror.milestoneID(name)
		if err != nil && b.mirror.rows != nil { // it may be new
			if err := b.readMeta(ctx); err != nil {
				return scope{}, err
			}
			id, err = b.mirror.milestoneID(name)
		}
		if err != nil {
			return scope{}, err
		}
		s.milestones = append(s.milestones, id)
	}
	return s, nil
}

func (s scope) contains(r *row) bool {
	return s.all || slices.Contains(s.milestones, r.milestone())
}

// Issue answers one row, whole and as it is now.
func (b *Board) Issue(ctx context.Context, ref board.Ref) (board.Issue, error) {
	r, s, err := b.one(ctx, ref)
	if err != nil {
		return board.Issue{}, err
	}
	return b.issue(r, s), nil
}

// one reads one row of this board.
func (b *Board) one(ctx context.Context, ref board.Ref) (*row, *states, error) {
	canonical, err := b.ParseRef(string(ref))
	if err != nil {
		return nil, nil, err
	}
	r, s, err := b.read(ctx, string(canonical))
	switch {
	case errors.Is(err, board.ErrNotFound):
		return nil, nil, fmt.Errorf("%w: there is no issue %s, or the key has no access to its team", board.ErrNotFound, canonical)
	case err != nil:
		return nil, nil, fmt.Errorf("read %s: %w", canonical, err)
	case r.Identifier != string(canonical) && r.Team.ID != b.o.TeamID:
		return nil, nil, fmt.Errorf("%w: %s is %s now, an issue of another team", board.ErrNotFound, canonical, board.OneLine(r.Identifier))
	}
	if why := b.gone(&r.whereWire); why != "" {
		return nil, nil, fmt.Errorf("%w: %s is not on this board: %s", board.ErrNotFound, canonical, why)
	}
	if s.wrong != nil {
		return nil, nil, fmt.Errorf("read %s: %w", canonical, s.wrong)
	}
	return r, s, nil
}

// Milestones lists the project's milestones in its order with how many open
// issues each has, NoMilestone last.
func (b *Board) Milestones(ctx context.Context) ([]board.Milestone, error) {
	open := map[string]int{}
	var first milestonesWire
	vars := b.metaVars()
	delete(vars, "states")
	vars["issues"], vars["rowsAfter"] = b.openFilter(), (*graphql.String)(nil)
	for {
		var q struct {
			Project struct {
				ProjectMilestones milestonesWire `graphql:"projectMilestones(first: 100)"`
			} `graphql:"project(id: $project)"`
			Issues struct {
				Nodes []struct {
					whereWire
					State struct{ Type string }
				}
				PageInfo pageInfo
			} `graphql:"issues(filter: $issues, first: 250, after: $rowsAfter)"`
		}
		err := b.client.query(ctx, toRead, &q, vars)
		if errors.Is(err, board.ErrNotFound) {
			err = b.whyNoProject(ctx, err)
		}
		if err != nil {
			return nil, fmt.Errorf("list the milestones: %w", err)
		}
		first = q.Project.ProjectMilestones
		for _, n := range q.Issues.Nodes {
			if b.gone(&n.whereWire) == "" && !closedType(n.State.Type) {
				open[n.milestone()]++
			}
		}
		if page := q.Issues.PageInfo; page.more() {
			vars["rowsAfter"] = cursorVar(page.EndCursor)
			continue
		}
		break
	}
	list, err := b.wholeMilestones(ctx, first)
	if err != nil {
		return nil, fmt.Errorf("list the milestones: %w", err)
	}
	out := make([]board.Milestone, 0, len(list)+1)
	for _, m := range list {
		out = append(out, board.Milestone{Name: m.Name, Open: open[m.ID]})
	}
	return append(out, board.Milestone{Name: board.NoMilestone, Open: open[""]}), nil
}
