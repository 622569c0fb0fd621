package ghproject

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shurcooL/graphql"
)

// How the copy of the rows is kept.
const (
	// oneFiring is how long another question may be answered from the same look.
	oneFiring = 30 * time.Second
	// anew is when every row is read again in full: what leaves no trace where a
	// look sees it is not missed for longer.
	anew = 15 * time.Minute
	// atOnce is how many rows are read in full in one request.
	atOnce = 50
	// settled is how old a change has to be before its time tells it from the
	// next one: GitHub's times are whole seconds, and clocks differ.
	settled = 10 * time.Second
)

// mirror is a copy of the board: what a look saw, and the rows in full as they
// were when a look last saw them changed. It decides nothing by itself; a row
// is read again before it is written to.
type mirror struct {
	turn   chan struct{} // whose look it is
	writes atomic.Int64  // of this process: a look is not used beyond one

	full   map[string]fullRow // by issue id
	read   time.Time          // when all were read in full
	at     time.Time          // of the look
	before int64              // writes at that time
	asked  map[string]bool    // questions answered from the look
	seen   look
}

// fullRow is an issue in full, and what a look saw of it then.
type fullRow struct {
	mark  string
	issue issueWire
}

// look is the board as it was seen at once.
type look struct {
	rows       []*row
	cols       *columns
	milestones []string
}

// look sees the whole board in its order. What is archived, hidden, a draft or
// of another repository is no row. Of one look several questions may be
// answered, each once, as long as this process writes nothing.
func (b *Board) look(ctx context.Context, question string) (look, error) {
	m := &b.mirror
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return look{}, ctx.Err()
	}
	now, writes := b.now(), m.writes.Load()
	if fresh := m.asked != nil && m.before == writes && now.Sub(m.at) < oneFiring; fresh && !m.asked[question] {
		m.asked[question] = true
		return m.seen, nil
	}
	if now.Sub(m.read) >= anew {
		m.full, m.read = map[string]fullRow{}, now
	}
	m.asked = nil
	seen, items, err := b.sweep(ctx)
	if err == nil {
		err = b.learn(ctx, items)
	}
	if err != nil {
		return look{}, err
	}
	for _, it := range items {
		if f, ok := m.full[it.Content.Issue.ID]; ok { // else it went between the two requests
			seen.rows = append(seen.rows, &row{issueWire: f.issue, item: it.ID, values: it.valuesWire, place: len(seen.rows)})
		}
	}
	m.seen, m.at, m.before, m.asked = seen, now, writes, map[string]bool{question: true}
	return seen, nil
}

// maxPages bounds a board: 10,000 items.
const maxPages = 100

// sweep reads the columns of all rows, and as much of each as tells whether it
// has changed.
func (b *Board) sweep(ctx context.Context) (look, []*slimItem, error) {
	vars := b.repoVars()
	vars["project"], vars["after"] = ID(b.o.ProjectID), (*graphql.String)(nil)
	var seen look
	var items []*slimItem
	for range maxPages {
		var q sweepQuery
		if err := b.query(ctx, &q, vars); err != nil {
			return seen, nil, err
		}
		p := &q.Node.Project
		if seen.cols == nil {
			err := b.sameRepository(q.Repository.NameWithOwner)
			if err != nil {
				return seen, nil, err
			}
			if seen.cols, err = b.columnsOf(&p.projectWire); err != nil {
				return seen, nil, err
			}
			if seen.milestones, err = b.allMilestones(ctx, q.Repository.Milestones); err != nil {
				return seen, nil, err
			}
		}
		for i := range p.Items.Nodes {
			it := &p.Items.Nodes[i]
			if !it.IsArchived && it.Content.Typename == "Issue" && b.mine(it.Content.Issue.Repository.NameWithOwner) {
				items = append(items, it)
			}
		}
		if !p.Items.PageInfo.HasNextPage {
			return seen, items, nil
		}
		vars["after"] = p.Items.PageInfo.EndCursor
	}
	return seen, nil, fmt.Errorf("the project has more than %d items", maxPages*100)
}

// learn reads in full what is not known as the sweep saw it.
func (b *Board) learn(ctx context.Context, items []*slimItem) error {
	full := b.mirror.full
	var ids []ID
	marks := map[string]string{}
	for _, it := range items {
		i := &it.Content.Issue
		if mark := i.mark(); full[i.ID].mark != mark {
			ids, marks[i.ID] = append(ids, ID(i.ID)), mark
		}
	}
	for part := range slices.Chunk(ids, atOnce) {
		var q struct {
			Nodes []struct {
				Issue issueWire `graphql:"... on Issue"`
			} `graphql:"nodes(ids: $ids)"`
		}
		if err := b.query(ctx, &q, map[string]any{"ids": part}); err != nil {
			return err
		}
		for i := range q.Nodes {
			w := &q.Nodes[i].Issue
			mark, asked := marks[w.ID]
			if b.now().Sub(w.UpdatedAt) < settled {
				mark = "" // another change in the same second would not show
			}
			if asked {
				full[w.ID] = fullRow{mark, *w}
			}
		}
	}
	return nil
}

// mark is what must be the same for an issue to count as unchanged: its own
// time, and what may change without it.
func (w *slimIssue) mark() string {
	parts := []string{
		w.UpdatedAt.UTC().Format(time.RFC3339Nano), w.State, w.Title, strconv.Itoa(w.Comments.TotalCount),
		fmt.Sprint(w.IssueDependenciesSummary, w.SubIssuesSummary),
	}
	if w.LastEditedAt != nil {
		parts = append(parts, w.LastEditedAt.UTC().Format(time.RFC3339Nano))
	}
	if w.Milestone != nil {
		parts = append(parts, "in "+w.Milestone.Title)
	}
	if w.Parent != nil {
		parts = append(parts, "below "+w.Parent.ID)
	}
	for _, c := range w.Comments.Nodes {
		parts = append(parts, c.ID, c.UpdatedAt.UTC().Format(time.RFC3339Nano))
	}
	return strings.Join(parts, "\x00")
}
