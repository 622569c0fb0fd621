// Package memory is a board in memory, for the worlds around a loop in tests.
//
// It promises what boardtest asks of every board, fenced or advisory, and lets a
// test see each write, change rows past the rules and make claims fail. It keeps
// nothing on disk and is imported by tests only.
package memory

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Lease is how long a claim of a fenced board holds, StaleWindow how old a stamp
// of an advisory one may be.
const (
	Lease       = 15 * time.Minute
	StaleWindow = 90 * time.Minute
)

// ConfirmLabel is a label that exists beside boardtest.Label.
const ConfirmLabel = "Confirm with user"

// Board is a board in memory. Fenced, it keeps epochs and leases as the native
// board does; advisory, a claim is one of several entries on a row, of which the
// earliest fresh one stands, and nothing keeps a late writer out. A claim with an
// Account is another account's, which nobody takes away here. Fields are set
// before it is used, except those that say otherwise.
type Board struct {
	Now     func() time.Time
	Fenced  bool
	Alive   func(board.Claim) bool // whether a claim's worker lives; may be nil
	Between func()                 // between the two halves of an advisory claim; may be nil
	// Wrote sees every write under the board's lock; it may be nil.
	Wrote func(by board.Actor, what string, before, after *board.Issue)

	// Refuse are rows that cannot be claimed, with the reason; Unsure those whose
	// next claim is taken and answered as unknown; Hide leaves every row that is
	// at work out of the answers to a poll. Edit may set them at any time.
	Refuse map[board.Ref]error
	Unsure map[board.Ref]bool
	Hide   bool

	Rows    []*board.Issue // in order; read them where nothing else uses the board
	mu      sync.Mutex
	entries map[board.Ref][]board.Claim // of an advisory board, oldest first
	made    int
	named   map[string]bool // milestones, those that lost their last row included
}

var _ board.Backend = (*Board)(nil)

// Add puts a row on the board as its owner would.
func (b *Board) Add(n board.NewIssue) board.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made++
	if b.named == nil {
		b.named = map[string]bool{}
	}
	b.named[n.Milestone] = true
	ref := board.Ref(fmt.Sprintf("DSP-%d", b.made))
	i := &board.Issue{
		Ref: ref, Title: n.Title, Body: n.Body, Milestone: n.Milestone, Labels: n.Labels, Parent: n.Parent,
		CreatedAt: b.Now(), UpdatedAt: b.Now(), CreatedBy: "owner",
	}
	for _, r := range n.Blockers {
		i.Blockers = append(i.Blockers, board.Blocker{Ref: r})
	}
	b.Put(i, n.State, board.ActorOwner)
	b.Rows = append(b.Rows, i)
	return ref
}

// Put moves a row; it is called in Edit or Write.
func (b *Board) Put(i *board.Issue, to board.Role, by board.ActorKind) {
	i.PrevRole, i.Role, i.State, i.Closed = i.Role, to, to.DefaultName(), to.Closed()
	i.StateBy, i.StateSince = by, b.Now()
}

// Edit changes a row as its owner does on the board's own pages.
func (b *Board) Edit(ref board.Ref, change func(i *board.Issue)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.Find(ref); i != nil {
		change(i)
	}
}

// Unclaim takes every claim off a row; it is called in Edit.
func (b *Board) Unclaim(i *board.Issue) {
	i.Claim = nil
	delete(b.entries, i.Ref)
}

// Remove takes a row off the board.
func (b *Board) Remove(ref board.Ref) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Rows = slices.DeleteFunc(b.Rows, func(i *board.Issue) bool { return i.Ref == ref })
	delete(b.entries, ref)
}

// Find is a row under its ref, nil if there is none; it is called in Edit, Write
// or Order.
func (b *Board) Find(ref board.Ref) *board.Issue {
	for _, i := range b.Rows {
		if i.Ref == ref || strings.EqualFold(string(i.Ref), string(ref)) {
			return i
		}
	}
	return nil
}

// answer is a row as a reader gets it: its own copy, with blockers and
// children as they are now. The lock is held.
func (b *Board) answer(i *board.Issue) board.Issue {
	out := *i
	out.Labels, out.PRs, out.Comments = slices.Clone(i.Labels), slices.Clone(i.PRs), slices.Clone(i.Comments)
	if i.Claim != nil {
		c := *i.Claim
		out.Claim = &c
	}
	out.Blockers = slices.Clone(i.Blockers)
	for n := range out.Blockers {
		by := b.Find(out.Blockers[n].Ref)
		out.Blockers[n].Open = by == nil || !by.Closed
	}
	for _, c := range b.Rows {
		if c.Parent != "" && c.Parent == i.Ref {
			out.Children = append(out.Children, board.Child{Ref: c.Ref, Title: c.Title, State: c.State, Closed: c.Closed})
		}
	}
	return out
}

