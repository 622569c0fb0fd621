package ghproject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// row is one issue of the board as it was read, with the columns of that time.
type row struct {
	issueWire
	item   string
	values valuesWire
	place  int // in board order
}

// columns are the options of Status as they are now.
type columns struct {
	status, claimed string // field ids
	options         []optionWire
	roles           map[string]board.Role // by option id
}

// columnsOf holds the project's fields against the configuration.
func (b *Board) columnsOf(p *projectWire) (*columns, error) {
	switch {
	case p.ID == "":
		return nil, b.noProject()
	case p.Status == nil:
		return nil, fmt.Errorf("%w: the project %q has no field Status", board.ErrNotFound, board.OneLine(p.Title))
	case p.Status.Typename != "ProjectV2SingleSelectField":
		return nil, fmt.Errorf("the field Status of the project %q is no single select field", board.OneLine(p.Title))
	case p.ClaimedBy == nil:
		return nil, fmt.Errorf("%w: the project %q has no field Claimed By: add one of the type Text", board.ErrNotFound, board.OneLine(p.Title))
	case p.ClaimedBy.Plain.DataType != "TEXT":
		return nil, fmt.Errorf("the field Claimed By of the project %q is no text field", board.OneLine(p.Title))
	}
	c := &columns{status: p.Status.Single.ID, claimed: p.ClaimedBy.Plain.ID, options: p.Status.Single.Options, roles: map[string]board.Role{}}
	var faults []string
	for _, role := range board.Roles() {
		name := b.o.States[role]
		if name == "" {
			continue
		}
		o, err := c.named(name)
		if err != nil {
			faults = append(faults, fmt.Sprintf("the role %s: %v", role, err))
			continue
		}
		c.roles[o.ID] = role
	}
	if faults != nil {
		return nil, fmt.Errorf("the configuration's github.states do not fit the options of Status: %s", strings.Join(faults, "; "))
	}
	return c, nil
}

// named is the one option of a name, in any case.
func (c *columns) named(name string) (optionWire, error) {
	var found []optionWire
	var names []string
	for _, o := range c.options {
		names = append(names, board.OneLine(o.Name))
		if strings.EqualFold(o.Name, strings.TrimSpace(name)) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return optionWire{}, fmt.Errorf("%w: Status has no option %q; it has %s", board.ErrNotFound, board.OneLine(name), strings.Join(names, ", "))
	}
	return optionWire{}, fmt.Errorf("status has %d options called %q; rename all but one", len(found), board.OneLine(name))
}

// sameRepository refuses a repository that has another name now: its rows would
// be taken for those of another one, and the board for empty.
func (b *Board) sameRepository(name string) error {
	if name == "" || b.mine(name) {
		return nil
	}
	return fmt.Errorf("%w: the repository %s is %s now: mend `repository` in the configuration, and the remote", board.ErrNotFound, b.o.Repository, board.OneLine(name))
}

func (b *Board) mine(repo string) bool { return strings.EqualFold(repo, b.o.Repository) }

// Poll answers the rows that q asks for, in the board's order.
func (b *Board) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	var closed func(string) bool
	if q.Closed {
		closed = func(milestone string) bool { return wanted(&q, milestone) }
	}
	seen, err := b.look(ctx, fmt.Sprintf("%+v", q), closed)
	if err == nil {
		err = b.known(&q, seen.milestones)
	}
	if err != nil {
		return nil, fmt.Errorf("poll the board: %w", err)
	}
	var out []board.Issue
	rows := slices.Clone(seen.rows)
	slices.SortStableFunc(rows, func(x, y *row) int { return seen.cols.column(x) - seen.cols.column(y) })
	for _, r := range rows {
		i := b.issue(r, seen.cols)
		if (q.Closed || !i.Closed) && wanted(&q, i.Milestone) {
			out = append(out, i)
		}
	}
	return out, nil
}

// column is where a row's column stands; rows without one come last.
func (c *columns) column(r *row) int {
	if r.values.Status != nil {
		for n, o := range c.options {
			if o.ID == r.values.Status.Single.OptionID {
				return n
			}
		}
	}
	return len(c.options)
}

func wanted(q *board.Query, milestone string) bool {
	if q.AllMilestones {
		return true
	}
	return slices.ContainsFunc(q.Milestones, func(m string) bool {
		return strings.EqualFold(m, milestone) || m == board.NoMilestone && milestone == ""
	})
}

// known refuses a milestone that the repository does not have.
func (*Board) known(q *board.Query, names []string) error {
	if q.AllMilestones {
		return nil
	}
	for _, m := range q.Milestones {
		if m != board.NoMilestone && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, m) }) {
			return fmt.Errorf("%w: the repository has no milestone %q; it has %s", board.ErrNotFound, board.OneLine(m), strings.Join(names, ", "))
		}
	}
	return nil
}

