package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// start takes the claim and brings the worker to life: journal, claim, In
// Progress, worktree, prompt, supervisor, each step written down before it is
// made. A step that fails before the worker lives is undone.
func (f *firing) start(ctx context.Context, r state.Run, issue board.Issue, pr *board.PullRequest, old *state.Run) error {
	r.ClaimedAt = f.e.o.Now()
	if pr != nil {
		r.PR = pr.Name
		if r.Kind == board.KindCleaner {
			r.Head, r.Base = pr.HeadSHA, pr.BaseSHA
		}
	}
	if err := f.book.put(r); err != nil {
		return err
	}
	if err := f.claim(ctx, &r, old); err != nil {
		return err
	}
	if r.Kind == board.KindCleaner && old == nil {
		if err := f.announce(ctx, r, pr); err != nil {
			return f.undo(ctx, r, fmt.Errorf("write down where the row was: %w", err))
		}
	}
	writes, _ := f.board(r)
	if issue.Role != board.RoleInProgress {
		if err := writes.SetStateFrom(ctx, r.Ref, board.RoleInProgress, issue.Role); err != nil {
			return f.undo(ctx, r, fmt.Errorf("move to In Progress: %w", err))
		}
	}
	err := f.prepare(ctx, &r, issue, pr)
	gone, away := errors.AsType[*AwayError](err)
	switch {
	case away:
		return f.putBackAway(ctx, r, old, gone)
	case errors.Is(err, errLeft):
		return f.undo(ctx, r, err)
	case err != nil:
		return f.failStart(ctx, r, err)
	}
	if r.Resume {
		f.say(r.Ref, false, "%s try %d goes on in its session", r.Kind, r.Attempt)
		return nil
	}
	f.say(r.Ref, false, "%s try %d started", r.Kind, r.Attempt)
	return nil
}

// claim takes the row and confirms it in the journal. A claim whose outcome is
// unknown stays in the journal and is looked at by the next firing.
func (f *firing) claim(ctx context.Context, r *state.Run, old *state.Run) error {
	_, claims := f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher})
	req := board.ClaimRequest{
		Kind: r.Kind, Session: r.Session, Run: r.ID, Steal: old != nil, Host: f.e.o.Host, Boot: f.e.o.Boot,
	}
	if r.Kind == board.KindCleaner {
		req.From = r.PriorRole
	}
	c, err := claims.Claim(ctx, r.Ref, req)
	if err != nil {
		if errors.Is(err, board.ErrUnknownOutcome) {
			return err
		}
		f.skip(r.Ref)
		return errors.Join(err, f.book.drop(r.ID))
	}
	r.Epoch, r.Phase, r.StampedAt = c.Epoch, state.PhaseClaimed, f.e.o.Now()
	if err := f.book.put(*r); err != nil {
		return err
	}
	if old != nil {
		f.e.post(func(context.Context) { f.e.forget(*old, "tried again: "+firstOf(old.PutOff, old.Failure)) })
		return f.book.drop(old.ID)
	}
	return nil
}

