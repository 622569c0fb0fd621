package linear

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// Label puts a label that the workspace or the team has on an issue, or takes
// it off, and leaves its other labels alone. A label in a group may be named
// with it: `Group/Label`; by itself where only one group has it, or where the
// issue carries only one of that name. A name that the board does not know, that
// is a group's, or that may be several labels is board.ErrNotFound; to take off
// what the issue does not carry is no error.
func (b *Board) Label(ctx context.Context, _ board.Actor, ref board.Ref, name string, add bool) error {
	if err := b.label(ctx, ref, name, add); err != nil {
		return fmt.Errorf("label %s: %w", ref, err)
	}
	return nil
}

func (b *Board) label(ctx context.Context, ref board.Ref, name string, add bool) error {
	r, _, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	group, leaf, grouped := strings.Cut(name, "/")
	if !grouped {
		leaf = name
	}
	has := slices.ContainsFunc(r.labels, func(l string) bool { return equalFold(l, name) || equalFold(l, leaf) })
	if has == add && !grouped || !has && !add {
		return nil
	}
	found, err := b.labelsNamed(ctx, name, group, leaf, grouped)
	if err != nil {
		return err
	}
	on := func(l labelWire) bool { return slices.Contains(r.labelIDs, l.ID) }
	if slices.ContainsFunc(found, on) == add {
		return nil
	}
	if !add {
		found = slices.DeleteFunc(found, func(l labelWire) bool { return !on(l) })
	}
	if len(found) > 1 {
		var names []string
		for _, l := range found {
			names = append(names, board.OneLine(l.full()))
		}
		return fmt.Errorf("%w: %q may be %s; name it with its group", board.ErrNotFound, name, strings.Join(names, " or "))
	}
	id, key := found[0].ID, "addedLabelIds"
	if !add {
		key = "removedLabelIds"
	}
	_, err = b.update(ctx, r, IssueUpdateInput{key: []string{id}}, func(r *row) bool { return slices.Contains(r.labelIDs, id) == add })
	return err
}

// labelWire is one label that the team's issues may carry.
type labelWire struct {
	ID      string
	Name    string
	IsGroup bool
	Parent  *struct{ Name string }
}

func (l *labelWire) full() string {
	if l.Parent == nil {
		return l.Name
	}
	return l.Parent.Name + "/" + l.Name
}

// labelsNamed are the labels of a name, with or without its group; there is at
// least one. A group itself is no label.
func (b *Board) labelsNamed(ctx context.Context, name, group, leaf string, grouped bool) ([]labelWire, error) {
	all, err := b.labels(ctx)
	if err != nil {
		return nil, err
	}
	var found []labelWire
	var names []string
	for _, l := range all {
		if l.IsGroup {
			if equalFold(l.Name, name) {
				return nil, fmt.Errorf("%w: %q is a group of labels; name one of its labels", board.ErrNotFound, board.OneLine(l.Name))
			}
			continue
		}
		names = append(names, l.full())
		if equalFold(l.Name, name) || grouped && l.Parent != nil && equalFold(l.Parent.Name, group) && equalFold(l.Name, leaf) {
			found = append(found, l)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w: the board has no label %q; it has %s", board.ErrNotFound, name, someOf(name, names))
	}
	return found, nil
}

// labels are the team's own and the workspace's.
func (b *Board) labels(ctx context.Context) ([]labelWire, error) {
	vars := map[string]any{"labels": IssueLabelFilter{"or": []any{
		map[string]any{"team": map[string]any{"id": eq(b.o.TeamID)}},
		map[string]any{"team": map[string]any{"null": true}},
	}}, "after": (*graphql.String)(nil)}
	var all []labelWire
	for {
		var q struct {
			IssueLabels struct {
				Nodes    []labelWire
				PageInfo pageInfo
			} `graphql:"issueLabels(filter: $labels, first: 100, after: $after)"`
		}
		if err := b.client.query(ctx, toRead, &q, vars); err != nil {
			return nil, fmt.Errorf("list the labels: %w", err)
		}
		all = append(all, q.IssueLabels.Nodes...)
		page := q.IssueLabels.PageInfo
		if !page.more() {
			return all, nil
		}
		vars["after"] = cursorVar(page.EndCursor)
	}
}
