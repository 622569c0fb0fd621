package loop_test

import (
	"context"
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

// memoryLease is how long a claim of memoryBoard holds.
const memoryLease = 15 * time.Minute

// memoryBoard is a board in memory with fenced claims. What the rules expect
// of a board is checked on it by the suite that every real one passes.
type memoryBoard struct {
	now func() time.Time

	mu   sync.Mutex
	rows []*board.Issue
	// refuse are rows that cannot be claimed, with the reason.
	refuse map[board.Ref]error
	// unsure are rows whose next claim is taken and answered as unknown.
	unsure map[board.Ref]bool
	// hide leaves every row that is at work out of the answers to a poll.
	hide bool
	// log is every change of a claim and a state, for a failed test to print.
	log []string
}

var _ board.Backend = (*memoryBoard)(nil)

// add puts a row on the board as its owner would.
func (b *memoryBoard) add(n board.NewIssue) board.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	ref := board.Ref(fmt.Sprintf("DSP-%d", len(b.rows)+1))
	i := &board.Issue{
		Ref: ref, Title: n.Title, Body: n.Body, Milestone: n.Milestone, Labels: n.Labels, Parent: n.Parent,
		CreatedAt: b.now(), UpdatedAt: b.now(), CreatedBy: "owner",
	}
	b.put(i, n.State, board.ActorOwner)
	for _, r := range n.Blockers {
		i.Blockers = append(i.Blockers, board.Blocker{Ref: r})
	}
	b.rows = append(b.rows, i)
	return ref
}

// put moves a row; the lock is held.
func (b *memoryBoard) put(i *board.Issue, to board.Role, by board.ActorKind) {
	b.log = append(b.log, fmt.Sprintf("%s %s: %s to %s by %s", b.now().Format("15:04:05.000"), i.Ref, i.Role.Word(), to.Word(), by))
	i.PrevRole, i.Role, i.State, i.Closed = i.Role, to, to.DefaultName(), to.Closed()
	i.StateBy, i.StateSince = by, b.now()
}

// edit changes a row behind the rules' back.
func (b *memoryBoard) edit(ref board.Ref, change func(i *board.Issue)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.find(ref); i != nil {
		change(i)
	}
}

// remove takes a row off the board.
func (b *memoryBoard) remove(ref board.Ref) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = slices.DeleteFunc(b.rows, func(i *board.Issue) bool { return i.Ref == ref })
}

func (b *memoryBoard) find(ref board.Ref) *board.Issue {
	for _, i := range b.rows {
		if strings.EqualFold(string(i.Ref), string(ref)) {
			return i
		}
	}
	return nil
}

// answer is a row as a reader gets it: its own copy, with blockers and
// children as they are now. The lock is held.
func (b *memoryBoard) answer(i *board.Issue) board.Issue {
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
		if c.Parent != "" && strings.EqualFold(string(c.Parent), string(i.Ref)) {
			out.Children = append(out.Children, board.Child{Ref: c.Ref, Title: c.Title, State: c.State, Closed: c.Closed})
		}
	}
	return out
}

func (b *memoryBoard) Poll(_ context.Context, q board.Query) ([]board.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[string]bool{strings.ToLower(board.NoMilestone): true}
	for _, i := range b.rows {
		known[strings.ToLower(i.Milestone)] = true
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
		if (q.AllMilestones || wanted[strings.ToLower(i.Milestone)]) && (q.Closed || !i.Closed) && !(b.hide && i.Claim != nil) {
			out = append(out, b.answer(i))
		}
	}
	return out, nil
}

func (b *memoryBoard) Issue(_ context.Context, ref board.Ref) (board.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(ref)
	if i == nil {
		return board.Issue{}, fmt.Errorf("read %s: %w", ref, board.ErrNotFound)
	}
	return b.answer(i), nil
}