// allMilestones are the titles of the repository's milestones, of which the
// first are there.
func (b *Board) allMilestones(ctx context.Context, page milestonesWire) ([]string, error) {
	var names []string
	for range maxPages {
		for _, m := range page.Nodes {
			names = append(names, m.Title)
		}
		if !page.PageInfo.HasNextPage {
			break
		}
		var q struct {
			Repository struct {
				Milestones milestonesWire `graphql:"milestones(first: 100, after: $after, orderBy: {field: NUMBER, direction: ASC})"`
			} `graphql:"repository(owner: $owner, name: $name)"`
		}
		vars := b.repoVars()
		vars["after"] = page.PageInfo.EndCursor
		if err := b.query(ctx, &q, vars); err != nil {
			return nil, err
		}
		page = q.Repository.Milestones
	}
	return names, nil
}

func (b *Board) repoVars() map[string]any {
	return map[string]any{"owner": graphql.String(b.owner()), "name": graphql.String(b.repo())}
}

// Milestones lists the repository's milestones with how many open rows each
// has, NoMilestone last.
func (b *Board) Milestones(ctx context.Context) ([]board.Milestone, error) {
	seen, err := b.look(ctx, "milestones", nil)
	if err != nil {
		return nil, fmt.Errorf("list the milestones: %w", err)
	}
	open := map[string]int{}
	for _, r := range seen.rows {
		if i := b.issue(r, seen.cols); !i.Closed {
			open[i.Milestone]++
		}
	}
	out := make([]board.Milestone, 0, len(seen.milestones)+1)
	for _, n := range seen.milestones {
		out = append(out, board.Milestone{Name: n, Open: open[n]})
	}
	return append(out, board.Milestone{Name: board.NoMilestone, Open: open[""]}), nil
}

// States lists the options of Status in their order.
func (b *Board) States(ctx context.Context) ([]board.State, error) {
	var q struct {
		Node struct {
			Project projectWire `graphql:"... on ProjectV2"`
		} `graphql:"node(id: $project)"`
	}
	if err := b.query(ctx, &q, map[string]any{"project": ID(b.o.ProjectID)}); err != nil {
		return nil, fmt.Errorf("list the states: %w", err)
	}
	cols, err := b.columnsOf(&q.Node.Project)
	if err != nil {
		return nil, fmt.Errorf("list the states: %w", err)
	}
	var out []board.State
	for _, o := range cols.options {
		role := cols.roles[o.ID]
		out = append(out, board.State{ID: o.ID, Name: o.Name, Role: role, Closed: role.Closed()})
	}
	if b.virtual() {
		out = append(out, board.State{ID: parked, Name: virtualQuestion, Role: board.RoleQuestion})
	}
	return out, nil
}

// Issue answers one row, whole and as it is now.
func (b *Board) Issue(ctx context.Context, ref board.Ref) (board.Issue, error) {
	r, cols, err := b.one(ctx, ref)
	if err != nil {
		return board.Issue{}, err
	}
	return b.issue(r, cols), nil
}

// one reads one row of this board. An issue may be in many projects: its items
// are paged through until ours is there.
func (b *Board) one(ctx context.Context, ref board.Ref) (*row, *columns, error) {
	canonical, err := b.ParseRef(string(ref))
	if err != nil {
		return nil, nil, err
	}
	n, err := number(canonical)
	if err != nil {
		return nil, nil, err
	}
	vars := b.repoVars()
	vars["project"], vars["number"], vars["after"] = ID(b.o.ProjectID), graphql.Int(n), (*graphql.String)(nil) //nolint:gosec // nine digits at most
	vars["whole"] = graphql.Boolean(true)
	for range maxPages {
		var q rowQuery
		switch err := b.query(ctx, &q, vars); {
		case errors.Is(err, board.ErrNotFound) && strings.Contains(err.Error(), "to an Issue "):
			return nil, nil, fmt.Errorf("%w: there is no issue %s in %s", board.ErrNotFound, canonical, b.o.Repository)
		case err != nil:
			return nil, nil, fmt.Errorf("read %s: %w", canonical, err)
		}
		cols, err := b.columnsOf(&q.Node.Project)
		if err == nil {
			err = b.sameRepository(q.Repository.NameWithOwner)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", canonical, err)
		}
		issue := q.Repository.Issue
		if issue == nil {
			return nil, nil, fmt.Errorf("%w: there is no issue %s in %s", board.ErrNotFound, canonical, b.o.Repository)
		}
		for i := range issue.ProjectItems.Nodes {
			it := &issue.ProjectItems.Nodes[i]
			if it.Project.ID != b.o.ProjectID {
				continue
			}
			if it.IsArchived {
				return nil, nil, fmt.Errorf("%w: %s is archived in the project; restore it there", board.ErrNotFound, canonical)
			}
			return &row{issueWire: issue.issueWire, item: it.ID, values: it.valuesWire}, cols, nil
		}
		if !issue.ProjectItems.PageInfo.HasNextPage {
			return nil, nil, fmt.Errorf("%w: %s is not in the project: add it there", board.ErrNotFound, canonical)
		}
		vars["after"] = issue.ProjectItems.PageInfo.EndCursor
	}
	return nil, nil, fmt.Errorf("%w: %s is in too many projects to find ours", board.ErrNotFound, canonical)
}
