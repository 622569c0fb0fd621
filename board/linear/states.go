package linear

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// states are the team's workflow states as they were just read, and what they
// mean to us.
type states struct {
	all    []stateWire // in the board's order
	roles  map[string]board.Role
	wrong  error // why the roles do not fit the states
	places map[string]int
}

// typeOrder is the order in which Linear shows the types of states.
var typeOrder = []string{"triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"}

// statesOf gives the states their roles, by name. A role without a state, two
// states of one name, and a type that says the opposite of the role are faults
// that stop every use: a board that is misread is worked wrongly.
func (b *Board) statesOf(nodes []stateWire) *states {
	s := &states{all: slices.Clone(nodes), roles: map[string]board.Role{}, places: map[string]int{}}
	slices.SortFunc(s.all, func(x, y stateWire) int {
		return cmp.Or(
			cmp.Compare(slices.Index(typeOrder, x.Type), slices.Index(typeOrder, y.Type)),
			cmp.Compare(x.Position, y.Position), cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID),
		)
	})
	for n, st := range s.all {
		s.places[st.ID] = n
	}
	var faults []string
	for _, role := range board.Roles() {
		name, ok := b.RoleState(role)
		if !ok {
			continue
		}
		st, err := s.named(name)
		if err != nil {
			faults = append(faults, fmt.Sprintf("the role %s: %v", role, err))
			continue
		}
		if closedType(st.Type) != role.Closed() {
			faults = append(faults, fmt.Sprintf("the role %s: the state %q is of the type %s", role, board.OneLine(st.Name), st.Type))
			continue
		}
		s.roles[st.ID] = role
	}
	if faults != nil {
		s.wrong = fmt.Errorf("the configuration's linear.states do not fit the team's states: %s", strings.Join(faults, "; "))
	}
	return s
}

// named is the one state of a name, in any case.
func (s *states) named(name string) (stateWire, error) {
	name = strings.TrimSpace(name)
	var found []stateWire
	var names []string
	for _, st := range s.all {
		names = append(names, st.Name)
		if strings.EqualFold(st.Name, name) {
			found = append(found, st)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return stateWire{}, fmt.Errorf("%w: the team has no state %q; it has %s", board.ErrNotFound, name, someOf(name, names))
	}
	return stateWire{}, fmt.Errorf("the team has %d states called %q; rename all but one in Linear", len(found), board.OneLine(found[0].Name))
}

func (s *states) roleOf(id string) board.Role { return s.roles[id] }

func (s *states) column(id string) int {
	if n, ok := s.places[id]; ok {
		return n
	}
	return len(s.all)
}

// statesQuery reads the team's states; every query that decides on states
// carries it.
type statesQuery struct {
	WorkflowStates struct{ Nodes []stateWire } `graphql:"workflowStates(filter: $states, first: 100)"`
}

func (b *Board) statesFilter() WorkflowStateFilter {
	return WorkflowStateFilter{"team": map[string]any{"id": eq(b.o.TeamID)}}
}

func eq(v any) map[string]any      { return map[string]any{"eq": v} }
func in(v any) map[string]any      { return map[string]any{"in": v} }
func text(s string) graphql.String { return graphql.String(s) }

// States lists the team's states in the board's order, whether or not the
// configured roles fit them.
func (b *Board) States(ctx context.Context) ([]board.State, error) {
	var q statesQuery
	if err := b.client.query(ctx, toRead, &q, map[string]any{"states": b.statesFilter()}); err != nil {
		return nil, fmt.Errorf("list the states: %w", err)
	}
	if len(q.WorkflowStates.Nodes) == 0 {
		return nil, fmt.Errorf("list the states: %w", b.whyNoTeam(ctx))
	}
	s := b.statesOf(q.WorkflowStates.Nodes)
	var out []board.State
	for _, st := range s.all {
		out = append(out, board.State{ID: st.ID, Name: st.Name, Role: s.roleOf(st.ID), Closed: closedType(st.Type)})
	}
	return out, nil
}

// whyNoTeam says what is wrong with the team's id: Linear answers an empty
// list to a team that the key does not see.
func (b *Board) whyNoTeam(ctx context.Context) error {
	var seen []labelled
	for after := (*graphql.String)(nil); ; {
		var q struct {
			Teams struct {
				Nodes    []struct{ ID, Key, Name string }
				PageInfo pageInfo
			} `graphql:"teams(first: 100, after: $after)"`
		}
		if err := b.client.query(ctx, toRead, &q, map[string]any{"after": after}); err != nil {
			return err
		}
		for _, t := range q.Teams.Nodes {
			if t.ID == b.o.TeamID {
				return fmt.Errorf("the team %s has no states", board.OneLine(t.Name))
			}
			seen = append(seen, labelled{t.Key, fmt.Sprintf("%s (%s, id %s)", t.Key, t.Name, t.ID)})
		}
		if !q.Teams.PageInfo.more() {
			break
		}
		after = cursorVar(q.Teams.PageInfo.EndCursor)
	}
	return fmt.Errorf("%w: the key sees no team %s (linear.teamId); it sees %s", board.ErrNotFound, board.OneLine(b.o.TeamID), nearestOf(b.o.TeamKey, seen))
}

// whyNoProject says what is wrong with the project's id.
func (b *Board) whyNoProject(ctx context.Context, cause error) error {
	var seen []labelled
	for after := (*graphql.String)(nil); ; {
		var q struct {
			Projects struct {
				Nodes    []struct{ ID, Name string }
				PageInfo pageInfo
			} `graphql:"projects(first: 100, after: $after)"`
		}
		if err := b.client.query(ctx, toRead, &q, map[string]any{"after": after}); err != nil {
			return cause
		}
		for _, p := range q.Projects.Nodes {
			seen = append(seen, labelled{p.ID, fmt.Sprintf("%s (id %s)", p.Name, p.ID)})
		}
		if !q.Projects.PageInfo.more() {
			break
		}
		after = cursorVar(q.Projects.PageInfo.EndCursor)
	}
	return fmt.Errorf("%w: the key sees no project %s (linear.projectId); it sees %s", board.ErrNotFound, board.OneLine(b.o.ProjectID), nearestOf(b.o.ProjectID, seen))
}
