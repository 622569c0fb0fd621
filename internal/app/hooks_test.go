package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// hooksOf are hooks with one shell command at every moment.
func hooksOf(t *testing.T, timeout int, script string) (*hooks, state.Run) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks of these tests are shell scripts")
	}
	h := &config.Hook{Command: []string{"/bin/sh", "-c", script}, TimeoutSeconds: timeout}
	root, tree := t.TempDir(), t.TempDir()
	cfg := &config.Config{Root: root, Path: filepath.Join(root, config.FileName), Hooks: config.Hooks{AfterCreate: h, BeforeRun: h, AfterRun: h, BeforeRemove: h}}
	return &hooks{
		live: newLive(cfg), now: time.Now,
		environ: func() []string {
			return append(os.Environ(), "ANTHROPIC_API_KEY=secret", "CLAUDE_CODE_OAUTH_TOKEN=secret", "LINEAR_API_KEY=secret", "GITHUB_TOKEN=secret")
		},
		setUp: func(context.Context, string) error { return os.WriteFile(filepath.Join(root, "set-up"), nil, 0o600) },
	}, state.Run{ID: "r1", Ref: "DSP-3", Kind: board.KindDeveloper, Worktree: tree, Epoch: 4}
}

// TestHookRuns: in the run's worktree, a reviewer's in the main checkout; told
// whose run it is, and without any credential.
func TestHookRuns(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 60, "pwd -P > said; env >> said")
	if err := h.Hook(t.Context(), loop.HookBeforeRun, r); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(r.Worktree, "said"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"DISPATCHER_REF=DSP-3", "DISPATCHER_RUN=r1", "DISPATCHER_KIND=developer", "DISPATCHER_WORKER=developer", "DISPATCHER_WORKTREE=" + r.Worktree} {
		if !strings.Contains(string(said), want+"\n") {
			t.Errorf("it is not told %s", want)
		}
	}
	if strings.Contains(string(said), "secret") {
		t.Errorf("it sees a credential:\n%s", said)
	}
	r.Kind, r.Worktree = board.KindReviewer, ""
	if err := h.Hook(t.Context(), loop.HookAfterRun, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(h.live.now().Root, "said")); err != nil {
		t.Errorf("a reviewer's hook did not run in the main checkout: %v", err)
	}
}

// TestHookFails: with its status and the end of what it printed, cleaned.
func TestHookFails(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 60, `i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; printf 'no lockfile\033[2J' >&2; exit 3`)
	err := h.Hook(t.Context(), loop.HookAfterCreate, r)
	if err == nil || !strings.HasPrefix(err.Error(), "exit status 3: ") || !strings.Contains(err.Error(), "line 1999\nno lockfile") ||
		strings.ContainsRune(err.Error(), 0x1b) || len(err.Error()) > 4000 {
		t.Errorf("it says %q", err)
	}
	if _, err := os.Stat(filepath.Join(h.live.now().Root, "set-up")); err == nil {
		t.Error("a worktree whose afterCreate failed counts as set up")
	}
	h.live.now().Hooks.AfterCreate.Command = []string{"no-such-program-here"}
	if err := h.Hook(t.Context(), loop.HookAfterCreate, r); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestHookThatHangs: after its time the whole process group is gone, also what
// ignores the polite way.
func TestHookThatHangs(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 1, `trap '' TERM; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & wait; while :; do sleep 1; done`)
	err := h.Hook(t.Context(), loop.HookBeforeRun, r)
	if err == nil || !strings.Contains(err.Error(), "not done after 1s") {
		t.Errorf("it says %v", err)
	}
	text, err := os.ReadFile(filepath.Join(r.Worktree, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for proc.Alive(pid, "") {
		select {
		case <-t.Context().Done():
			t.Fatalf("its child %d lives on", pid)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestHookLeavesNothingBehind: what a hook starts in the background ends with
// it.
func TestHookLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 60, `sleep 300 >/dev/null 2>&1 & echo $! > child`)
	if err := h.Hook(t.Context(), loop.HookAfterRun, r); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(r.Worktree, "child"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for proc.Alive(pid, "") {
		select {
		case <-t.Context().Done():
			t.Fatalf("process %d lives on", pid)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestBeforeRemoveThatRefuses is not asked again at every firing.
func TestBeforeRemoveThatRefuses(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 60, `echo asked >> asked; exit 1`)
	now := time.Now()
	h.now = func() time.Time { return now }
	asked := func() int {
		text, _ := os.ReadFile(filepath.Join(r.Worktree, "asked"))
		return strings.Count(string(text), "asked")
	}
	for range 3 {
		if err := h.beforeRemove(t.Context(), r.Worktree); err == nil || !strings.Contains(err.Error(), "the hook beforeRemove: exit status 1") {
			t.Fatal(err)
		}
	}
	if n := asked(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	now = now.Add(refusedFor)
	if err := h.beforeRemove(t.Context(), r.Worktree); err == nil || asked() != 2 {
		t.Errorf("asked %d times: %v", asked(), err)
	}
	h.live.now().Hooks.BeforeRemove = nil
	if err := h.beforeRemove(t.Context(), r.Worktree); err != nil {
		t.Error(err)
	}
}

// TestHookIsGivenUp with the loop.
func TestHookIsGivenUp(t *testing.T) {
	t.Parallel()
	h, r := hooksOf(t, 60, `echo $$ > started; while :; do sleep 1; done`)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(r.Worktree, "started")); err == nil {
				cancel(fmt.Errorf("the loop ends"))
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if err := h.Hook(ctx, loop.HookBeforeRun, r); err == nil || !strings.Contains(err.Error(), "given up: the loop ends") {
		t.Errorf("it says %v", err)
	}
}
