package simtest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/loop/looptest"
)

// lease is how long a claim of a fenced board holds, window how old a stamp of
// an advisory one may be.
const (
	lease  = 15 * time.Minute
	window = looptest.StaleWindow
)

// simBoard is a board in memory. Fenced, it keeps epochs and leases as the
// native board does; advisory, a claim is one of several entries on a row, of
// which the earliest fresh one stands, and nothing keeps a late writer out.
type simBoard struct {
	now     func() time.Time
	fenced  bool
	alive   func(board.Claim) bool                                        // whether a claim's worker lives; may be nil
	between func()                                                        // between the two halves of an advisory claim; may be nil
	wrote   func(by board.Actor, what string, before, after *board.Issue) // may be nil

	mu      sync.Mutex
	rows    []*board.Issue
	entries map[board.Ref][]board.Claim // of an advisory board, oldest first
	made    int
	named   map[string]bool // milestones, those that lost their last row included
}

var _ board.Backend = (*simBoard)(nil)

// add puts a row on the board as its owner would.
func (b *simBoard) add(n board.NewIssue) board.Ref {
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
		CreatedAt: b.now(), UpdatedAt: b.now(), CreatedBy: "owner",
	}
	for _, r := range n.Blockers {
		i.Blockers = append(i.Blockers, board.Blocker{Ref: r})
	}
	b.put(i, n.State, board.ActorOwner)
	b.rows = append(b.rows, i)
	return ref
}

// put moves a row; the lock is held.
func (b *simBoard) put(i *board.Issue, to board.Role, by board.ActorKind) {
	i.PrevRole, i.Role, i.State, i.Closed = i.Role, to, to.DefaultName(), to.Closed()
	i.StateBy, i.StateSince = by, b.now()
}

// edit changes a row as its owner does on the board's own pages.
func (b *simBoard) edit(ref board.Ref, change func(i *board.Issue)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.find(ref); i != nil {
		change(i)
	}
}

// unclaim takes every claim off a row.
func (b *simBoard) unclaim(i *board.Issue) {
	i.Claim = nil
	delete(b.entries, i.Ref)
}

// remove takes a row off the board.
func (b *simBoard) remove(ref board.Ref) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = slices.DeleteFunc(b.rows, func(i *board.Issue) bool { return i.Ref == ref })
	delete(b.entries, ref)
}

func (b *simBoard) find(ref board.Ref) *board.Issue {
	for _, i := range b.rows {
		if i.Ref == ref || strings.EqualFold(string(i.Ref), string(ref)) {
			return i
		}
	}
	return nil
}

// answer is a row as a reader gets it: its own copy, with blockers and
// children as they are now. The lock is held.
func (b *simBoard) answer(i *board.Issue) board.Issue {
	out := *i
	out.Labels, out.PRs, out.Comments = slices.Clone(i.Labels), slices.Clone(i.PRs), slices.Clone(i.Comments)
	if i.Claim != nil {
		c := *i.Claim
		out.Claim = &c
	}
	out.Blockers = slices.Clone(i.Blockers)
	for n := range out.Blockers {
		by := b.find(out.Blockers[n].Ref)
		out.Blockers[n].Open = by == nil || !by.Closed
	}
	for _, c := range b.rows {
		if c.Parent != "" && c.Parent == i.Ref {
			out.Children = append(out.Children, board.Child{Ref: c.Ref, Title: c.Title, State: c.State, Closed: c.Closed})
		}
	}
	return out
}

func (b *simBoard) Poll(_ context.Context, q board.Query) ([]board.Issue, error) {
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
	for _, i := range b.rows {
		if (q.AllMilestones || wanted[strings.ToLower(i.Milestone)]) && (q.Closed || !i.Closed) {
			out = append(out, b.answer(i))
		}
	}
	return out, nil
}

func (b *simBoard) Issue(_ context.Context, ref board.Ref) (board.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(ref)
	if i == nil {
		return board.Issue{}, fmt.Errorf("read %s: %w", ref, board.ErrNotFound)
	}
	return b.answer(i), nil
}

func (b *simBoard) States(context.Context) ([]board.State, error) {
	var out []board.State
	for _, r := range board.Roles() {
		out = append(out, board.State{ID: string(r), Name: r.DefaultName(), Role: r, Closed: r.Closed()})
	}
	return out, nil
}

