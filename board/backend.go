package board

import "context"

// Query says which rows a poll answers (dispatcher-system.md, Poll output).
type Query struct {
	Milestones    []string // names, or NoMilestone
	AllMilestones bool     // drops the filter
	Closed        bool     // adds closed rows
}

// Reader reads rows. Poll answers them in board order, each with blockers,
// children and comments; a row that cannot be read is answered with Unreadable
// set, it never hides the others.
type Reader interface {
	Poll(ctx context.Context, q Query) ([]Issue, error)
	Issue(ctx context.Context, ref Ref) (Issue, error)
	States(ctx context.Context) ([]State, error)
	Milestones(ctx context.Context) ([]Milestone, error)
}

// StateWriter moves rows. SetState takes the board's own state name; from, if
// not empty, is the role the row must still be in (ErrChanged otherwise).
type StateWriter interface {
	SetState(ctx context.Context, by Actor, ref Ref, state string, from Role) error
	Comment(ctx context.Context, by Actor, ref Ref, as ActorKind, body string) (Comment, error)
	Label(ctx context.Context, by Actor, ref Ref, name string, add bool) error
	LinkPR(ctx context.Context, by Actor, ref Ref, pr string) error
}

// Claimer holds rows for sessions.
//
// Claim writes the delegate first and then the claim (or renews it, see
// ClaimRequest) and answers the claim that stands. Assign moves the delegate
// and deletes the claim. Release deletes the claim and clears delegate and
// assignee; with a session, another session's claim is left alone, but a row
// without a claim is still cleared (dispatcher-system.md, Claims). A claim of
// another account that only that account can delete is left standing, and both
// say so by ErrOtherAccount; while it is fresh they write nothing and the error
// is an ErrClaimConflict as well.
type Claimer interface {
	Claim(ctx context.Context, by Actor, ref Ref, req ClaimRequest) (Claim, error)
	Assign(ctx context.Context, by Actor, ref Ref, to Delegate) error
	Release(ctx context.Context, by Actor, ref Ref, session string) error
}

// Editor changes an issue's text as far as a worker may: the boxes of its
// checkbox list.
type Editor interface {
	Tick(ctx context.Context, by Actor, ref Ref, box Box) error
}

// Uncommenter is a board that can take a comment off a row again. One that is
// gone already is no error.
type Uncommenter interface {
	Uncomment(ctx context.Context, by Actor, ref Ref, id string) error
}

// Backend is one board.
type Backend interface {
	Reader
	StateWriter
	Claimer
	Editor
	// ParseRef answers the canonical form of a ref in any case, or an error
	// that shows what a ref of this board looks like.
	ParseRef(s string) (Ref, error)
	// RoleState is the board's name of the state that has the role.
	RoleState(r Role) (string, bool)
}

// Box names one checkbox of an issue's list: by its 1-based number, or by
// text that exactly one box contains.
type Box struct {
	N    int
	Text string
	Set  bool // true ticks, false clears
}