func (b *memoryBoard) States(context.Context) ([]board.State, error) {
	var out []board.State
	for _, r := range board.Roles() {
		out = append(out, board.State{ID: string(r), Name: r.DefaultName(), Role: r, Closed: r.Closed()})
	}
	return out, nil
}

func (b *memoryBoard) Milestones(context.Context) ([]board.Milestone, error) {
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

var memoryRef = regexp.MustCompile(`^DSP-[0-9]+$`)

func (b *memoryBoard) ParseRef(s string) (board.Ref, error) {
	if s = strings.ToUpper(strings.TrimSpace(s)); memoryRef.MatchString(s) {
		return board.Ref(s), nil
	}
	return "", fmt.Errorf("%q is no ref; one looks like DSP-3", s)
}

func (b *memoryBoard) RoleState(r board.Role) (string, bool) {
	return r.DefaultName(), r != board.RoleNone
}

// write changes a row under the fence: an actor with a run is refused once the
// epoch of its issue has moved on.
func (b *memoryBoard) write(by board.Actor, ref board.Ref, change func(i *board.Issue) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(ref)
	if i == nil {
		return fmt.Errorf("write %s: %w", ref, board.ErrNotFound)
	}
	own := i
	if by.Worker() && by.Ref != "" {
		own = b.find(by.Ref)
	}
	if own != nil && (by.Worker() || by.Run != "" && by.Epoch != 0) && own.Epoch != by.Epoch {
		return fmt.Errorf("write %s: %w: epoch %d, not %d", ref, board.ErrClaimConflict, own.Epoch, by.Epoch)
	}
	i.UpdatedAt = b.now()
	return change(i)
}

func (b *memoryBoard) SetState(_ context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	return b.write(by, ref, func(i *board.Issue) error {
		if from != board.RoleNone && i.Role != from {
			return fmt.Errorf("move %s: %w", ref, board.ErrChanged)
		}
		for _, r := range board.Roles() {
			if strings.EqualFold(r.DefaultName(), state) {
				if i.Role != r {
					b.put(i, r, by.Kind)
				}
				return nil
			}
		}
		return fmt.Errorf("move %s to %q: %w", ref, state, board.ErrNotFound)
	})
}

func (b *memoryBoard) Comment(_ context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	var c board.Comment
	err := b.write(by, ref, func(i *board.Issue) error {
		c = board.Comment{ID: "c" + strconv.Itoa(len(i.Comments)+1), Role: as, Author: by.Name, Body: body, At: b.now(), Run: by.Run}
		i.Comments = append(i.Comments, c)
		return nil
	})
	return c, err
}

func (b *memoryBoard) Label(_ context.Context, by board.Actor, ref board.Ref, name string, add bool) error {
	return b.write(by, ref, func(i *board.Issue) error {
		if add && !strings.EqualFold(name, boardtest.Label) && !strings.EqualFold(name, looptest.ConfirmLabel) {
			return fmt.Errorf("label %s: %w: %s", ref, board.ErrNotFound, name)
		}
		had := i.HasLabel(name)
		if add && !had {
			i.Labels = append(i.Labels, boardtest.Label)
		}
		if !add {
			i.Labels = slices.DeleteFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, name) })
		}
		return nil
	})
}

func (b *memoryBoard) LinkPR(_ context.Context, by board.Actor, ref board.Ref, pr string) error {
	return b.write(by, ref, func(i *board.Issue) error {
		if !slices.Contains(i.PRs, pr) {
			i.PRs = append(i.PRs, pr)
		}
		return nil
	})
}

func (b *memoryBoard) Tick(_ context.Context, by board.Actor, ref board.Ref, box board.Box) error {
	return b.write(by, ref, func(i *board.Issue) error {
		body, err := board.Tick(i.Body, box)
		if err == nil {
			i.Body = body
		}
		return err
	})
}

