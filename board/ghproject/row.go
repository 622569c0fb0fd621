package ghproject

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

func refOf(n int) board.Ref { return board.Ref(fmt.Sprintf("#%d", n)) }

func closed(state string) bool { return state == "CLOSED" }

// issue is a row as the rules see it.
func (b *Board) issue(r *row, cols *columns) board.Issue {
	i := board.Issue{
		Ref: refOf(r.Number), URL: r.URL, Title: oneTitle(r.Title), Body: r.Body, Closed: closed(r.State),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, StateSince: r.CreatedAt, StateBy: board.ActorOwner,
	}
	if r.Author != nil {
		i.CreatedBy = r.Author.Login
	}
	if r.Milestone != nil {
		i.Milestone = r.Milestone.Title
	}
	for _, l := range r.Labels.Nodes {
		i.Labels = append(i.Labels, l.Name)
	}
	slices.Sort(i.Labels)
	for _, a := range r.Assignees.Nodes {
		i.Assignee = strings.TrimPrefix(i.Assignee+", "+a.Login, ", ")
	}
	if r.Parent != nil && b.mine(r.Parent.Repository.NameWithOwner) {
		i.Parent = refOf(r.Parent.Number)
	}
	b.addRelations(&i, r)
	b.addState(&i, r, cols)
	i.Comments = commentsOf(r.Comments.Nodes)
	return i
}

func (b *Board) addRelations(i *board.Issue, r *row) {
	for _, w := range r.BlockedBy.Nodes {
		ref := refOf(w.Number)
		if !b.mine(w.Repository.NameWithOwner) {
			ref = board.Ref(w.Repository.NameWithOwner + string(ref))
		}
		i.Blockers = append(i.Blockers, board.Blocker{Ref: ref, Open: !closed(w.State)})
	}
	slices.SortFunc(i.Blockers, func(a, b board.Blocker) int { return byNumber(a.Ref, b.Ref) })
	for _, c := range r.SubIssues.Nodes {
		i.Children = append(i.Children, board.Child{Ref: refOf(c.Number), Title: oneTitle(c.Title), State: strings.ToLower(c.State), Closed: closed(c.State)})
	}
	slices.SortFunc(i.Children, func(a, b board.Child) int { return byNumber(a.Ref, b.Ref) })
	for _, p := range r.ClosedBy.Nodes {
		if b.mine(p.Repository.NameWithOwner) {
			i.PRs = append(i.PRs, string(refOf(p.Number)))
		} else {
			i.PRs = append(i.PRs, p.URL)
		}
	}
	if r.BlockedBy.PageInfo.HasNextPage || r.SubIssues.PageInfo.HasNextPage {
		i.Unreadable = "it has more blockers or sub-issues than can be read"
	}
}

// addState reads the two fields. Who moved the row and from where GitHub does
// not tell; what this checkout moved it has written down.
func (b *Board) addState(i *board.Issue, r *row, cols *columns) {
	h := held{}
	if r.values.ClaimedBy != nil {
		h = readField(r.values.ClaimedBy.Text.Text)
	}
	i.Claim, i.Delegate = h.claim, h.delegate
	if i.Claim != nil {
		i.Claim.Written = r.values.ClaimedBy.Text.UpdatedAt
	}
	if r.values.Status == nil {
		return
	}
	s := &r.values.Status.Single
	i.State, i.Role, i.StateSince = s.Name, cols.roles[s.OptionID], s.UpdatedAt
	to := s.OptionID
	if h.question && b.virtual() && i.Role == board.RoleInProgress {
		i.State, i.Role, i.StateSince, to = virtualQuestion, board.RoleQuestion, r.values.ClaimedBy.Text.UpdatedAt, parked
	}
	i.Closed = i.Closed || i.Role.Closed()
	if m, ok := b.moves.Last(r.ID, to, i.StateSince); ok {
		i.StateBy, i.PrevRole = m.By, cols.roles[m.From]
		if m.From == parked {
			i.PrevRole = board.RoleQuestion
		}
		return
	}
	switch i.Role {
	case board.RoleInProgress:
		i.StateBy = board.ActorDispatcher
	case board.RoleQuestion:
		i.StateBy = board.ActorDeveloper
	case board.RoleNone, board.RoleBacklog, board.RoleReady, board.RoleChangesRequested, board.RoleHumanReview, board.RoleDone:
	}
}

// byNumber orders refs as they were made.
func byNumber(a, b board.Ref) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

func oneTitle(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s))
}

// tagged is a comment's body under a role's tag: all comments stand under the
// login of whoever runs the loop.
func tagged(as board.ActorKind, body string) string {
	if as == board.ActorOwner {
		return body
	}
	return board.RoleTag(as) + "\n\n" + body
}

// commentsOf are the comments as the rules see them, oldest first. A tag is
// believed of the login's own comments alone.
func commentsOf(list []commentWire) []board.Comment {
	var out []board.Comment
	for n := range list {
		c := &list[n]
		o := board.Comment{ID: c.ID, Role: board.ActorOwner, Body: c.Body, At: c.CreatedAt}
		if c.Author != nil {
			o.Author = c.Author.Login
		}
		as, rest, tagged := board.CutRoleTag(c.Body)
		switch {
		case tagged && c.ViewerDidAuthor:
			o.Role, o.Body = as, strings.TrimLeft(rest, " \n")
		case tagged, c.Author == nil, c.Author.Typename == "Bot", !c.ViewerDidAuthor && !ghapi.Insider(c.AuthorAssociation):
			o.Role = board.ActorAutomation
		}
		if mark, ok := board.ParseMark(o.Body); ok && o.Role != board.ActorOwner && o.Role != board.ActorAutomation {
			o.Run = mark.Run
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b board.Comment) int { return a.At.Compare(b.At) })
	return out
}
