package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// undosKept is how many commands can be taken back.
const undosKept = 50

// ErrBuiltOn refuses to take back what others have gone on from.
var ErrBuiltOn = errors.New("it cannot be taken back any more")

func builtOn(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBuiltOn, fmt.Sprintf(format, args...))
}

// undoable is a command that can be taken back.
type undoable struct {
	id   uint64
	ref  board.Ref
	what string
	do   func(ctx context.Context) (string, error)
}

// undos are the owner's last commands, the newest last. Nothing of it lasts.
type undos struct {
	mu   sync.Mutex
	last uint64
	list []undoable
	// again says for which moment of a row that was put back the present one
	// stands: what was done before then can be taken back, too.
	again map[board.Ref]moment
}

// moment is when a row was put back to a state, and since when it had been in it.
type moment struct{ now, was time.Time }

func (u *undos) add(d undoable) uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last++
	d.id = u.last
	u.list = append(u.list, d)
	if n := len(u.list) - undosKept; n > 0 {
		u.list = slices.Clone(u.list[n:])
	}
	return d.id
}

// take answers a command that can be taken back, the last one for 0, and
// forgets it: two who ask at once take back two, or one of them is refused.
func (u *undos) take(id uint64) (undoable, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := len(u.list) - 1
	if id != 0 {
		at = slices.IndexFunc(u.list, func(d undoable) bool { return d.id == id })
	}
	if at < 0 {
		return undoable{}, errors.New("there is nothing to take back")
	}
	d := u.list[at]
	u.list = slices.Delete(slices.Clone(u.list), at, at+1)
	return d, nil
}

// keep puts back what could not be taken back for a passing reason.
func (u *undos) keep(d undoable) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at, _ := slices.BinarySearchFunc(u.list, d.id, func(o undoable, id uint64) int { return int(o.id) - int(id) }) //nolint:gosec // ids are small
	u.list = slices.Insert(slices.Clone(u.list), at, d)
}

// putBack notes that a row is in a state again in which it was since then.
func (e *Engine) putBack(ctx context.Context, ref board.Ref, was time.Time) {
	now, err := e.d.Board.Issue(ctx, ref)
	if err != nil {
		return // earlier things on it can then not be taken back, and say why
	}
	u := &e.undos
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.again == nil {
		u.again = map[board.Ref]moment{}
	}
	u.again[ref] = moment{now.StateSince, was}
}

// since is since when a row is in its state, but for what was taken back.
func (u *undos) since(i *board.Issue) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m, ok := u.again[i.Ref]; ok && m.now.Equal(i.StateSince) {
		return m.was
	}
	return i.StateSince
}

// doUndo takes a command back, unless something was built on it.
func (e *Engine) doUndo(ctx context.Context, c state.Command) (state.Done, *undoable, error) {
	d, err := e.undos.take(c.ID)
	if err != nil {
		return state.Done{}, nil, err
	}
	text, err := d.do(ctx)
	if err != nil {
		if passing(err) {
			e.undos.keep(d)
		}
		return state.Done{}, nil, fmt.Errorf("take back %s: %w", d.what, err)
	}
	if d.ref != "" {
		e.post(func(context.Context) { e.touch(d.ref, "restored") })
	}
	return state.Done{Ref: d.ref, Text: "taken back: " + text}, nil, nil
}

// passing says whether what could not be taken back may be later.
func passing(err error) bool {
	for _, lasting := range []error{ErrBuiltOn, board.ErrNotFound, board.ErrChanged, board.ErrForbidden} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	return true
}

// unchanged refuses when a row is not as a command left it. The moment of then
// is one that undos.since has answered, or of a state that is new.
func (e *Engine) unchanged(ctx context.Context, then *board.Issue) error {
	now, err := e.d.Board.Issue(ctx, then.Ref)
	switch {
	case err != nil:
		return err
	case now.Role != then.Role || !e.undos.since(&now).Equal(then.StateSince):
		return builtOn("%s was moved to %s by the %s since", now.Ref, now.State, firstOf(string(now.StateBy), "owner"))
	case now.Claim == nil && then.Claim != nil:
		return builtOn("the %s on %s was stopped for it", then.Claim.Kind, now.Ref)
	case now.Claim != nil && (then.Claim == nil || then.Claim.Session != now.Claim.Session):
		return builtOn("a %s works on %s since", now.Claim.Kind, now.Ref)
	}
	return nil
}
