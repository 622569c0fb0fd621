package linear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// row is one issue as it was read.
type row struct {
	issueWire
	labels   []string
	labelIDs []string // only of a row that was read by itself
	children []childWire
	blockers []blockerWire
	links    []string
	history  []historyWire
	comments []commentWire
	short    bool   // a list of it is longer than what was read
	broken   string // why it cannot be read whole
}

func nodesOf(labels []struct{ Name string }) []string {
	var names []string
	for _, l := range labels {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

func labelsOf(labels []labelOn) (names, ids []string) {
	for _, l := range labels {
		names, ids = append(names, l.Name), append(ids, l.ID)
	}
	slices.Sort(names)
	return names, ids
}

func urlsOf(links []struct{ URL string }) []string {
	var urls []string
	for _, l := range slices.Backward(links) {
		urls = append(urls, l.URL)
	}
	return urls
}

func rowOf(w *rowWire) *row {
	r := &row{
		issueWire: w.issueWire, labels: nodesOf(w.Labels.Nodes), children: w.Children.Nodes, blockers: w.InverseRelations.Nodes,
		links: urlsOf(w.Attachments.Nodes), history: w.History.Nodes,
	}
	r.short = w.Labels.PageInfo.HasNextPage || w.Children.PageInfo.HasNextPage || w.InverseRelations.PageInfo.HasNextPage ||
		w.Attachments.PageInfo.HasNextPage || w.History.PageInfo.HasNextPage && !r.knowsMove()
	return r
}

// rowOfWhole is an issue without its links, which may be more than it holds.
func rowOfWhole(w *wholeWire) *row {
	r := &row{
		issueWire: w.issueWire, children: w.Children.Nodes, blockers: w.InverseRelations.Nodes,
		history: w.History.Nodes, comments: w.Comments.Nodes,
	}
	r.labels, r.labelIDs = labelsOf(w.Labels.Nodes)
	switch {
	case w.Labels.PageInfo.HasNextPage, w.Children.PageInfo.HasNextPage:
		r.broken = "it has more labels or sub-issues than can be read"
	case w.InverseRelations.PageInfo.HasNextPage:
		r.broken = "it has more relations than can be read, so that its blockers are not known"
	}
	return r
}

// lastMove is the newest change of the row's state that was read; the order in
// which history comes is not relied on.
func (r *row) lastMove() *historyWire {
	var last *historyWire
	for n := range r.history {
		h := &r.history[n]
		if h.ToState != nil && (last == nil || h.CreatedAt.After(last.CreatedAt)) {
			last = h
		}
	}
	return last
}

// knowsMove says whether the move that led to the row's state was read: what
// came of a long history may be its beginning.
func (r *row) knowsMove() bool {
	h := r.lastMove()
	return h != nil && h.ToState.ID == r.State.ID
}

// gone says whether the row is off our board: archived, or another team's or
// project's, whatever the server was asked for.
func (b *Board) gone(i *whereWire) string {
	switch {
	case i.Trashed != nil && *i.Trashed:
		return "it is in Linear's trash; restore it there"
	case i.ArchivedAt != nil:
		return "it is archived; restore it in Linear"
	case i.Team.ID != b.o.TeamID:
		return "it belongs to another team now"
	case i.Project == nil:
		return "it is in no project; this board is one project's"
	case i.Project.ID != b.o.ProjectID:
		return "it is in the project " + board.OneLine(i.Project.Name) + ", not in this board's"
	}
	return ""
}

func closedType(t string) bool { return t == "completed" || t == "canceled" || t == "duplicate" }

// issue is a row as the rules see it.
func (b *Board) issue(r *row, s *states) board.Issue {
	i := board.Issue{
		Ref: board.Ref(r.Identifier), URL: r.URL, Title: oneTitle(r.Title), State: r.State.Name, Role: s.roleOf(r.State.ID),
		Closed: closedType(r.State.Type), Labels: r.labels, Delegate: b.delegateOf(r.Delegate),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Unreadable: r.broken,
	}
	if r.Description != nil {
		i.Body = *r.Description
	}
	if r.ProjectMilestone != nil {
		i.Milestone = r.ProjectMilestone.Name
	}
	if r.Assignee != nil {
		i.Assignee = r.Assignee.DisplayName
	}
	if r.Creator != nil {
		i.CreatedBy = r.Creator.DisplayName
	}
	if r.Parent != nil {
		i.Parent = board.Ref(r.Parent.Identifier)
	}
	for _, w := range r.blockers {
		if w.Type == "blocks" {
			i.Blockers = append(i.Blockers, board.Blocker{Ref: board.Ref(w.Issue.Identifier), Open: !closedType(w.Issue.State.Type)})
		}
	}
	slices.SortFunc(i.Blockers, func(a, b board.Blocker) int { return cmp.Compare(a.Ref, b.Ref) })
	for _, c := range r.children {
		i.Children = append(i.Children, board.Child{Ref: board.Ref(c.Identifier), Title: oneTitle(c.Title), State: c.State.Name, Closed: closedType(c.State.Type)})
	}
	slices.SortFunc(i.Children, func(a, b board.Child) int { return byNumber(a.Ref, b.Ref) })
	for _, u := range r.links {
		if name, ok := b.pullName(u); ok {
			i.PRs = append(i.PRs, name)
		}
	}
	b.stateOf(&i, r, s)
	i.Comments = commentsOf(r.comments)
	if c, ok := b.standing(r.comments); ok {
		claim := c.claim
		i.Claim = &claim
	}
	return i
}

// byNumber orders refs as they were made.
func byNumber(a, b board.Ref) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func oneTitle(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s))
}

