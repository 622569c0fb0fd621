package loop

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/loop/state"
)

// HookName names a moment at which the owner's own command runs.
type HookName string

// The moments of a run. The one before a worktree is removed belongs to
// pruning.
const (
	HookAfterCreate HookName = "afterCreate" // in a worktree that was just made
	HookBeforeRun   HookName = "beforeRun"
	HookAfterRun    HookName = "afterRun"
)

// Hooks runs the owner's own commands around a run: in its worktree, a
// reviewer's in the main checkout. Where none is configured nothing runs. The
// error of one that fails holds the end of what it printed.
type Hooks interface {
	Hook(ctx context.Context, name HookName, r state.Run) error
}

// hook runs one, if there are any.
func (f *firing) hook(ctx context.Context, name HookName, r state.Run) error {
	if f.e.d.Hooks == nil {
		return nil
	}
	if err := f.e.d.Hooks.Hook(ctx, name, r); err != nil {
		return fmt.Errorf("the hook %s: %w", name, err)
	}
	return nil
}

// afterRun runs the hook at the end of a run, whatever that was. That it fails
// is worth a line, and changes nothing for the run.
func (f *firing) afterRun(ctx context.Context, r state.Run) {
	if err := f.hook(ctx, HookAfterRun, r); err != nil {
		f.say(r.Ref, true, "%s on %s: %v", r.Kind, r.Ref, err)
	}
}
