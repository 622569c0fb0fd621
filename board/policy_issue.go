package board

import (
	"context"
	"fmt"
)

// Create makes an issue; the owner alone does.
func (p *Policy) Create(ctx context.Context, n NewIssue) (Issue, error) {
	c, err := p.creator("creates issues")
	if err == nil {
		err = cleanNew(&n)
	}
	if err != nil {
		return Issue{}, fmt.Errorf("create an issue: %w", err)
	}
	return c.Create(ctx, p.actor, n)
}

// Edit changes an issue's text and belongings; the owner alone does.
func (p *Policy) Edit(ctx context.Context, ref Ref, e Edit) (Issue, error) {
	c, err := p.creator("edits issues")
	if err == nil {
		err = cleanEdit(&e)
	}
	if err != nil {
		return Issue{}, fmt.Errorf("edit %s: %w", ref, err)
	}
	return c.Edit(ctx, p.actor, ref, e)
}

// Block makes blocker hold ref back, or no longer; the owner alone does.
func (p *Policy) Block(ctx context.Context, ref, blocker Ref, on bool) error {
	c, err := p.creator("changes blockers")
	if err != nil {
		return fmt.Errorf("block %s: %w", ref, err)
	}
	return c.Block(ctx, p.actor, ref, blocker, on)
}

// Place moves a row within the board's order; the owner alone does.
func (p *Policy) Place(ctx context.Context, ref Ref, to Place) error {
	c, err := p.creator("orders the board")
	if err != nil {
		return fmt.Errorf("place %s: %w", ref, err)
	}
	return c.Place(ctx, p.actor, ref, to)
}

// Export is the whole board as one document.
func (p *Policy) Export(ctx context.Context) ([]byte, error) {
	port, ok := p.backend.(Porter)
	if !ok {
		return nil, fmt.Errorf("export the board: %w: only the native board has an export", ErrForbidden)
	}
	return port.Export(ctx)
}

// Import fills an empty board from such a document; the owner alone does.
func (p *Policy) Import(ctx context.Context, document []byte) (int, error) {
	if _, err := p.creator("imports issues"); err != nil {
		return 0, fmt.Errorf("import a board: %w", err)
	}
	port, ok := p.backend.(Porter)
	if !ok {
		return 0, fmt.Errorf("import a board: %w: only the native board has an import", ErrForbidden)
	}
	return port.Import(ctx, p.actor, document)
}

// creator is the backend as a board that keeps its issues itself, for the
// owner only.
func (p *Policy) creator(what string) (Creator, error) {
	if p.actor.Kind != ActorOwner {
		return nil, refuse("only the owner %s", what)
	}
	c, ok := p.backend.(Creator)
	if !ok {
		return nil, refuse("this board keeps its issues on its own pages; change them there")
	}
	return c, nil
}

func cleanNew(n *NewIssue) (err error) {
	if n.State == RoleNone {
		n.State = RoleBacklog
	}
	if n.State.Closed() && n.Parent == "" {
		return refuse("an issue without a parent is not created closed")
	}
	if n.Title, err = CleanTitle(n.Title); err != nil {
		return err
	}
	if n.Body, err = CleanBody(n.Body); err != nil {
		return err
	}
	if n.Milestone, err = CleanMilestone(n.Milestone); err != nil {
		return err
	}
	n.Labels, err = cleanLabels(n.Labels)
	return err
}

func cleanEdit(e *Edit) (err error) {
	set := func(field *string, clean func(string) (string, error)) *string {
		if field == nil || err != nil {
			return field
		}
		var s string
		s, err = clean(*field)
		return &s
	}
	e.Title = set(e.Title, CleanTitle)
	e.Body = set(e.Body, CleanBody)
	e.Milestone = set(e.Milestone, CleanMilestone)
	e.Assignee = set(e.Assignee, func(s string) (string, error) { return oneLine(s), nil })
	if err == nil {
		e.AddLabels, err = cleanLabels(e.AddLabels)
	}
	return err
}

func cleanLabels(in []string) ([]string, error) {
	var out []string
	for _, l := range in {
		clean, err := CleanLabel(l)
		if err != nil {
			return nil, err
		}
		if i := (Issue{Labels: out}); !i.HasLabel(clean) {
			out = append(out, clean)
		}
	}
	return out, nil
}