func (b *simBoard) Milestones(context.Context) ([]board.Milestone, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []board.Milestone
	none := board.Milestone{Name: board.NoMilestone}
	for _, i := range b.rows {
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

var simRef = regexp.MustCompile(`^DSP-[0-9]+$`)

func (b *simBoard) ParseRef(s string) (board.Ref, error) {
	if s = strings.ToUpper(strings.TrimSpace(s)); simRef.MatchString(s) {
		return board.Ref(s), nil
	}
	return "", fmt.Errorf("%q is no ref; one looks like DSP-3", s)
}

func (b *simBoard) RoleState(r board.Role) (string, bool) {
	return r.DefaultName(), r != board.RoleNone
}

// errSame ends a change that would change nothing: not an error.
var errSame = errors.New("nothing to change")

// write changes a row under the fence: an actor with a run is refused once the
// epoch of its issue has moved on.
func (b *simBoard) write(by board.Actor, ref board.Ref, what string, change func(i *board.Issue) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(ref)
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
	i.UpdatedAt = b.now()
	if b.wrote != nil {
		b.wrote(by, what, &before, i)
	}
	return nil
}

func (b *simBoard) fencedOut(by board.Actor, i *board.Issue) error {
	if !b.fenced || !by.Worker() && by.Epoch == 0 {
		return nil
	}
	own := i
	if by.Ref != "" {
		if own = b.find(by.Ref); own == nil {
			return fmt.Errorf("its own issue %s: %w", by.Ref, board.ErrNotFound)
		}
	}
	if own.Epoch != by.Epoch || by.Run != "" && own.LastRun != "" && own.LastRun != by.Run {
		return fmt.Errorf("%w: epoch %d, not %d", board.ErrClaimConflict, own.Epoch, by.Epoch)
	}
	return nil
}

func (b *simBoard) SetState(_ context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	return b.write(by, ref, "move", func(i *board.Issue) error {
		if from != board.RoleNone && i.Role != from {
			return board.ErrChanged
		}
		for _, r := range board.Roles() {
			if strings.EqualFold(r.DefaultName(), state) {
				if i.Role == r {
					return errSame
				}
				b.put(i, r, by.Kind)
				return nil
			}
		}
		return fmt.Errorf("to %q: %w", state, board.ErrNotFound)
	})
}

func (b *simBoard) Comment(_ context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	var c board.Comment
	err := b.write(by, ref, "comment", func(i *board.Issue) error {
		c = board.Comment{ID: "c" + strconv.Itoa(len(i.Comments)+1), Role: as, Author: by.Name, Body: body, At: b.now(), Run: by.Run}
		i.Comments = append(i.Comments, c)
		return nil
	})
	return c, err
}

func (b *simBoard) Label(_ context.Context, by board.Actor, ref board.Ref, name string, add bool) error {
	return b.write(by, ref, "label", func(i *board.Issue) error {
		if add && !strings.EqualFold(name, boardtest.Label) && !strings.EqualFold(name, looptest.ConfirmLabel) {
			return fmt.Errorf("%w: %s", board.ErrNotFound, name)
		}
		had := i.HasLabel(name)
		if add && !had {
			i.Labels = append(slices.Clone(i.Labels), name)
			if strings.EqualFold(name, boardtest.Label) {
				i.Labels[len(i.Labels)-1] = boardtest.Label
			}
		}
		if !add {
			i.Labels = slices.DeleteFunc(slices.Clone(i.Labels), func(l string) bool { return strings.EqualFold(l, name) })
		}
		return nil
	})
}

func (b *simBoard) LinkPR(_ context.Context, by board.Actor, ref board.Ref, pr string) error {
	return b.write(by, ref, "link", func(i *board.Issue) error {
		if slices.Contains(i.PRs, pr) {
			return errSame
		}
		i.PRs = append(slices.Clone(i.PRs), pr)
		return nil
	})
}

func (b *simBoard) Tick(_ context.Context, by board.Actor, ref board.Ref, box board.Box) error {
	return b.write(by, ref, "tick", func(i *board.Issue) error {
		body, err := board.Tick(i.Body, box)
		if err == nil {
			i.Body = body
		}
		return err
	})
}

func (b *simBoard) Assign(_ context.Context, by board.Actor, ref board.Ref, to board.Delegate) error {
	return b.write(by, ref, "assign", func(i *board.Issue) error {
		if i.Delegate == to && i.Claim == nil {
			return errSame
		}
		i.Delegate = to
		b.unclaim(i)
		return nil
	})
}

func (b *simBoard) Release(_ context.Context, by board.Actor, ref board.Ref, session string) error {
	return b.write(by, ref, "release", func(i *board.Issue) error {
		switch {
		case session != "" && i.Claim != nil && i.Claim.Session != session:
			b.withdraw(i, session)
			return errSame
		case i.Claim == nil && i.Delegate == board.DelegateNone && i.Assignee == "":
			return errSame
		}
		b.unclaim(i)
		i.Delegate, i.Assignee = board.DelegateNone, ""
		return nil
	})
}

// TestBoards holds both boards of the simulated world to what every board
// does.
func TestBoards(t *testing.T) {
	t.Parallel()
	for _, fenced := range []bool{true, false} {
		t.Run(fmt.Sprintf("fenced=%v", fenced), func(t *testing.T) {
			t.Parallel()
			boardtest.Run(t, func(*testing.T) boardtest.Fixture {
				clock := boardtest.NewClock(genesis)
				b := &simBoard{now: clock.Now, fenced: fenced}
				return boardtest.Fixture{
					Backend: b, Fenced: fenced, Now: clock.Now,
					Seed:    func(_ *testing.T, n board.NewIssue) board.Ref { return b.add(n) },
					Advance: clock.Advance,
					Reopen:  func(*testing.T) board.Backend { return b },
					SetDelegate: func(_ *testing.T, ref board.Ref, d board.Delegate) {
						b.edit(ref, func(i *board.Issue) { i.Delegate = d })
					},
				}
			})
		})
	}
}
