package linear

import (
	"context"
	"errors"
	"fmt"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// How much one page asks for at first. A page that Linear calls too complex is
// asked again at half the size, and stays so.
const (
	rowsAPage     = 40
	commentsAPage = 200
)

type (
	rowsPart struct {
		Issues struct {
			Nodes    []rowWire
			PageInfo pageInfo
		} `graphql:"issues(filter: $issues, first: $rows, after: $rowsAfter, includeArchived: $archived)"`
	}
	commentsPart struct {
		Comments struct {
			Nodes    []commentOn
			PageInfo pageInfo
		} `graphql:"comments(filter: $comments, first: $words, after: $wordsAfter)"`
	}
)

// cursorVar is a page's cursor as a variable that may be null.
func cursorVar(c *string) *graphql.String {
	if c == nil {
		return nil
	}
	s := graphql.String(*c)
	return &s
}

// reading is a list of rows and one of their comments, read side by side: one
// request takes the next page of both.
type reading struct {
	b        *Board
	issues   IssueFilter
	comments CommentFilter
	archived bool
	most     int // rows that there can be; 0 is any number

	rows      []*row
	words     []commentOn
	rowsMore  bool
	wordsMore bool
	rowsAt    *string
	wordsAt   *string
}

// fetch reads all rows that fit the filter, and all comments that fit theirs.
func (b *Board) fetch(ctx context.Context, issues IssueFilter, comments CommentFilter) ([]*row, []commentOn, error) {
	return b.readAll(ctx, &reading{b: b, issues: issues, comments: comments, rowsMore: true, wordsMore: true})
}

// fetchByID is fetch for some rows, archived ones too. Linear charges for the
// page that is asked for, so that no more is asked for than there can be.
func (b *Board) fetchByID(ctx context.Context, ids []string) ([]*row, []commentOn, error) {
	return b.readAll(ctx, &reading{
		b: b, issues: IssueFilter{"id": in(ids)}, comments: CommentFilter{"issue": map[string]any{"id": in(ids)}},
		archived: true, most: len(ids), rowsMore: true, wordsMore: true,
	})
}

// wordsARow is how many comments a changed row is expected to have.
const wordsARow = 40

func (b *Board) readAll(ctx context.Context, r *reading) ([]*row, []commentOn, error) {
	for r.rowsMore || r.wordsMore {
		err := r.page(ctx)
		if errors.Is(err, errComplex) && b.mirror.smaller() {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if r.rowsMore || r.wordsMore { // how many there are Linear does not say
			b.Told(board.Progress{Board: "Linear", Rows: len(r.rows)})
		}
	}
	for n, row := range r.rows {
		if !row.short {
			continue
		}
		whole, _, err := b.read(ctx, row.Identifier)
		if err != nil {
			return nil, nil, err
		}
		r.rows[n] = whole
	}
	return r.rows, r.words, nil
}

func (r *reading) page(ctx context.Context) error {
	rows, words := r.b.mirror.pageSizes()
	if r.most > 0 {
		rows, words = min(rows, r.most), min(words, wordsARow*r.most)
	}
	vars := map[string]any{}
	if r.rowsMore {
		vars["issues"], vars["rows"], vars["rowsAfter"] = r.issues, graphql.Int(rows), cursorVar(r.rowsAt)
		vars["archived"] = graphql.Boolean(r.archived)
	}
	if r.wordsMore {
		vars["comments"], vars["words"], vars["wordsAfter"] = r.comments, graphql.Int(words), cursorVar(r.wordsAt)
	}
	switch {
	case r.rowsMore && r.wordsMore:
		var q struct {
			rowsPart
			commentsPart
		}
		if err := r.b.client.query(ctx, toPoll, &q, vars); err != nil {
			return err
		}
		r.takeRows(&q.rowsPart)
		r.takeWords(&q.commentsPart)
	case r.rowsMore:
		var q rowsPart
		if err := r.b.client.query(ctx, toPoll, &q, vars); err != nil {
			return err
		}
		r.takeRows(&q)
	default:
		var q commentsPart
		if err := r.b.client.query(ctx, toPoll, &q, vars); err != nil {
			return err
		}
		r.takeWords(&q)
	}
	return nil
}

func (r *reading) takeRows(p *rowsPart) {
	for n := range p.Issues.Nodes {
		r.rows = append(r.rows, rowOf(&p.Issues.Nodes[n]))
	}
	r.rowsAt = p.Issues.PageInfo.EndCursor
	r.rowsMore = p.Issues.PageInfo.more()
}

func (r *reading) takeWords(p *commentsPart) {
	r.words = append(r.words, p.Comments.Nodes...)
	r.wordsAt = p.Comments.PageInfo.EndCursor
	r.wordsMore = p.Comments.PageInfo.more()
}

// read reads one issue whole, with the states of the team, and puts on it what
// this process has written since.
func (b *Board) read(ctx context.Context, ref string) (*row, *states, error) {
	var q struct {
		Issue wholeWire `graphql:"issue(id: $id)"`
		statesQuery
	}
	err := b.client.query(ctx, toRead, &q, map[string]any{"id": text(ref), "states": b.statesFilter()})
	if err != nil {
		return nil, nil, err
	}
	r := rowOfWhole(&q.Issue)
	if q.Issue.Comments.PageInfo.HasNextPage {
		if r.comments, err = b.thread(ctx, r.ID); err != nil {
			return nil, nil, fmt.Errorf("read the comments of %s: %w", ref, err)
		}
	}
	if r.links, err = b.wholeLinks(ctx, r.ID, q.Issue.Attachments); err != nil {
		return nil, nil, fmt.Errorf("read what is attached to %s: %w", ref, err)
	}
	b.patch(r)
	return r, b.statesOf(q.WorkflowStates.Nodes), nil
}

// wholeLinks reads on where more is attached to an issue than a page holds.
func (b *Board) wholeLinks(ctx context.Context, id string, first linksWire) ([]string, error) {
	list, page := first.Nodes, first.PageInfo
	for page.more() {
		var q struct {
			Issue struct {
				Attachments linksWire `graphql:"attachments(first: 50, after: $after)"`
			} `graphql:"issue(id: $id)"`
		}
		if err := b.client.query(ctx, toRead, &q, map[string]any{"id": text(id), "after": cursorVar(page.EndCursor)}); err != nil {
			return nil, err
		}
		list, page = append(list, q.Issue.Attachments.Nodes...), q.Issue.Attachments.PageInfo
	}
	return urlsOf(list), nil
}

// thread reads all comments of an issue.
func (b *Board) thread(ctx context.Context, id string) ([]commentWire, error) {
	vars := map[string]any{
		"comments":   CommentFilter{"issue": map[string]any{"id": eq(id)}},
		"words":      graphql.Int(commentsAPage),
		"wordsAfter": (*graphql.String)(nil),
	}
	var all []commentWire
	for {
		var q commentsPart
		if err := b.client.query(ctx, toRead, &q, vars); err != nil {
			return nil, err
		}
		for _, c := range q.Comments.Nodes {
			all = append(all, c.commentWire)
		}
		if !q.Comments.PageInfo.more() {
			return all, nil
		}
		vars["wordsAfter"] = cursorVar(q.Comments.PageInfo.EndCursor)
	}
}
