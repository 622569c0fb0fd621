package loop

import (
	"context"
	"errors"

	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// reachAgain looks again at what worktrees are made from, when it was away and
// its pause is over: before a row is claimed for it.
func (f *firing) reachAgain(ctx context.Context) {
	p := f.pauses().Away
	if p.Tries == 0 || p.Until.After(f.e.o.Now()) {
		return
	}
	err := f.e.d.Worktrees.Reach(ctx)
	if gone, ok := errors.AsType[*AwayError](err); ok {
		f.isAway(gone)
		return
	}
	f.say("", false, "worktrees can be made again")
	f.changePauses(func(p *plan.Pauses) { p.Away = state.Pause{} })
}

// isAway bars every worker that needs a worktree until it is worth another
// look. It is told once.
func (f *firing) isAway(gone *AwayError) {
	if f.pauses().Away.Tries == 0 {
		f.notify("", gone.Why+"; developers and cleaners wait until it answers")
	}
	f.changePauses(func(p *plan.Pauses) { p.Away = p.AwayAgain(f.e.o.Now(), gone.Why) })
}

// putBackAway settles a start for which no worktree could be made, which is no
// fault of its issue: a new one gives its row back as it was, and the next try
// of one that waited waits on.
func (f *firing) putBackAway(ctx context.Context, r state.Run, old *state.Run, gone *AwayError) error {
	f.isAway(gone)
	if old == nil {
		return f.undo(ctx, r, gone)
	}
	f.skip(r.Ref)
	return f.tryLater(ctx, r, state.Decision{
		Op: state.OpRetry, Ref: r.Ref, At: f.pauses().Away.Until, Text: gone.Why, PutOff: state.PutOffAway, Resume: r.Resume,
	})
}