// delegateOf is our word for a delegate; another agent's is its name, which
// must not read like one of ours.
func (b *Board) delegateOf(u *userWire) board.Delegate {
	switch {
	case u == nil:
		return board.DelegateNone
	case u.ID == b.o.Developer:
		return board.DelegateDeveloper
	case u.ID == b.o.Reviewer:
		return board.DelegateReviewer
	}
	name := board.Delegate(board.OneLine(u.DisplayName))
	if name.Ours() {
		name = "another agent called " + name
	}
	return name
}

// stateOf tells since when the row is where it is, from where it came, and who
// moved it.
func (b *Board) stateOf(i *board.Issue, r *row, s *states) {
	i.StateSince, i.StateBy = r.CreatedAt, board.ActorOwner
	h := r.lastMove()
	if h == nil {
		return
	}
	i.StateSince, i.StateBy = h.CreatedAt, b.mover(r, h, s)
	if h.FromState != nil {
		i.PrevRole = s.roleOf(h.FromState.ID)
	}
}

// mover is who made a move. What the key's account moved is ours when this
// checkout wrote it down; otherwise it was the person whose key it is, unless
// the move is one that only a loop or a worker makes.
func (b *Board) mover(r *row, h *historyWire, s *states) board.ActorKind {
	switch {
	case h.Actor == nil:
		return board.ActorAutomation
	case h.Actor.App:
		return board.ActorAutomation
	case !h.Actor.IsMe:
		return board.ActorOwner
	}
	from := ""
	if h.FromState != nil {
		from = h.FromState.ID
	}
	if by, ok := b.moves.Who(r.ID, from, h.ToState.ID, h.CreatedAt); ok {
		return by
	}
	switch s.roleOf(h.ToState.ID) {
	case board.RoleInProgress:
		return board.ActorDispatcher
	case board.RoleQuestion:
		return board.ActorDeveloper
	case board.RoleNone, board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleHumanReview, board.RoleDone:
	}
	return board.ActorOwner
}

// order is the board's: columns by type and position, and what Linear keeps
// inside them.
func (s *states) order(a, b *row) int {
	return cmp.Or(
		cmp.Compare(s.column(a.State.ID), s.column(b.State.ID)),
		cmp.Compare(a.SortOrder, b.SortOrder),
		a.CreatedAt.Compare(b.CreatedAt),
		byNumber(board.Ref(a.Identifier), board.Ref(b.Identifier)),
	)
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
