package linear

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/graphql"
)

// changesPart lists what has changed: ids and times alone, whatever the
// project or the team, so that a row which was moved away is noticed; one that
// left both at once is gone when all is read anew. Comments and
// attachments are asked for by themselves: whether they move their issue's time
// no source says. Attachments cannot be narrowed to a project.
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
	Attachments struct {
		Nodes    []linkWire
		PageInfo pageInfo
	} `graphql:"attachments(filter: $links, orderBy: updatedAt, first: 50, after: $linksAfter)"`
}

// linkWire is an attachment with whose it is.
type linkWire struct {
	ID        string
	URL       string
	UpdatedAt time.Time
	Issue     struct{ ID string }
}

// change is what has changed since the last look.
type change struct {
	issues []string   // ids of those that changed, or something of theirs
	links  []linkWire // attachments that changed
	looked time.Time  // when that was, by the server's clock; zero where it told none
}

func (c *change) add(id string) {
	if !slices.Contains(c.issues, id) {
		c.issues = append(c.issues, id)
	}
}

// catchUp looks what has changed since the last look, and reads it.
func (b *Board) catchUp(ctx context.Context) error {
	changed, err := b.changes(ctx)
	if err != nil {
		return err
	}
	m := &b.mirror
	for chunk := range slices.Chunk(changed.issues, rowsAPage) {
		rows, comments, err := b.fetchByID(ctx, chunk)
		if err != nil {
			return err
		}
		for _, id := range chunk {
			if !slices.ContainsFunc(rows, func(r *row) bool { return r.ID == id }) {
				delete(m.rows, id)
			}
		}
		b.keep(rows, comments)
	}
	for _, l := range changed.links {
		// A read of the row that came too early is made again with the next look.
		if r := m.rows[l.Issue.ID]; r == nil || slices.Contains(r.links, l.URL) {
			m.saw(l.ID, l.UpdatedAt)
		}
	}
	m.looked = changed.looked
	return nil
}

// changes looks what has changed.
func (b *Board) changes(ctx context.Context) (*change, error) {
	vars := b.changesVars()
	var found change
	for {
		var q struct {
			metaPart
			changesPart
		}
		err := b.client.query(ctx, toPoll, &q, vars)
		if err := b.takeMeta(ctx, &q.metaPart, err); err != nil {
			return nil, err
		}
		if found.looked.IsZero() {
			found.looked = b.budget.serverTime()
		}
		b.mirror.changed(&q.changesPart, &found)
		more := false
		for name, page := range map[string]pageInfo{
			"rowsAfter": q.Issues.PageInfo, "wordsAfter": q.Comments.PageInfo, "linksAfter": q.Attachments.PageInfo,
		} {
			more = more || page.more()
			if page.EndCursor != nil {
				vars[name] = cursorVar(page.EndCursor)
			}
		}
		if !more {
			return &found, nil
		}
	}
}

// changesVars ask for what is newer than the last look.
func (b *Board) changesVars() map[string]any {
	m := &b.mirror
	from := m.cursor
	if !m.looked.IsZero() {
		from = m.looked
	}
	since := from.Add(-overlap).UTC().Format("2006-01-02T15:04:05.000Z")
	newer := map[string]any{"gt": since}
	vars := b.metaVars()
	// The team's rows and the project's, so that one that left either is noticed,
	// and those that hold ours back, wherever they are.
	either := []any{map[string]any{"team": map[string]any{"id": eq(b.o.TeamID)}}, map[string]any{"project": map[string]any{"id": eq(b.o.ProjectID)}}}
	if others := m.foreignBlockers(b.o.TeamKey); others != nil {
		either = append(either, map[string]any{"id": in(others)})
	}
	vars["issues"] = IssueFilter{"updatedAt": newer, "or": either}
	vars["comments"] = CommentFilter{"updatedAt": newer, "issue": map[string]any{"project": map[string]any{"id": eq(b.o.ProjectID)}}}
	vars["links"] = AttachmentFilter{"updatedAt": newer}
	for _, after := range []string{"rowsAfter", "wordsAfter", "linksAfter"} {
		vars[after] = (*graphql.String)(nil)
	}
	return vars
}

// changed adds what a page lists and has not been read since.
func (m *mirror) changed(p *changesPart, found *change) {
	for _, n := range p.Issues.Nodes {
		if n.UpdatedAt.After(m.seen[n.ID]) {
			m.blocked(n.ID, found.add)
			found.add(n.ID)
		}
	}
	for _, n := range p.Comments.Nodes {
		if n.Issue != nil && n.UpdatedAt.After(m.seen[n.ID]) {
			found.add(n.Issue.ID)
		}
	}
	for _, n := range p.Attachments.Nodes {
		if n.UpdatedAt.After(m.seen[n.ID]) && m.rows[n.Issue.ID] != nil {
			found.add(n.Issue.ID)
			found.links = append(found.links, n)
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
