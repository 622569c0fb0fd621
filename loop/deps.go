package loop

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Rows reads the board.
type Rows interface {
	Poll(ctx context.Context, q board.Query) ([]board.Issue, error)
	Issue(ctx context.Context, ref board.Ref) (board.Issue, error)
}

// Writes is the board under the policy of one actor.
type Writes interface {
	SetStateFrom(ctx context.Context, ref board.Ref, role, from board.Role) error
	Comment(ctx context.Context, ref board.Ref, as board.ActorKind, body string) (board.Comment, error)
	LinkPR(ctx context.Context, ref board.Ref, pr string) error
	Answer(ctx context.Context, ref board.Ref, body string, to board.Role) error
}

// Claims holds rows for sessions under the policy of one actor.
type Claims interface {
	Claim(ctx context.Context, ref board.Ref, req board.ClaimRequest) (board.Claim, error)
	Assign(ctx context.Context, ref board.Ref, to board.Delegate) error
	Release(ctx context.Context, ref board.Ref, session string) error
}

// Board is the board as the loop sees it: reads, and writes under an actor. An
// actor with a run carries its claim epoch, so that a late write of a run that
// lost its row is refused where the board has a fence.
type Board interface {
	Rows
	As(a board.Actor) (Writes, Claims)
}

// Pulls reads the forge, and runs the checks that the loop runs itself.
type Pulls interface {
	// List answers all pull requests, merged and closed ones included.
	List(ctx context.Context) ([]board.PullRequest, error)
	// RunChecks runs the configured checks that have no result at the pull
	// request's head.
	RunChecks(ctx context.Context, name string) error
}

// Worktree is where a developer works.
type Worktree struct {
	Path, Branch, Base string
	Fresh              bool // the branch did not exist before
	Made               bool // its folder was not there before
	SetupDue           bool // the hook afterCreate has yet to succeed in it
}

// Worktrees makes and keeps worktrees.
type Worktrees interface {
	Create(ctx context.Context, issue board.Issue, run string) (Worktree, error)
	// Hold names the process that works in it in the worktree's lock.
	Hold(ctx context.Context, path, run string, pid int) error
	// Free unlocks it; a worktree that is gone is free.
	Free(ctx context.Context, path string) error
	// Reach is nil when worktrees can be made at all; it is asked when one could
	// not, with an AwayError.
	Reach(ctx context.Context) error
	// Prune removes what the rules allow and answers what it did.
	Prune(ctx context.Context) ([]string, error)
}

// AwayError says that no worktree can be made for any issue now.
type AwayError struct {
	Why string // in words, fit for a screen
	Err error
}

func (e *AwayError) Error() string { return e.Why + ": " + e.Err.Error() }

func (e *AwayError) Unwrap() error { return e.Err }

// Launcher starts and stops workers.
type Launcher interface {
	Start(ctx context.Context, spec state.RunSpec) (state.WorkerStatus, error)
	// Stop ends a worker politely, then with its whole process tree; a worker
	// that is gone is stopped.
	Stop(ctx context.Context, run string) error
}

// Interrupter ends the turn of a worker, which lives on and takes the next
// message.
type Interrupter interface {
	Interrupt(ctx context.Context, run string) error
}

// Speaker brings the owner's word to a running worker. Its errors are what the
// owner reads.
type Speaker interface {
	// Steer says something to it, and answers the message's id.
	Steer(ctx context.Context, run, text string) (string, error)
	// Hold ends its turn; it stands still until it is told how to go on. False
	// when it was told to and has not shown that it does.
	Hold(ctx context.Context, run string) (stands bool, err error)
	// Reply answers what it asks.
	Reply(ctx context.Context, run string, r state.RequestReply) error
}

// Sessions are the workers' sessions, which an owner may go on with by hand. Its
// errors are what the owner reads.
type Sessions interface {
	// MayTakeOver answers why a run's session cannot be gone on with by hand.
	MayTakeOver(ctx context.Context, run string) error
	// Taker says who has it open.
	Taker(ctx context.Context, run string) (state.Taker, error)
}

// Watcher sees workers.
type Watcher interface {
	Observe(ctx context.Context, run string) (state.WorkerStatus, error)
	// Watch calls back whenever something changed, and returns when the run is
	// over or the context ends.
	Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error
	// Forbid makes sure that a run which has no supervisor yet never gets one,
	// and answers what it is.
	Forbid(ctx context.Context, run string) (state.WorkerStatus, error)
}

// PromptRequest is what a prompt is made from.
type PromptRequest struct {
	Run      state.Run
	Issue    board.Issue
	PR       *board.PullRequest
	Requests []board.Review // the owner's requests that no earlier prompt carried
	// MergeScoped asks a reviewer for a judgement of the last merge only.
	MergeScoped bool
	Made        bool // the worktree was not there before
}

// Prompts renders what a worker is told.
type Prompts interface {
	// Prompt answers the role text, the task and the directory to work in.
	Prompt(ctx context.Context, r PromptRequest) (state.RunSpec, error)
}

// Journal is what lasts of the loop on this machine.
type Journal interface {
	SaveRuns(runs []state.Run) error
	SaveRuntime(r journal.Runtime) error
	AddCost(c journal.Cost) error
}

// Ledger tells what every run has cost. The answer is not to be changed.
type Ledger interface {
	Costs() ([]journal.Cost, error)
}

// Archive is what settled runs leave behind.
type Archive interface {
	// Prune removes what is older, or more, than is to be kept, and answers what
	// it did. Runs that are needed stay.
	Prune(ctx context.Context, needed []string) ([]string, error)
}

// Deps are everything outside the loop.
type Deps struct {
	Board         Board
	Pulls         Pulls
	Worktrees     Worktrees
	Launcher      Launcher
	Interrupter   Interrupter
	Speaker       Speaker  // nil where nobody can be spoken to
	Sessions      Sessions // nil where none can be handed over
	Watcher       Watcher
	Prompts       Prompts
	Journal       Journal
	Ledger        Ledger        // nil where nothing is counted
	Configuration Configuration // nil where it never changes
	Hooks         Hooks         // nil where there are none
	Archive       Archive       // nil where everything is kept
	Life          Life
	// Updates and Branches may be absent: then no pull request is brought up to
	// date and no conflict cleaned up.
	Updates  Updates
	Branches Branches
	// Owner and OwnerPulls carry out what the owner asks for in the room; what
	// is absent is refused.
	Owner      OwnerBoard
	OwnerPulls OwnerPulls
	// Reading tells how far a poll has come; nil where one is over at once.
	Reading board.Teller
}
