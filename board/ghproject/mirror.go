package ghproject

import (
	"context"
	"fmt"
	"maps"
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
	// closedAnew is the same of rows that are closed: nobody works them.
	closedAnew = 6 * time.Hour
	// atOnce is how many rows are read in full in one request, and closedAtOnce
	// how many of those of which less is read.
	atOnce       = 50
	closedAtOnce = 100
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

	full   map[string]fullRow // by issue id; of the items of the last look alone
	read   time.Time          // when all that are open were read in full
	closed time.Time          // when all that are closed were
	at     time.Time          // of the look
	before int64              // writes at that time
	asked  map[string]bool    // questions answered from the look
	seen   look
	items  []*slimItem // of the look
	pages  pages       // of the look under way
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

// look sees the board in its order: all rows that are open, and of the closed
// ones those of these milestones. What is archived, hidden, a draft or of
// another repository is no row. Of one look several questions may be answered,
// each once, as long as this process writes nothing.
func (b *Board) look(ctx context.Context, question string, closed func(milestone string) bool) (look, error) {
	m := &b.mirror
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return look{}, ctx.Err()
	}
	now, writes := b.now(), m.writes.Load()
	m.pages = pages{}
	if fresh := m.asked != nil && m.before == writes && now.Sub(m.at) < oneFiring; !fresh || m.asked[question] {
		m.forget(now)
		m.asked = nil
		seen, items, err := b.sweep(ctx)
		if err != nil {
			return look{}, err
		}
		m.seen, m.items, m.at, m.before, m.asked = seen, items, now, writes, map[string]bool{}
		m.keep(items)
	}
	wanted := make([]*slimItem, 0, len(m.items))
	for _, it := range m.items {
		if i := &it.Content.Issue; i.State != "CLOSED" || closed != nil && closed(i.milestone()) {
			wanted = append(wanted, it)
		}
	}
	if err := b.learn(ctx, wanted); err != nil {
		m.asked = nil
		return look{}, err
	}
	seen := m.seen
	for _, it := range wanted {
		if f, ok := m.full[it.Content.Issue.ID]; ok { // else it went between the two requests
			seen.rows = append(seen.rows, &row{issueWire: f.issue, item: it.ID, values: it.valuesWire, place: len(seen.rows)})
		}
	}
	m.asked[question] = true
	return seen, nil
}

// forget lets rows be read in full again that were not for a time.
func (m *mirror) forget(now time.Time) {
	open, closed := now.Sub(m.read) >= anew, now.Sub(m.closed) >= closedAnew
	maps.DeleteFunc(m.full, func(_ string, f fullRow) bool {
		if f.issue.State == "CLOSED" {
			return closed
		}
		return open
	})
	if m.full == nil {
		m.full = map[string]fullRow{}
	}
	if open {
		m.read = now
	}
	if closed {
		m.closed = now
	}
}

// keep forgets what is no item any more.
func (m *mirror) keep(items []*slimItem) {
	there := make(map[string]bool, len(items))
	for _, it := range items {
		there[it.Content.Issue.ID] = true
	}
	maps.DeleteFunc(m.full, func(id string, _ fullRow) bool { return !there[id] })
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
	for page := range maxPages {
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
			b.mirror.pages = pages{page + 1, page + 1}
			return seen, items, nil
		}
		vars["after"] = p.Items.PageInfo.EndCursor
		b.swept(page+1, p.Items.TotalCount, b.mirror.unread(items))
	}
	return seen, nil, fmt.Errorf("the project has more than %d items", maxPages*100)
}

// learn reads in full what is not known as the sweep saw it: of closed rows
// without relations less, since no rule asks for more.
func (b *Board) learn(ctx context.Context, items []*slimItem) error {
	whole, part := map[string]string{}, map[string]string{} // marks by id
	var wholes, parts []ID
	for _, it := range items {
		i := &it.Content.Issue
		mark := i.mark()
		switch {
		case b.mirror.full[i.ID].mark == mark:
		case i.State == "CLOSED" && i.SubIssuesSummary.Total == 0 && i.IssueDependenciesSummary.TotalBlockedBy == 0:
			part[i.ID], parts = mark, append(parts, ID(i.ID))
		default:
			whole[i.ID], wholes = mark, append(wholes, ID(i.ID))
		}
	}
	if room := (atOnce - len(wholes)%atOnce) % atOnce; len(parts) <= room {
		wholes, parts = append(wholes, parts...), nil // at no further request
		maps.Copy(whole, part)
	}
	b.mirror.pages.of = b.mirror.pages.at + pagesOf(len(wholes), atOnce) + pagesOf(len(parts), closedAtOnce)
	if _, err := b.readRows(ctx, wholes, true, whole); err != nil {
		return err
	}
	reopened, err := b.readRows(ctx, parts, false, part)
	if err == nil && len(reopened) > 0 {
		b.mirror.pages.of += pagesOf(len(reopened), atOnce)
		_, err = b.readRows(ctx, reopened, true, part)
	}
	return err
}

// readRows reads rows by their ids; marks are what a sweep saw of them. It
// answers those that are not known now, since they are open again and less was
// asked of them than of an open one. Of closed ones no comment is kept: whether
// they are asked for hangs on the room in a request.
func (b *Board) readRows(ctx context.Context, ids []ID, whole bool, marks map[string]string) (reopened []ID, err error) {
	size := atOnce
	if !whole {
		size = closedAtOnce
	}
	for part := range slices.Chunk(ids, size) {
		b.nextPage()
		var q struct {
			Nodes []struct {
				Issue issueWire `graphql:"... on Issue"`
			} `graphql:"nodes(ids: $ids)"`
		}
		if err := b.query(ctx, &q, map[string]any{"ids": part, "whole": graphql.Boolean(whole)}); err != nil {
			return nil, err
		}
		for i := range q.Nodes {
			w := &q.Nodes[i].Issue
			mark, asked := marks[w.ID]
			switch {
			case w.State == "CLOSED":
				w.Comments.Nodes = nil
			case asked && !whole:
				reopened = append(reopened, ID(w.ID))
				continue
			}
			if b.now().Sub(w.UpdatedAt) < settled {
				mark = "" // another change in the same second would not show
			}
			if asked {
				b.mirror.full[w.ID] = fullRow{mark, *w}
			}
		}
	}
	return reopened, nil
}

func (w *slimIssue) milestone() string {
	if w.Milestone == nil {
		return ""
	}
	return w.Milestone.Title
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
