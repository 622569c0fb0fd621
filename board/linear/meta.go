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

// metaPart is what every look at the board begins with.
type metaPart struct {
	statesQuery
	Project struct {
		ID                string
		ProjectMilestones struct{ Nodes []milestoneWire } `graphql:"projectMilestones(first: 100)"`
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
	b.mirror.states = b.statesOf(p.WorkflowStates.Nodes)
	b.mirror.milestones = p.Project.ProjectMilestones.Nodes
	slices.SortStableFunc(b.mirror.milestones, byPlace)
	return nil
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
