package board

import (
	"context"
	"fmt"
	"strings"
)

// Comment adds a comment under a role's tag, or untagged as the owner. A
// worker's tag is its own kind and its issue its own or a sub-issue; nobody
// but the owner writes as the owner.
func (p *Policy) Comment(ctx context.Context, ref Ref, as ActorKind, body string) (Comment, error) {
	body, err := p.mayComment(ctx, ref, as, body)
	if err != nil {
		return Comment{}, fmt.Errorf("comment on %s: %w", ref, err)
	}
	return p.backend.Comment(ctx, p.actor, ref, as, body)
}

func (p *Policy) mayComment(ctx context.Context, ref Ref, as ActorKind, body string) (string, error) {
	switch as {
	case ActorDeveloper, ActorReviewer, ActorCleaner, ActorDispatcher:
	case ActorOwner:
		if p.actor.Kind != ActorOwner {
			return "", refuse("an untagged comment is the owner's; say --as %s", p.actor.Kind)
		}
		if err := mayStandUntagged(body); err != nil {
			return "", err
		}
	case ActorAutomation:
		return "", refuse("there is no comment tag %s", as)
	default:
		return "", refuse("there is no comment tag %q; the tags are dispatcher, developer, reviewer, cleaner", as)
	}
	if p.actor.Worker() {
		if as != p.actor.Kind {
			return "", refuse("a %s comments --as %s", p.actor.Kind, p.actor.Kind)
		}
		if err := p.own(ctx, ref); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(body) == "" {
		return "", refuse("the comment is empty")
	}
	return CleanBody(body)
}

// own refuses a worker an issue that is neither its own nor a sub-issue of it.
func (p *Policy) own(ctx context.Context, ref Ref) error {
	if sameRef(ref, p.actor.Ref) {
		return nil
	}
	i, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	return ownIssue(p.actor, &i)
}

// Uncomment takes the owner's newest words off a row again, as long as nobody
// has said anything after them. Where a board keeps every comment it is refused.
func (p *Policy) Uncomment(ctx context.Context, ref Ref, id string) error {
	i, err := p.Row(ctx, ref)
	if err == nil {
		err = p.mayUncomment(&i, id)
	}
	if err != nil {
		return fmt.Errorf("take a comment off %s: %w", ref, err)
	}
	u, ok := p.backend.(Uncommenter)
	if !ok {
		return fmt.Errorf("take a comment off %s: %w", ref, refuse("this board keeps every comment"))
	}
	return u.Uncomment(ctx, p.actor, i.Ref, id)
}

func (p *Policy) mayUncomment(i *Issue, id string) error {
	switch n := len(i.Comments); {
	case p.actor.Kind != ActorOwner:
		return refuse("only the owner takes a comment back")
	case i.Unreadable != "":
		return unreadable(i)
	case n == 0 || i.Comments[n-1].ID != id:
		return refuse("it is not the last one any more")
	case i.Comments[n-1].Role != ActorOwner:
		return refuse("it is not yours")
	}
	return nil
}

// Label adds or removes a label that the board already knows.
func (p *Policy) Label(ctx context.Context, ref Ref, name string, add bool) error {
	what := "take label %q from %s: %w"
	if add {
		what = "put label %q on %s: %w"
	}
	if p.actor.Worker() {
		return fmt.Errorf(what, name, ref, refuse("a %s changes no labels", p.actor.Kind))
	}
	if add {
		clean, err := CleanLabel(name)
		if err != nil {
			return fmt.Errorf(what, name, ref, err)
		}
		name = clean
	}
	return p.backend.Label(ctx, p.actor, ref, name, add)
}

// LinkPR attaches a pull request to an issue. A developer links its own.
func (p *Policy) LinkPR(ctx context.Context, ref Ref, pr string) error {
	var err error
	if p.actor.Kind == ActorReviewer || p.actor.Kind == ActorCleaner {
		err = refuse("a %s links no pull request", p.actor.Kind)
	} else if p.actor.Worker() {
		err = p.own(ctx, ref)
	}
	if err != nil {
		return fmt.Errorf("link %s to %s: %w", pr, ref, err)
	}
	return p.backend.LinkPR(ctx, p.actor, ref, pr)
}

// Tick sets or clears one checkbox of the description: the one edit of an
// issue that its developer makes (dispatcher-system.md, One task, one PR).
func (p *Policy) Tick(ctx context.Context, ref Ref, box Box) error {
	var err error
	switch {
	case p.actor.Kind == ActorDeveloper:
		err = p.own(ctx, ref)
	case p.actor.Kind != ActorOwner:
		err = refuse("the developer ticks the boxes of its issue, a %s does not", p.actor.Kind)
	}
	if err != nil {
		return fmt.Errorf("tick a box of %s: %w", ref, err)
	}
	return p.backend.Tick(ctx, p.actor, ref, box)
}

// Answer replies to a Question and moves the row on in one step: to the given
// role, or by default to Ready without a pull request and to Changes Requested
// with one (dispatcher-system.md, Questions). The reply is written first, so
// that what is cut in between is a reply without a move, which loses nothing.
func (p *Policy) Answer(ctx context.Context, ref Ref, body string, to Role) error {
	i, err := p.Row(ctx, ref)
	switch {
	case err != nil:
	case p.actor.Kind != ActorOwner:
		err = refuse("only the owner answers a question")
	case i.Unreadable != "":
		err = unreadable(&i)
	case i.Role != RoleQuestion:
		err = refuse("it is in %s and asks nothing; to say something, comment on it", quoteState(i.State))
	}
	if err != nil {
		return fmt.Errorf("answer %s: %w", ref, err)
	}
	if to == RoleNone {
		to = RoleReady
		if len(i.PRs) > 0 {
			to = RoleChangesRequested
		}
	}
	if err := MayMove(p.actor, &i, to, to.Closed()); err != nil {
		return fmt.Errorf("answer %s: %w", ref, err)
	}
	if _, err := p.Comment(ctx, i.Ref, ActorOwner, body); err != nil {
		return fmt.Errorf("answer %s: %w", ref, err)
	}
	if err := p.SetStateFrom(ctx, i.Ref, to, RoleQuestion); err != nil {
		return fmt.Errorf("answer %s: the reply is written, the row was not moved: %w", ref, err)
	}
	return nil
}
