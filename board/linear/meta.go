package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
)

type milestoneWire struct {
	ID        string
	Name      string
	SortOrder float64
}

type milestonesWire struct {
	Nodes    []milestoneWire
	PageInfo pageInfo
}

// metaPart is what every look at the board begins with.
type metaPart struct {
	statesQuery
	Project struct {
		ID                string
		ProjectMilestones milestonesWire `graphql:"projectMilestones(first: 100)"`
	} `graphql:"project(id: $project)"`
}

func (b *Board) metaVars() map[string]any {
	return map[string]any{"states": b.statesFilter(), "project": text(b.o.ProjectID)}
}

// takeMeta takes over states and milestones.
func (b *Board) takeMeta(ctx context.Context, p *metaPart, err error) error {
	switch {
	case errors.Is(err, board.ErrNotFound):
		return b.whyNoProject(ctx, err)
	case err != nil:
		return err
	case len(p.WorkflowStates.Nodes) == 0:
		return b.whyNoTeam(ctx)
	}
	milestones, err := b.wholeMilestones(ctx, p.Project.ProjectMilestones)
	if err != nil {
		return err
	}
	b.mirror.states, b.mirror.milestones = b.statesOf(p.WorkflowStates.Nodes), milestones
	return nil
}

// wholeMilestones reads on where a project has more milestones than a page
// holds, and answers all in their project's order.
func (b *Board) wholeMilestones(ctx context.Context, first milestonesWire) ([]milestoneWire, error) {
	list, page := first.Nodes, first.PageInfo
	for page.more() {
		var q struct {
			Project struct {
				ProjectMilestones milestonesWire `graphql:"projectMilestones(first: 100, after: $after)"`
			} `graphql:"project(id: $project)"`
		}
		vars := map[string]any{"project": text(b.o.ProjectID), "after": cursorVar(page.EndCursor)}
		if err := b.client.query(ctx, toPoll, &q, vars); err != nil {
			return nil, fmt.Errorf("read on in the milestones: %w", err)
		}
		list, page = append(list, q.Project.ProjectMilestones.Nodes...), q.Project.ProjectMilestones.PageInfo
	}
	slices.SortStableFunc(list, byPlace)
	return list, nil
}

func (b *Board) readMeta(ctx context.Context) error {
	var p metaPart
	err := b.client.query(ctx, toPoll, &p, b.metaVars())
	return b.takeMeta(ctx, &p, err)
}

// milestoneID resolves a milestone's name in any case.
func (m *mirror) milestoneID(name string) (string, error) {
	if name == board.NoMilestone {
		return "", nil
	}
	var names []string
	for _, exact := range []bool{true, false} {
		for _, s := range m.milestones {
			if s.Name == name || !exact && equalFold(s.Name, name) {
				return s.ID, nil
			}
		}
	}
	for _, s := range m.milestones {
		names = append(names, s.Name)
	}
	if names == nil {
		return "", fmt.Errorf("%w: the project has no milestone %q, and no other; %s are the issues without one", board.ErrNotFound, name, board.NoMilestone)
	}
	return "", fmt.Errorf("%w: the project has no milestone %q; it has %s, and %s", board.ErrNotFound, name, someOf(name, names), board.NoMilestone)
}

// byPlace orders milestones as their project shows them.
func byPlace(a, b milestoneWire) int { return cmp.Compare(a.SortOrder, b.SortOrder) }
