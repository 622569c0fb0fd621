package ghproject

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

func graphqlString(s string) graphql.String { return graphql.String(s) }

// Claim takes a row or renews a claim on it. Of several sessions that take a
// row at once the one whose value stands after a short random pause has it; the
// others get ErrClaimConflict (design.md, section 6).
func (b *Board) Claim(ctx context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	c, err := b.claim(ctx, by, ref, req)
	if err != nil {
		return board.Claim{}, fmt.Errorf("claim %s: %w", ref, err)
	}
	c.Run = req.Run // the field has none
	return c, nil
}

func (b *Board) claim(ctx context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	c := board.Claim{Kind: req.Kind, Session: req.Session, Stamp: b.now().Truncate(time.Minute), From: req.From}
	if _, ok := parseClaim(fieldText(&c)); !ok {
		return c, fmt.Errorf("%w: %q cannot name a session", board.ErrForbidden, board.OneLine(req.Session))
	}
	r, cols, err := b.one(ctx, ref)
	if err != nil {
		return c, err
	}
	i := b.issue(r, cols)
	ours := i.Claim != nil && i.Claim.Session == req.Session
	switch {
	case req.Renew && !ours:
		return c, fmt.Errorf("%w: session %s no longer holds it", board.ErrClaimConflict, req.Session)
	case ours && (req.Renew || i.Claim.Kind == req.Kind):
		c.Kind, c.From = i.Claim.Kind, i.Claim.From
		if c.Stamp.Equal(i.Claim.Stamp) {
			return c, nil
		}
		_, err := b.write(ctx, r, cols, fieldText(&c))
		return c, err
	}
	if err := board.MayClaim(by, &i); err != nil {
		return c, err
	}
	if i.Claim != nil && !ours && !req.Steal && !i.Claim.Stale(b.now(), b.o.StaleWindow) {
		return c, fmt.Errorf("%w: session %s holds it", board.ErrClaimConflict, i.Claim.Session)
	}
	began, before := b.now(), ""
	if r.values.ClaimedBy != nil {
		before = r.values.ClaimedBy.Text.Text
	}
	if _, err := b.write(ctx, r, cols, fieldText(&c)); err != nil {
		return c, err
	}
	if took := b.now().Sub(began); took > slowWrite {
		return c, b.giveBack(ctx, ref, &c, before, took)
	}
	return c, b.stands(ctx, ref, &c)
}

// slowWrite is how long a claim may take to be written. One that was under way
// for longer may replace the claim of a rival who has looked for the last time
// and lets its worker push; the row is left to it.
const slowWrite = 10 * time.Second

// giveBack writes what the field held before the claim: the phase is in it too.
func (b *Board) giveBack(ctx context.Context, ref board.Ref, c *board.Claim, before string, took time.Duration) error {
	late := fmt.Errorf("%w: to write it took GitHub %s, and another session may have begun meanwhile", board.ErrClaimConflict, took.Round(time.Second))
	r, cols, err := b.one(ctx, ref)
	if err == nil && r.values.ClaimedBy != nil && r.values.ClaimedBy.Text.Text == fieldText(c) {
		if before == "" {
			_, err = b.set(ctx, r, cols.claimed, nil, func(n *row) bool { return n.values.ClaimedBy == nil })
		} else {
			_, err = b.write(ctx, r, cols, before)
		}
	}
	return errors.Join(late, err)
}

// stands looks after a moment whether our value is still there.
func (b *Board) stands(ctx context.Context, ref board.Ref, c *board.Claim) error {
	if err := b.o.Pause(ctx); err != nil {
		return fmt.Errorf("%w: the claim is written, but not whether it stands: %w", board.ErrUnknownOutcome, err)
	}
	r, cols, err := b.one(ctx, ref)
	if err != nil {
		return fmt.Errorf("%w: the claim is written, but not whether it stands: %w", board.ErrUnknownOutcome, err)
	}
	now := b.issue(r, cols).Claim
	if now == nil || now.Session != c.Session {
		other := "nobody"
		if now != nil {
			other = "session " + now.Session
		}
		return fmt.Errorf("%w: %s took it at the same time", board.ErrClaimConflict, other)
	}
	return nil
}

// Assign moves the phase and takes the claim away, in one write.
func (b *Board) Assign(ctx context.Context, _ board.Actor, ref board.Ref, to board.Delegate) error {
	r, cols, err := b.one(ctx, ref)
	if err == nil {
		_, err = b.write(ctx, r, cols, queued(to))
	}
	if err != nil {
		return fmt.Errorf("assign %s: %w", ref, err)
	}
	return nil
}

// Release empties the field and takes assignees away. With a session, another
// session's claim is left alone. What says that a row is a question stays: it
// is the column there.
func (b *Board) Release(ctx context.Context, _ board.Actor, ref board.Ref, session string) error {
	if err := b.release(ctx, ref, session); err != nil {
		return fmt.Errorf("release %s: %w", ref, err)
	}
	return nil
}

func (b *Board) release(ctx context.Context, ref board.Ref, session string) error {
	r, cols, err := b.one(ctx, ref)
	if err != nil {
		return err
	}
	i := b.issue(r, cols)
	if session != "" && i.Claim != nil && i.Claim.Session != session {
		return nil
	}
	if ids := assignees(r); len(ids) > 0 {
		var m struct {
			Remove struct {
				Assignable struct {
					Typename string `graphql:"__typename"`
				}
			} `graphql:"removeAssigneesFromAssignable(input: {assignableId: $issue, assigneeIds: $users})"`
		}
		if err := b.twice(ctx, &m, map[string]any{"issue": ID(r.ID), "users": ids}); err != nil {
			return err
		}
	}
	if r.values.ClaimedBy == nil || r.values.ClaimedBy.Text.Text == parked && b.virtual() && i.Role == board.RoleQuestion {
		return nil
	}
	_, err = b.set(ctx, r, cols.claimed, nil, func(n *row) bool { return n.values.ClaimedBy == nil })
	return err
}

func assignees(r *row) []ID {
	var ids []ID
	for _, a := range r.Assignees.Nodes {
		ids = append(ids, ID(a.ID))
	}
	return ids
}

// labelID is the id of a label, in any case.
func (b *Board) labelID(ctx context.Context, name string) (string, error) {
	vars := b.repoVars()
	vars["after"] = (*graphql.String)(nil)
	var names []string
	for range maxPages {
		var q struct {
			Repository struct {
				Labels struct {
					Nodes    []struct{ ID, Name string }
					PageInfo pageInfo
				} `graphql:"labels(first: 100, after: $after)"`
			} `graphql:"repository(owner: $owner, name: $name)"`
		}
		if err := b.query(ctx, &q, vars); err != nil {
			return "", err
		}
		for _, l := range q.Repository.Labels.Nodes {
			if strings.EqualFold(l.Name, name) {
				return l.ID, nil
			}
			names = append(names, board.OneLine(l.Name))
		}
		if !q.Repository.Labels.PageInfo.HasNextPage {
			break
		}
		vars["after"] = q.Repository.Labels.PageInfo.EndCursor
	}
	return "", fmt.Errorf("%w: the repository has no label %q; it has %s", board.ErrNotFound, board.OneLine(name), strings.Join(names, ", "))
}
