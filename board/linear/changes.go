package linear

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/graphql"
)

// changesPart lists what has changed: ids and times alone, whatever the
// project, so that a row which was moved away is noticed.
type changesPart struct {
	Issues struct {
		Nodes []struct {
			ID        string
			UpdatedAt time.Time
		}
		PageInfo pageInfo
	} `graphql:"issues(filter: $issues, orderBy: updatedAt, includeArchived: true, first: 100, after: $rowsAfter)"`
	Comments struct {
		Nodes []struct {
			ID        string
			UpdatedAt time.Time
			Issue     *struct{ ID string }
		}
		PageInfo pageInfo
	} `graphql:"comments(filter: $comments, orderBy: updatedAt, first: 100, after: $wordsAfter)"`
}

// catchUp looks what has changed since the last look, and reads it.
func (b *Board) catchUp(ctx context.Context) error {
	changed, looked, err := b.changes(ctx)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(changed, rowsAPage) {
		rows, comments, err := b.fetchByID(ctx, chunk)
		if err != nil {
			return err
		}
		for _, id := range chunk {
			if !slices.ContainsFunc(rows, func(r *row) bool { return r.ID == id }) {
				delete(b.mirror.rows, id)
			}
		}
		b.keep(rows, comments)
	}
	b.mirror.looked = looked
	return nil
}

// changes are the ids of the issues that changed, or whose comments did, and
// when that was, by the server's clock.
func (b *Board) changes(ctx context.Context) ([]string, time.Time, error) {
	m := &b.mirror
	from := m.cursor
	if !m.looked.IsZero() {
		from = m.looked
	}
	since := from.Add(-overlap).UTC().Format("2006-01-02T15:04:05.000Z")
	newer := map[string]any{"gt": since}
	vars := b.metaVars()
	// The team's rows and those that hold ours back, wherever they are.
	team := map[string]any{"team": map[string]any{"id": eq(b.o.TeamID)}}
	vars["issues"] = IssueFilter{"updatedAt": newer, "or": []any{team}}
	if others := m.foreignBlockers(b.o.TeamKey); others != nil {
		vars["issues"] = IssueFilter{"updatedAt": newer, "or": []any{team, map[string]any{"id": in(others)}}}
	}
	vars["comments"] = CommentFilter{"updatedAt": newer, "issue": map[string]any{"project": map[string]any{"id": eq(b.o.ProjectID)}}}
	vars["rowsAfter"], vars["wordsAfter"] = (*graphql.String)(nil), (*graphql.String)(nil)
	var found []string
	var looked time.Time
	add := func(id string) {
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	for {
		var q struct {
			metaPart
			changesPart
		}
		err := b.client.query(ctx, toPoll, &q, vars)
		if err := b.takeMeta(ctx, &q.metaPart, err); err != nil {
			return nil, time.Time{}, err
		}
		if looked.IsZero() {
			looked = b.budget.serverTime()
		}
		for _, n := range q.Issues.Nodes {
			if n.UpdatedAt.After(m.seen[n.ID]) {
				m.blocked(n.ID, add)
				add(n.ID)
			}
		}
		for _, n := range q.Comments.Nodes {
			if n.Issue != nil && n.UpdatedAt.After(m.seen[n.ID]) {
				add(n.Issue.ID)
			}
		}
		rows, words := q.Issues.PageInfo, q.Comments.PageInfo
		if !rows.more() && !words.more() {
			return found, looked, nil
		}
		if rows.EndCursor != nil {
			vars["rowsAfter"] = cursorVar(rows.EndCursor)
		}
		if words.EndCursor != nil {
			vars["wordsAfter"] = cursorVar(words.EndCursor)
		}
	}
}

// maxForeign bounds how many issues of other teams are listed by their ids: a
// change of one beyond that is seen when everything is read anew.
const maxForeign = 200

// foreignBlockers are the issues of other teams that hold rows back. Those of
// the team are looked at anyway, whether they are in the copy or closed.
func (m *mirror) foreignBlockers(team string) []string {
	var ids []string
	for _, r := range m.rows {
		for _, w := range r.blockers {
			ours := strings.HasPrefix(strings.ToUpper(w.Issue.Identifier), strings.ToUpper(team)+"-")
			if w.Type == "blocks" && !ours && m.rows[w.Issue.ID] == nil && !slices.Contains(ids, w.Issue.ID) {
				ids = append(ids, w.Issue.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), maxForeign)]
}

// blocked adds the rows that an issue holds back, and the parent that shows it
// among its children: whether they are open is part of those rows.
func (m *mirror) blocked(id string, add func(string)) {
	changed := m.rows[id]
	for _, r := range m.rows {
		for _, w := range r.blockers {
			if w.Issue.ID == id {
				add(r.ID)
			}
		}
		if changed == nil {
			continue
		}
		for _, c := range r.children {
			if c.Identifier == changed.Identifier {
				add(r.ID)
			}
		}
	}
}