// prepare makes the worktree and the prompt and starts the worker.
func (f *firing) prepare(ctx context.Context, r *state.Run, issue board.Issue, pr *board.PullRequest) error {
	made := false
	if r.Kind != board.KindReviewer {
		w, err := f.workplace(ctx, *r, issue, pr)
		if err != nil {
			return fmt.Errorf("make the worktree: %w", err)
		}
		r.Worktree, r.Branch, r.Base, r.Fresh = w.Path, w.Branch, w.Base, w.Fresh
		made = w.Made
		if w.SetupDue {
			if err := f.hook(ctx, HookAfterCreate, *r); err != nil {
				return err
			}
		}
	}
	requests := plan.OwnerRequests(&issue, pr)
	if pr != nil {
		r.PR, r.Head = pr.Name, pr.HeadSHA
	}
	for _, q := range requests {
		r.Carried = append(r.Carried, q.ID)
	}
	spec, err := f.e.d.Prompts.Prompt(ctx, PromptRequest{
		Run: *r, Issue: issue, PR: pr, Requests: requests, Made: made,
		MergeScoped: r.Kind == board.KindReviewer && plan.MergeScoped(&issue, headOf(pr)),
	})
	if err != nil {
		return fmt.Errorf("write the prompt: %w", err)
	}
	if err := f.hook(ctx, HookBeforeRun, *r); err != nil {
		return err
	}
	r.Phase, r.StartedAt = state.PhaseStarting, f.e.o.Now()
	if err := f.book.put(*r); err != nil {
		return err
	}
	if err := f.confirm(ctx, r); err != nil {
		return err
	}
	spec.Run, spec.Issue = *r, issue
	st, err := f.e.d.Launcher.Start(ctx, spec)
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	return f.running(ctx, r, st)
}

// errLeft: the row left our hands before its worker was started.
var errLeft = errors.New("the row is no longer ours to work")

// confirm looks at the row once more before a worker is let loose on it: to
// make a worktree may take longer than a lease, and longer than an owner
// (design.md, section 6). What cannot be read is for the fence to judge.
func (f *firing) confirm(ctx context.Context, r *state.Run) error {
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	switch {
	case gone(err):
		return errLeft
	case f.e.heart.knowsLost(r.ID):
		return fmt.Errorf("%w: another session has taken it over", errLeft)
	case err != nil || issue.Unreadable != "":
		return nil //nolint:nilerr // the fence judges what could not be read
	case issue.Claim == nil || issue.Claim.Session != r.Session:
		return fmt.Errorf("%w: its claim is gone", errLeft)
	case issue.Role != board.RoleInProgress:
		return fmt.Errorf("%w: it was moved to %s", errLeft, issue.State)
	}
	return nil
}

// running records a living worker: in the journal, in the worktree's lock and
// in the claim.
func (f *firing) running(ctx context.Context, r *state.Run, st state.WorkerStatus) error {
	r.Phase = state.PhaseRunning
	if err := f.book.put(*r); err != nil {
		return err
	}
	if r.Worktree != "" {
		if err := f.e.d.Worktrees.Hold(ctx, r.Worktree, r.ID, st.PID); err != nil {
			f.say(r.Ref, true, "lock %s: %v", r.Worktree, err)
		}
	}
	if err := f.e.heart.home(ctx, *r, st); err != nil {
		f.say(r.Ref, true, "write the worker's place into the claim: %v", err)
	}
	f.e.secondLook(*r)
	return nil
}

// undo gives a row back whose worker was never started.
func (f *firing) undo(ctx context.Context, r state.Run, cause error) error {
	f.skip(r.Ref)
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	if err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, f.letRest(ctx, r, plan.Revert(&r, &issue)))
}

// failStart settles a start that failed after the claim. It counts as a failed
// try, so that a row which can never start comes to rest with its reason.
func (f *firing) failStart(ctx context.Context, r state.Run, cause error) error {
	f.skip(r.Ref)
	st, err := f.e.d.Watcher.Forbid(ctx, r.ID)
	if err != nil {
		return errors.Join(cause, err)
	}
	if st.Phase == state.WorkerRunning {
		return errors.Join(cause, f.running(ctx, &r, st))
	}
	fin, err := f.finish(ctx, r)
	if err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, f.letRest(ctx, r, plan.Failed(fin, cause.Error())))
}

// letRest settles a run after the poll and looks at its row again, so that
// this very firing says for what the row now waits: it may be the last one.
func (f *firing) letRest(ctx context.Context, r state.Run, ds []state.Decision) error {
	if err := f.carry(ctx, r, ds); err != nil {
		return err
	}
	now, err := f.e.d.Board.Issue(ctx, r.Ref)
	if err != nil {
		return err
	}
	f.replace(now)
	return nil
}