func (b *memoryBoard) Claim(_ context.Context, by board.Actor, ref board.Ref, req board.ClaimRequest) (board.Claim, error) {
	var out board.Claim
	err := b.write(by, ref, func(i *board.Issue) error {
		if err := b.refuse[i.Ref]; err != nil {
			return err
		}
		held := i.Claim
		mine := held != nil && held.Session == req.Session && (req.Run == "" || held.Run == req.Run)
		if req.Renew && !mine || held != nil && !mine && !req.Steal && !b.now().After(held.LeaseUntil) {
			return fmt.Errorf("claim %s: %w", ref, board.ErrClaimConflict)
		}
		if !mine {
			if req.Session == "" || strings.ContainsAny(req.Session, "`\n ") {
				return fmt.Errorf("claim %s: %w: no session", ref, board.ErrForbidden)
			}
			if err := board.MayClaim(by, i); err != nil {
				return err
			}
			i.Epoch++
			i.Delegate, i.LastRun = board.DelegateOf(req.Kind), req.Run
			held = &board.Claim{Kind: req.Kind, Session: req.Session, Run: req.Run, Epoch: i.Epoch, From: req.From}
			b.log = append(b.log, fmt.Sprintf("%s %s: claimed by %s, epoch %d", b.now().Format("15:04:05.000"), i.Ref, req.Session, i.Epoch))
		}
		next := *held
		next.Stamp, next.LeaseUntil = b.now(), b.now().Add(memoryLease)
		if req.PID != 0 || !mine {
			next.Host, next.Boot, next.PID, next.PIDStart = req.Host, req.Boot, req.PID, req.PIDStart
		}
		i.Claim, out = &next, next
		if b.unsure[i.Ref] {
			delete(b.unsure, i.Ref)
			return fmt.Errorf("claim %s: %w", ref, board.ErrUnknownOutcome)
		}
		return nil
	})
	return out, err
}

func (b *memoryBoard) Assign(_ context.Context, by board.Actor, ref board.Ref, to board.Delegate) error {
	return b.write(by, ref, func(i *board.Issue) error {
		if i.Claim != nil && i.Claim.Account != "" {
			i.Delegate = to
			return fmt.Errorf("assign %s: %w", ref, board.ErrOtherAccount)
		}
		i.Delegate, i.Claim = to, nil
		b.log = append(b.log, fmt.Sprintf("%s %s: assigned to %s", b.now().Format("15:04:05.000"), i.Ref, to))
		return nil
	})
}

func (b *memoryBoard) Release(_ context.Context, by board.Actor, ref board.Ref, session string) error {
	return b.write(by, ref, func(i *board.Issue) error {
		if session != "" && i.Claim != nil && i.Claim.Session != session {
			return nil
		}
		if i.Claim != nil && i.Claim.Account != "" {
			i.Delegate, i.Assignee = board.DelegateNone, ""
			return fmt.Errorf("release %s: %w", ref, board.ErrOtherAccount)
		}
		i.Claim, i.Delegate, i.Assignee = nil, board.DelegateNone, ""
		b.log = append(b.log, fmt.Sprintf("%s %s: released", b.now().Format("15:04:05.000"), i.Ref))
		return nil
	})
}

// TestMemoryBoard holds the board of these tests to what every board does.
func TestMemoryBoard(t *testing.T) {
	t.Parallel()
	boardtest.Run(t, func(*testing.T) boardtest.Fixture {
		clock := boardtest.NewClock(time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC))
		b := &memoryBoard{now: clock.Now}
		return boardtest.Fixture{
			Backend: b, Fenced: true, Now: clock.Now,
			Seed:    func(_ *testing.T, n board.NewIssue) board.Ref { return b.add(n) },
			Advance: clock.Advance,
			Reopen:  func(*testing.T) board.Backend { return b },
			SetDelegate: func(_ *testing.T, ref board.Ref, d board.Delegate) {
				b.edit(ref, func(i *board.Issue) { i.Delegate = d })
			},
		}
	})
}
