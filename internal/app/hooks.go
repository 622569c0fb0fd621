package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
)

// hookSays bounds what is kept of a hook's output: its end, in bytes.
const hookSays = 1500

// refusedFor is how long a worktree whose beforeRemove failed is left alone
// before it is tried again.
const refusedFor = 10 * time.Minute

// hooks runs the commands of the configuration's section `hooks`. Their
// environment is that of a check, without any credential, and they are told
// whose run it is; in it they may no more than the worker may, because what
// lies in the worktree is the worker's.
type hooks struct {
	live    *live
	environ func() []string
	runner  proc.Exec
	setUp   func(ctx context.Context, path string) error
	now     func() time.Time

	mu      sync.Mutex
	refused map[string]refusal // by path
}

// refusal is a beforeRemove that failed.
type refusal struct {
	at  time.Time
	err error
}

var _ loop.Hooks = (*hooks)(nil)

func (h *hooks) Hook(ctx context.Context, name loop.HookName, r state.Run) error {
	cfg := h.live.now()
	dir := r.Worktree
	if dir == "" {
		dir = cfg.Root
	}
	var hook *config.Hook
	switch name {
	case loop.HookAfterCreate:
		hook = cfg.Hooks.AfterCreate
	case loop.HookBeforeRun:
		hook = cfg.Hooks.BeforeRun
	case loop.HookAfterRun:
		hook = cfg.Hooks.AfterRun
	}
	err := h.run(ctx, hook, dir, []string{
		"DISPATCHER_REF=" + string(r.Ref), "DISPATCHER_RUN=" + r.ID, "DISPATCHER_KIND=" + string(r.Kind),
		"DISPATCHER_WORKER=" + string(r.Kind), fmt.Sprintf("DISPATCHER_EPOCH=%d", r.Epoch), "DISPATCHER_CONFIG=" + cfg.Path,
	})
	if err == nil && name == loop.HookAfterCreate {
		return h.setUp(ctx, dir)
	}
	return err
}

// beforeRemove runs before a worktree is removed. One that refused is asked
// again after a while, not at every firing.
func (h *hooks) beforeRemove(ctx context.Context, path string) error {
	hook := h.live.now().Hooks.BeforeRemove
	if hook == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, ok := h.refused[path]; ok && h.now().Sub(last.at) < refusedFor {
		return last.err
	}
	delete(h.refused, path)
	if err := h.run(ctx, hook, path, nil); err != nil {
		err = fmt.Errorf("the hook beforeRemove: %w", err)
		if h.refused == nil {
			h.refused = map[string]refusal{}
		}
		h.refused[path] = refusal{at: h.now(), err: err}
		return err
	}
	return nil
}

// run runs one hook to its end, and ends its whole process group with it.
func (h *hooks) run(ctx context.Context, hook *config.Hook, dir string, env []string) error {
	if hook == nil {
		return nil
	}
	timeout := time.Duration(hook.TimeoutSeconds) * time.Second
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := h.runner.Run(limited, proc.Cmd{
		Name: hook.Command[0], Args: hook.Command[1:], Dir: dir,
		Env:       append(append(local.CheckEnv(h.environ()), env...), "DISPATCHER_WORKTREE="+dir),
		MaxOutput: hookSays, Tail: true, Merge: true, EndGroup: true,
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("given up: %w", context.Cause(ctx))
	}
	why := err.Error()
	if exit, ok := errors.AsType[*proc.ExitError](err); ok {
		why = fmt.Sprintf("exit status %d", exit.Code)
	} else if limited.Err() != nil {
		why = fmt.Sprintf("not done after %s", timeout)
	}
	if said := strings.TrimSpace(workers.Clean(string(res.Stdout), 2*hookSays)); said != "" {
		why += ": " + said
	}
	return errors.New(why)
}
