package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Create makes an issue at the end of the board.
func (b *Board) Create(ctx context.Context, by board.Actor, n board.NewIssue) (board.Issue, error) {
	var made board.Issue
	err := b.updateMeta(ctx, func(m *meta) error {
		r, err := b.newRecord(ctx, by, n, m)
		if err != nil {
			return err
		}
		data, err := r.encode()
		if err != nil {
			return err
		}
		if err := writeIssue(b.issuePath(r.Ref), data); err != nil {
			return err
		}
		b.logCreated(ctx, by, r)
		made = r.issue(m)
		return nil
	})
	if err != nil {
		return board.Issue{}, fmt.Errorf("create an issue: %w", err)
	}
	return made, nil
}

// logCreated appends the first event of an issue; if it cannot be appended the
// next change fills it in.
func (b *Board) logCreated(ctx context.Context, by board.Actor, r *record) {
	c := change{r: r, by: by}
	c.did("created", "title", r.Title, "state", r.State, "milestone", r.Milestone)
	known := logged{}
	if b.logEvents(context.WithoutCancel(ctx), []Event{c.event()}) == nil {
		known.rev = r.Rev
	}
	log := b.openLogged(r.Ref)
	log.write(known)
	log.close()
}

func (b *Board) newRecord(ctx context.Context, by board.Actor, n board.NewIssue, m *meta) (*record, error) {
	if n.State == board.RoleNone {
		n.State = board.RoleBacklog
	}
	now := b.now()
	r := &record{
		Rev: 1, Title: n.Title, Body: n.Body, State: string(n.State),
		Moved:     moved{To: string(n.State), At: now, By: by.Kind},
		Milestone: n.Milestone, CreatedAt: now, UpdatedAt: now, CreatedBy: firstOf(by.Name, string(by.Kind)),
	}
	var err error
	for _, ref := range n.Blockers {
		if ref, err = b.existing(ref); err != nil {
			return nil, err
		}
		if !slices.Contains(r.Blockers, ref) {
			r.Blockers = append(r.Blockers, ref)
		}
	}
	if n.Parent != "" {
		if r.Parent, err = b.existing(n.Parent); err != nil {
			return nil, err
		}
	}
	if err := b.checkNew(ctx, r); err != nil {
		return nil, err
	}
	addLabels(r, m, n.Labels)
	if r.Milestone != "" && !slices.Contains(m.Milestones, r.Milestone) {
		m.Milestones = append(m.Milestones, r.Milestone)
	}
	for m.Next = max(m.Next, 1); ; m.Next++ {
		_, err := os.Lstat(b.issuePath(b.ref(m.Next)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("look for a free number: %w", err)
		}
	}
	r.Ref, r.Rank = b.ref(m.Next), rankOf(m.Next)
	m.Next++
	return r, nil
}

// existing is the canonical form of a ref that the board has.
func (b *Board) existing(ref board.Ref) (board.Ref, error) {
	canonical, err := b.canonical(ref)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(b.issuePath(canonical)); err != nil {
		return "", fmt.Errorf("%w: there is no issue %s", board.ErrNotFound, canonical)
	}
	return canonical, nil
}

// addLabels puts labels on an issue; a new one comes into being, a known one
// keeps the board's spelling.
func addLabels(r *record, m *meta, labels []string) (changed bool) {
	for _, l := range labels {
		m.Labels = withName(m.Labels, l)
		at := slices.IndexFunc(m.Labels, func(k string) bool { return strings.EqualFold(k, l) })
		before := len(r.Labels)
		r.Labels = withName(r.Labels, m.Labels[at])
		changed = changed || len(r.Labels) != before
	}
	return changed
}

// Edit changes an issue's text and belongings.
func (b *Board) Edit(ctx context.Context, by board.Actor, ref board.Ref, e board.Edit) (board.Issue, error) {
	err := b.updateMeta(ctx, func(m *meta) error {
		if e.Parent != nil {
			if err := b.checkParent(ctx, ref, e.Parent); err != nil {
				return fmt.Errorf("edit %s: %w", ref, err)
			}
		}
		return b.update(ctx, by, ref, "edit", func(c *change) error {
			if fields := c.r.edit(m, e); len(fields) > 0 {
				c.kind, c.fields = "edit", fields
				return nil
			}
			return errSame
		})
	})
	if err != nil {
		return board.Issue{}, err
	}
	return b.Issue(ctx, ref)
}

// edit applies an edit and answers the fields that changed.
func (r *record) edit(m *meta, e board.Edit) map[string]any {
	fields := map[string]any{}
	set := func(name string, field *string, value *string) {
		if value != nil && *field != *value {
			*field, fields[name] = *value, *value
		}
	}
	set("title", &r.Title, e.Title)
	set("body", &r.Body, e.Body)
	if _, long := fields["body"]; long {
		fields["body"] = true // the text stands in the issue
	}
	set("milestone", &r.Milestone, e.Milestone)
	if r.Milestone != "" && !slices.Contains(m.Milestones, r.Milestone) {
		m.Milestones = append(m.Milestones, r.Milestone)
	}
	set("assignee", &r.Assignee, e.Assignee)
	if e.Parent != nil && r.Parent != *e.Parent {
		r.Parent, fields["parent"] = *e.Parent, *e.Parent
	}
	if addLabels(r, m, e.AddLabels) {
		fields["labelsAdded"] = e.AddLabels
	}
	before := len(r.Labels)
	r.Labels = slices.DeleteFunc(r.Labels, func(l string) bool {
		return slices.ContainsFunc(e.RemoveLabels, func(x string) bool { return strings.EqualFold(x, l) })
	})
	if len(r.Labels) != before {
		fields["labelsRemoved"] = e.RemoveLabels
	}
	return fields
}
