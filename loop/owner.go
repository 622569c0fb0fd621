package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// OwnerBoard is the board as its owner writes to it, under policy.
type OwnerBoard interface { //nolint:interfacebloat // one method for each thing that an owner does
	Writes
	Poll(ctx context.Context, q board.Query) ([]board.Issue, error)
	SetStateName(ctx context.Context, ref board.Ref, name string) error
	Tick(ctx context.Context, ref board.Ref, box board.Box) error
	Label(ctx context.Context, ref board.Ref, name string, add bool) error
	Uncomment(ctx context.Context, ref board.Ref, id string) error
	Release(ctx context.Context, ref board.Ref, session string) error
	Create(ctx context.Context, n board.NewIssue) (board.Issue, error)
	Edit(ctx context.Context, ref board.Ref, e board.Edit) (board.Issue, error)
	Block(ctx context.Context, ref, blocker board.Ref, on bool) error
	Place(ctx context.Context, ref board.Ref, to board.Place) error
}

// OwnerPulls are the pull requests as their owner acts on them.
type OwnerPulls interface {
	// Merge merges one at the head that was read, and answers what else there
	// is to say. It is refused with ErrElsewhere where the forge's page merges.
	Merge(ctx context.Context, name, head string, force bool) (string, error)
	// Request sends one back with what should change, and its rows along. With
	// an error and a review the request stands and its rows may not.
	Request(ctx context.Context, name, head, text string, findings []board.Finding) (Requested, error)
	// Withdraw takes a request back that nobody has carried out.
	Withdraw(ctx context.Context, name, review string) error
}

// Requested is a request for changes that was made.
type Requested struct {
	Review string
	Sent   []SentBack
	Kept   []board.Ref // rows of it that stay where they are
}

// SentBack is a row that a request for changes moved.
type SentBack struct {
	Ref      board.Ref
	From     board.Role
	Assignee string    // who had it, and has it no more
	Since    time.Time // when it had come to From
	Left     string    // why it was not let go; empty where it was
}

// act carries out one command of the owner's away from the owner goroutine. It
// answers how to take it back, nil when that cannot be.
type act func(e *Engine, ctx context.Context, c state.Command) (state.Done, *undoable, error)

// ownerAct is what is known of a command before it is carried out.
type ownerAct struct {
	do  act
	did string // as in "you just moved it"; empty when the row is not left alone
	// tell says that a refusal must not be missed: what was written with care
	// would be lost.
	tell bool
}

// ownerActs are the commands that write as the owner and need no firing.
func ownerActs(k state.CommandKind) (ownerAct, bool) {
	a, ok := map[state.CommandKind]ownerAct{
		state.CommandAnswer:   {do: (*Engine).doAnswer, did: "answered", tell: true},
		state.CommandMove:     {do: (*Engine).doMove, did: "moved"},
		state.CommandOrder:    {do: (*Engine).doOrder, did: "moved"},
		state.CommandTick:     {do: (*Engine).doTick, did: "ticked"},
		state.CommandLabel:    {do: (*Engine).doLabel, did: "labelled"},
		state.CommandComment:  {do: (*Engine).doComment, did: "commented on"},
		state.CommandClaim:    {do: (*Engine).doClaim, did: "took"},
		state.CommandRelease:  {do: (*Engine).doRelease, did: "released"},
		state.CommandCreate:   {do: (*Engine).doCreate},
		state.CommandEdit:     {do: (*Engine).doEdit, did: "edited"},
		state.CommandUndo:     {do: (*Engine).doUndo},
		state.CommandMerge:    {do: (*Engine).doMerge},
		state.CommandRequest:  {do: (*Engine).doRequest, tell: true},
		state.CommandUpdatePR: {do: (*Engine).doUpdatePR},
	}[k]
	return a, ok
}

// asOwner carries a command out as the owner. It is answered when it is
// written, and the loop looks at the board at once.
func (e *Engine) asOwner(ctx context.Context, a ownerAct, c state.Command, reply chan<- Reply) {
	if err := e.mayNow(c); err != nil {
		reply <- Reply{Err: err}
		return
	}
	if a.did != "" {
		e.touch(c.Ref, a.did)
	}
	e.task(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.o.StopGrace)
		defer cancel()
		done, back, err := a.do(e, ctx, c)
		if err == nil && back != nil {
			done.Undo = e.undos.add(*back)
		}
		reply <- Reply{Done: done, Err: err}
		e.post(func(ctx context.Context) {
			switch {
			case err != nil && a.tell:
				e.notify(c.Ref, fmt.Sprintf("your %s to %s was not taken: %v", c.Kind, firstOf(string(c.Ref), c.PR), err))
			case err == nil && done.Text != "":
				e.say(firstRef(c.Ref, done.Ref), false, "you: "+done.Text)
			}
			e.wake(ctx, "you asked")
		})
	})
}

func firstRef(a, b board.Ref) board.Ref {
	if a != "" {
		return a
	}
	return b
}

// mayNow refuses what would pull a row from under a worker of ours.
func (e *Engine) mayNow(c state.Command) error {
	if c.Kind != state.CommandRelease {
		return nil
	}
	for i := range e.runs {
		if r := &e.runs[i]; r.Ref == c.Ref && r.Alive() {
			return fmt.Errorf("%s is worked by the %s of this loop; stop it first, which releases the row", c.Ref, r.Kind)
		}
	}
	return nil
}

// owner is the board as its owner writes to it.
func (e *Engine) owner() (OwnerBoard, error) {
	if e.d.Owner == nil {
		return nil, fmt.Errorf("%w: this loop cannot write to the board as its owner", board.ErrForbidden)
	}
	return e.d.Owner, nil
}

// ownersRow is the board as its owner writes to it, and a row as it is now.
func (e *Engine) ownersRow(ctx context.Context, ref board.Ref) (OwnerBoard, board.Issue, error) {
	o, err := e.owner()
	if err != nil {
		return nil, board.Issue{}, err
	}
	was, err := e.d.Board.Issue(ctx, ref)
	return o, was, err
}