// Poll answers rows in the order of the board.
func (b *Board) Poll(_ context.Context, q board.Query) ([]board.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[string]bool{strings.ToLower(board.NoMilestone): true}
	for m := range b.named {
		known[strings.ToLower(m)] = true
	}
	wanted := map[string]bool{}
	for _, m := range q.Milestones {
		if !known[strings.ToLower(m)] {
			return nil, fmt.Errorf("poll: %w: no milestone %q", board.ErrNotFound, m)
		}
		wanted[strings.ToLower(strings.TrimSuffix(m, board.NoMilestone))] = true
	}
	var out []board.Issue
	for _, i := range b.Rows {
		if (q.AllMilestones || wanted[strings.ToLower(i.Milestone)]) && (q.Closed || !i.Closed) && !(b.Hide && i.Claim != nil) {
			out = append(out, b.answer(i))
		}
	}
	return out, nil
}

// Issue answers one row.
func (b *Board) Issue(_ context.Context, ref board.Ref) (board.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.Find(ref)
	if i == nil {
		return board.Issue{}, fmt.Errorf("read %s: %w", ref, board.ErrNotFound)
	}
	return b.answer(i), nil
}

// States are those of all roles, by their default names.
func (b *Board) States(context.Context) ([]board.State, error) {
	var out []board.State
	for _, r := range board.Roles() {
		out = append(out, board.State{ID: string(r), Name: r.DefaultName(), Role: r, Closed: r.Closed()})
	}
	return out, nil
}

// Milestones counts the open rows of each.
func (b *Board) Milestones(context.Context) ([]board.Milestone, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []board.Milestone
	none := board.Milestone{Name: board.NoMilestone}
	for _, i := range b.Rows {
		at := slices.IndexFunc(out, func(m board.Milestone) bool { return m.Name == i.Milestone })
		switch {
		case i.Closed:
		case i.Milestone == "":
			none.Open++
		case at < 0:
			out = append(out, board.Milestone{Name: i.Milestone, Open: 1})
		default:
			out[at].Open++
		}
	}
	return append(out, none), nil
}

var refs = regexp.MustCompile(`^DSP-[0-9]+$`)

// ParseRef takes refs like DSP-3, in any case.
func (b *Board) ParseRef(s string) (board.Ref, error) {
	if s = strings.ToUpper(strings.TrimSpace(s)); refs.MatchString(s) {
		return board.Ref(s), nil
	}
	return "", fmt.Errorf("%q is no ref; one looks like DSP-3", s)
}

// RoleState is the default name of a role.
func (b *Board) RoleState(r board.Role) (string, bool) {
	return r.DefaultName(), r != board.RoleNone
}

// Order changes the order of the rows.
func (b *Board) Order(change func(rows []*board.Issue) ([]*board.Issue, error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, err := change(b.Rows)
	if err == nil {
		b.Rows = rows
	}
	return err
}

// errSame ends a change that would change nothing: not an error.
var errSame = errors.New("nothing to change")

// Write changes a row under the fence: an actor with a run is refused once the
// epoch of its issue has moved on.
func (b *Board) Write(by board.Actor, ref board.Ref, what string, change func(i *board.Issue) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.Find(ref)
	if i == nil {
		return fmt.Errorf("%s %s: %w", what, ref, board.ErrNotFound)
	}
	if err := b.fencedOut(by, i); err != nil {
		return fmt.Errorf("%s %s: %w", what, ref, err)
	}
	before := *i
	switch err := change(i); {
	case errors.Is(err, errSame):
		return nil
	case err != nil:
		return fmt.Errorf("%s %s: %w", what, ref, err)
	}
	i.UpdatedAt = b.Now()
	if b.Wrote != nil {
		b.Wrote(by, what, &before, i)
	}
	return nil
}

func (b *Board) fencedOut(by board.Actor, i *board.Issue) error {
	if !b.Fenced || !by.Worker() && by.Epoch == 0 {
		return nil
	}
	own := i
	if by.Ref != "" {
		if own = b.Find(by.Ref); own == nil {
			return fmt.Errorf("its own issue %s: %w", by.Ref, board.ErrNotFound)
		}
	}
	if own.Epoch != by.Epoch || by.Run != "" && own.LastRun != "" && own.LastRun != by.Run {
		return fmt.Errorf("%w: epoch %d, not %d", board.ErrClaimConflict, own.Epoch, by.Epoch)
	}
	return nil
}
