package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/report"
)

// finished settles every run that is over (dispatcher-system.md, One firing
// 2). One run that cannot be settled now keeps its claim and does not stop the
// others.
func (f *firing) finished(ctx context.Context) error {
	for _, r := range slices.Clone(f.book.runs) {
		if f.rests(r.Ref) {
			continue // what its owner has just done may be taken back
		}
		if err := f.look(ctx, r); err != nil {
			f.say(r.Ref, true, "settle the %s on %s: %v", r.Kind, r.Ref, err)
		}
	}
	return nil
}

// look judges one run by its worker.
func (f *firing) look(ctx context.Context, r state.Run) error {
	switch r.Phase {
	case state.PhaseRetrying:
		if r.Stopped != "" {
			return f.settleStopped(ctx, r)
		}
		return nil
	case state.PhaseTakenOver:
		return f.lookTaken(ctx, r)
	case state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting:
		return f.unfinishedStart(ctx, r)
	case state.PhaseRunning, state.PhaseEnded, state.PhaseVerifying:
	}
	st, err := f.e.d.Watcher.Observe(ctx, r.ID)
	if err != nil {
		return err
	}
	switch st.Phase {
	case state.WorkerRunning:
		if r.Stopped != "" {
			f.stop(r)
		}
		return nil
	case state.WorkerExited:
		return f.over(ctx, r, *st.Exit)
	case state.WorkerDead, state.WorkerAbsent:
		return f.over(ctx, r, f.vanished(st))
	}
	return fmt.Errorf("run %s is in the unknown phase %q", r.ID, st.Phase)
}

// over settles a run whose worker has ended.
func (f *firing) over(ctx context.Context, r state.Run, exit state.WorkerExit) error {
	if r.Phase == state.PhaseRunning && r.Stopped == state.StoppedTakeOver {
		return f.handOver(ctx, r, exit)
	}
	return f.settle(ctx, r, exit)
}

// vanished is the end of a worker that left no record of it. What it had cost
// until then is known from its stream, and was spent all the same.
func (f *firing) vanished(st state.WorkerStatus) state.WorkerExit {
	return state.WorkerExit{
		Problem: "its worker vanished without a word", CostUSD: st.CostUSD, Tokens: st.Tokens, Unbilled: st.Unbilled, Ended: f.e.o.Now(), Cut: true,
	}
}

// settle routes a run that is over.
func (f *firing) settle(ctx context.Context, r state.Run, exit state.WorkerExit) error {
	if r.Phase == state.PhaseRunning {
		r.Phase, r.EndedAt = state.PhaseEnded, exit.Ended
		if err := f.charge(r, exit); err != nil {
			return err
		}
		f.afterRun(ctx, r)
		if err := f.obstacle(r, exit); err != nil {
			return err
		}
		if err := f.book.put(r); err != nil {
			return err
		}
	}
	exit = f.untilPauseEnds(r, exit)
	fin, err := f.finish(ctx, r)
	switch {
	case gone(err):
		return f.lostIssue(ctx, r)
	case err != nil:
		return err
	}
	if err := f.compare(ctx, fin); err != nil {
		return err
	}
	fin.Exit, fin.Report = exit, report.Parse(r.Kind, exit.Final).Agree(exit.Answer)
	return f.carry(ctx, r, plan.Route(fin))
}

