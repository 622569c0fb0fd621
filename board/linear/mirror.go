package linear

import (
	"context"
	"maps"
	"slices"
	"time"
)

// How the copy of the rows is kept.
const (
	// overlap is how far back a look for changes reaches behind the last one:
	// what Linear's servers show late is found all the same.
	overlap = 30 * time.Second
	// oneFiring is how long another question may be answered from the same look.
	oneFiring = 30 * time.Second
	// anew is when everything is read again: what leaves no trace, such as a
	// deleted comment, is not missed for longer.
	anew = 30 * time.Minute
)

// mirror is a copy of the project's rows: what a look for changes is held
// against. It decides nothing by itself; a row is read again before it is
// written to.
type mirror struct {
	rows       map[string]*row      // by id
	seen       map[string]time.Time // when what is listed as changed had changed when it was last read
	states     *states
	milestones []milestoneWire
	closedAll  bool
	closed     map[string]bool // milestones, by id, whose closed rows are here
	loaded     time.Time       // when everything was read
	synced     time.Time       // when changes were last looked for
	cursor     time.Time       // newest change seen, by Linear's clock
	looked     time.Time       // when changes were last looked for, by Linear's clock; zero where it told none
	asked      map[string]bool // questions answered from the last look
	halvings   int             // of the page sizes
}

func (m *mirror) pageSizes() (rows, words int) {
	return max(1, rowsAPage>>m.halvings), max(1, commentsAPage>>m.halvings)
}

// smaller halves the pages; it reports false when they cannot be smaller.
func (m *mirror) smaller() bool {
	if rowsAPage>>m.halvings <= 1 {
		return false
	}
	m.halvings++
	return true
}

// scope is which closed rows a question needs; open ones are always here.
type scope struct {
	all        bool
	milestones []string // ids; "" is none
}

func (m *mirror) has(s scope) bool {
	if m.closedAll {
		return true
	}
	return !s.all && !slices.ContainsFunc(s.milestones, func(id string) bool { return !m.closed[id] })
}

func (m *mirror) widen(s scope) {
	m.closedAll = m.closedAll || s.all
	for _, id := range s.milestones {
		m.closed[id] = true
	}
}

// covers says whether a row belongs to what the copy holds.
func (m *mirror) covers(r *row) bool {
	if !closedType(r.State.Type) || m.closedAll {
		return true
	}
	return m.closed[r.milestone()]
}

// sync brings the copy up to date for a question. The same question is never
// answered twice from one look.
func (b *Board) sync(ctx context.Context, question string, s scope) error {
	m, now := &b.mirror, b.now()
	switch {
	case m.rows == nil || now.Sub(m.loaded) >= anew:
		if err := b.load(ctx, s); err != nil {
			return err
		}
	case m.has(s) && !m.asked[question] && now.Sub(m.synced) < oneFiring:
		m.asked[question] = true
		return nil
	default:
		if err := b.catchUp(ctx); err != nil {
			return err
		}
		if !m.has(s) {
			all, closed := m.closedAll, maps.Clone(m.closed)
			m.widen(s)
			if err := b.add(ctx, b.closedFilter(s), b.claimsOnly(b.closedFilter(s))); err != nil {
				m.closedAll, m.closed = all, closed
				return err
			}
		}
	}
	m.synced, m.asked = now, map[string]bool{question: true}
	return nil
}

var closedTypes = []string{"completed", "canceled", "duplicate"}

func (b *Board) openFilter() IssueFilter {
	return b.mine(map[string]any{"state": map[string]any{"type": map[string]any{"nin": closedTypes}}})
}

// closedFilter are the closed rows of a scope.
func (b *Board) closedFilter(s scope) IssueFilter {
	f := map[string]any{"state": map[string]any{"type": in(closedTypes)}}
	if s.all {
		return b.mine(f)
	}
	var either []any
	var ids []string
	for _, id := range s.milestones {
		if id == "" {
			either = append(either, map[string]any{"projectMilestone": map[string]any{"null": true}})
			continue
		}
		ids = append(ids, id)
	}
	if ids != nil {
		either = append(either, map[string]any{"projectMilestone": map[string]any{"id": in(ids)}})
	}
	f["or"] = either
	return b.mine(f)
}

// mine narrows a filter to the board's project and team.
func (b *Board) mine(f map[string]any) IssueFilter {
	f["project"] = map[string]any{"id": eq(b.o.ProjectID)}
	f["team"] = map[string]any{"id": eq(b.o.TeamID)}
	return f
}

// claimsOnly are the claims on the rows of a filter: of closed rows nothing
// else that was said matters to a poll.
func (b *Board) claimsOnly(f IssueFilter) CommentFilter {
	return CommentFilter{"issue": map[string]any(f), "body": map[string]any{"contains": claimWords}}
}

const claimWords = "** claimed "

// load reads everything that is open, and of closed rows those of the question
// alone: what another one asked for once is read when it is asked for again.
func (b *Board) load(ctx context.Context, s scope) error {
	m := &b.mirror
	began := b.now()
	if m.states == nil || m.rows != nil {
		if err := b.readMeta(ctx); err != nil {
			return err
		}
	}
	old := *m
	m.looked = b.budget.serverTime()
	m.rows, m.seen, m.closed, m.closedAll, m.cursor = map[string]*row{}, map[string]time.Time{}, map[string]bool{}, false, time.Time{}
	issues, words := b.openFilter(), CommentFilter{"issue": map[string]any(b.openFilter())}
	if s.all || len(s.milestones) > 0 {
		closed := b.closedFilter(s)
		issues = IssueFilter{"or": []any{map[string]any(issues), map[string]any(closed)}}
		words = CommentFilter{"or": []any{map[string]any(words), map[string]any(b.claimsOnly(closed))}}
	}
	m.widen(s)
	if err := b.add(ctx, issues, words); err != nil {
		halvings := m.halvings
		*m = old
		m.halvings = halvings
		return err
	}
	m.loaded = began
	if !m.cursor.IsZero() {
		m.cursor = m.cursor.Add(-b.now().Sub(began)) // what changed meanwhile is looked at again
	}
	return nil
}

// add reads rows and comments into the copy.
func (b *Board) add(ctx context.Context, issues IssueFilter, words CommentFilter) error {
	rows, comments, err := b.fetch(ctx, issues, words)
	if err != nil {
		return err
	}
	b.keep(rows, comments)
	return nil
}

// keep puts rows that were read into the copy, those that are not ours out of
// it.
func (b *Board) keep(rows []*row, comments []commentOn) {
	m := &b.mirror
	byIssue := map[string][]commentWire{}
	for _, c := range comments {
		if c.Issue != nil {
			byIssue[c.Issue.ID] = append(byIssue[c.Issue.ID], c.commentWire)
			m.saw(c.ID, c.UpdatedAt)
		}
	}
	for _, r := range rows {
		r.comments = byIssue[r.ID]
		m.saw(r.ID, r.UpdatedAt)
		b.patch(r)
		if b.gone(&r.whereWire) != "" || !m.covers(r) {
			delete(m.rows, r.ID)
			continue
		}
		m.rows[r.ID] = r
	}
}

func (m *mirror) saw(id string, at time.Time) {
	if at.After(m.seen[id]) {
		m.seen[id] = at
	}
	m.cursor = latest(m.cursor, at)
}