// finish reads what a route is decided on.
func (f *firing) finish(ctx context.Context, r state.Run) (*plan.Finished, error) {
	issue, err := f.e.d.Board.Issue(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	if issue.Unreadable != "" {
		return nil, fmt.Errorf("%w: %s", board.ErrUnreadable, issue.Unreadable)
	}
	pulls, err := f.e.d.Pulls.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	return &plan.Finished{
		Now: f.e.o.Now(), Run: r, Issue: issue, PR: plan.PullOf(&issue, pulls), Settings: f.facts.Settings,
	}, nil
}

// charge books what a run has spent. What it was killed before telling the price
// of is booked by what runs of its kind paid for a token so far: an estimate, and
// marked as one. No later run of the session tells that part again.
func (f *firing) charge(r state.Run, exit state.WorkerExit) error {
	c := journal.Cost{At: exit.Ended, Run: r.ID, Ref: r.Ref, Kind: r.Kind, USD: exit.CostUSD, Tokens: exit.Tokens}
	if exit.Unbilled > 0 {
		c.Estimated = true
		c.Tokens += exit.Unbilled
		c.USD += float64(exit.Unbilled) * f.pricePerToken(r, exit)
	}
	if c.USD == 0 && c.Tokens == 0 {
		return nil
	}
	return f.e.d.Journal.AddCost(c)
}

// pricePerToken is what a token of such a run cost, in dollars: in the run
// itself as far as it told that, else in all runs of its kind. It is 0 where
// nobody has ever told one.
func (f *firing) pricePerToken(r state.Run, exit state.WorkerExit) float64 {
	usd, tokens := exit.CostUSD, exit.Tokens
	if tokens == 0 && f.e.d.Ledger != nil {
		costs, err := f.e.d.Ledger.Costs()
		if err != nil {
			return 0 // the tokens are booked all the same
		}
		for i := range costs {
			if c := &costs[i]; c.Kind == r.Kind && !c.Estimated {
				usd, tokens = usd+c.USD, tokens+c.Tokens
			}
		}
	}
	if tokens == 0 {
		return 0
	}
	return usd / float64(tokens)
}

// carry carries out decisions in their order. What fails leaves the run in the
// journal, and the next firing decides again on what it then reads.
func (f *firing) carry(ctx context.Context, r state.Run, ds []state.Decision) error {
	for _, d := range ds {
		err := f.do(ctx, &r, d)
		switch {
		case errors.Is(err, board.ErrClaimConflict):
			f.notify(r.Ref, fmt.Sprintf("%s was taken over by another session; its %s's result is dropped", r.Ref, r.Kind))
			return f.drop(ctx, r, "superseded")
		case errors.Is(err, board.ErrMerged):
			f.notify(r.Ref, string(r.Ref)+": its pull request is merged; nothing was written")
			_, claims := f.board(r)
			if err := claims.Release(ctx, r.Ref, r.Session); err != nil && !errors.Is(err, board.ErrClaimConflict) {
				return err
			}
			return f.drop(ctx, r, "its pull request is merged; nothing written")
		case err != nil:
			return fmt.Errorf("%s: %w", d.Op, err)
		}
	}
	return nil
}

// board is the board under the fence of a run.
func (f *firing) board(r state.Run) (Writes, Claims) {
	return f.e.d.Board.As(board.Actor{Kind: board.ActorDispatcher, Run: r.ID, Ref: r.Ref, Epoch: r.Epoch})
}

// do carries out one decision.
func (f *firing) do(ctx context.Context, r *state.Run, d state.Decision) error {
	writes, claims := f.board(*r)
	switch d.Op {
	case state.OpSetState:
		return f.setState(ctx, writes, d)
	case state.OpAssign:
		err := claims.Assign(ctx, d.Ref, d.Delegate)
		if errors.Is(err, board.ErrClaimConflict) {
			return err
		}
		return board.UnlessOtherAccounts(err)
	case state.OpRelease:
		return claims.Release(ctx, d.Ref, r.Session)
	case state.OpComment:
		return f.comment(ctx, writes, d)
	case state.OpLinkPR:
		return f.link(ctx, writes, d)
	case state.OpForget:
		return f.drop(ctx, *r, d.Text)
	case state.OpRetry:
		return f.tryLater(ctx, *r, d)
	case state.OpVerify:
		return f.verify(*r, d)
	case state.OpNotice:
		f.notify(d.Ref, d.Text)
		return nil
	case state.OpDone:
		return f.close(ctx, d)
	}
	return fmt.Errorf("unknown operation %q", d.Op)
}

// link links a pull request to its issue. Where the board has no links of its
// own, and the pull request's text does not make one, its owner is told, and
// the work goes on: a merge is found all the same.
func (f *firing) link(ctx context.Context, w Writes, d state.Decision) error {
	err := w.LinkPR(ctx, d.Ref, d.PR)
	if !errors.Is(err, board.ErrForbidden) {
		return err
	}
	if d.Text != "" {
		f.notify(d.Ref, d.Text+": "+err.Error())
	}
	return nil
}

// tryLater arms the next try of a run, or puts the same one off.
func (f *firing) tryLater(ctx context.Context, r state.Run, d state.Decision) error {
	said := fmt.Sprintf("%s try %d did not finish: %s; next at %s", r.Kind, r.Attempt, d.Text, d.At.UTC().Format("15:04:05Z"))
	if d.PutOff != "" {
		said = fmt.Sprintf("%s try %d is put off: %s; it goes on at %s", r.Kind, r.Attempt, d.Text, d.At.UTC().Format("15:04:05Z"))
		r.Attempt--
		r.PutOffs.Add(d.PutOff)
		r.PutOff = d.Text
	} else {
		r.Failure, r.PutOff, r.PutOffs = d.Text, "", state.PutOffs{}
	}
	r.Phase, r.NotBefore, r.Resume = state.PhaseRetrying, d.At, d.Resume
	r.Stopped, r.StopNote = "", "" // its end is settled with this
	f.free(ctx, r)
	f.say(r.Ref, true, "%s", said)
	return f.book.put(r)
}

// setState moves a row that is not there yet: a settlement that was cut after
// its move goes on behind it.
func (f *firing) setState(ctx context.Context, w Writes, d state.Decision) error {
	err := w.SetStateFrom(ctx, d.Ref, d.Role, d.From)
	if !errors.Is(err, board.ErrChanged) {
		return err
	}
	now, rerr := f.e.d.Board.Issue(ctx, d.Ref)
	if rerr == nil && now.Role == d.Role {
		return nil
	}
	return err
}

// comment writes a comment of the dispatcher's once: its machine line tells
// whether an earlier, cut settlement wrote it.
func (f *firing) comment(ctx context.Context, w Writes, d state.Decision) error {
	mark, marked := board.ParseMark(d.Text)
	if marked {
		now, err := f.e.d.Board.Issue(ctx, d.Ref)
		if err != nil {
			return err
		}
		for _, c := range now.Comments {
			if m, ok := board.ParseMark(c.Body); ok && c.Role == board.ActorDispatcher && m.Run == mark.Run && m.Try == mark.Try {
				return nil
			}
		}
	}
	_, err := w.Comment(ctx, d.Ref, board.ActorDispatcher, d.Text)
	return err
}

// verify keeps the claim while checks are pending.
func (f *firing) verify(r state.Run, d state.Decision) error {
	if r.Phase == state.PhaseVerifying {
		return nil
	}
	r.Phase, r.PR, r.VerifyingSince = state.PhaseVerifying, d.PR, f.e.o.Now()
	f.say(r.Ref, false, "verifying: checks of %s are pending", d.PR)
	return f.book.put(r)
}

// drop ends a run: its worktree is unlocked, its record leaves the journal.
func (f *firing) drop(ctx context.Context, r state.Run, outcome string) error {
	f.free(ctx, r)
	if err := f.book.drop(r.ID); err != nil {
		return err
	}
	f.e.post(func(context.Context) { f.e.forget(r, outcome) })
	return nil
}

// free unlocks a run's worktree, so that the next try may take it over.
func (f *firing) free(ctx context.Context, r state.Run) {
	if r.Worktree == "" {
		return
	}
	if err := f.e.d.Worktrees.Free(ctx, r.Worktree); err != nil {
		f.say(r.Ref, true, "unlock %s: %v", r.Worktree, err)
	}
}
