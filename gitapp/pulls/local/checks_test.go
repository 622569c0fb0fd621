package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// withChecks has two checks that look at files of the checkout.
func withChecks(o *local.Options) {
	o.Checks = []local.CheckSpec{
		{Name: "there", Command: []string{"git", "cat-file", "-e", "HEAD:flag.txt"}},
		{Name: "clean", Command: []string{"git", "diff", "--exit-code", "--no-index", "good.txt", "flag.txt"}},
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, withChecks)
	w.repo.Write("good.txt", "good\n")
	w.repo.Commit("What is good")
	w.push(w.repo)
	wt := w.branch("task/dsp-3-x", "flag.txt", "bad\n")
	if pr := w.create("task/dsp-3-x"); pr.Checks != board.ChecksPending {
		t.Errorf("checks = %s, want pending", pr.Checks)
	}
	pr, err := w.store.RunChecks(ctx, "#1")
	if err != nil {
		t.Fatal(err)
	}
	if pr.Checks != board.ChecksRed || len(pr.CheckRuns) != 2 || pr.CheckRuns[0].State != board.ChecksGreen {
		t.Fatalf("pr = %+v", pr)
	}
	if red := pr.CheckRuns[1]; red.State != board.ChecksRed || !strings.Contains(red.Summary, "-good") || !strings.HasSuffix(red.Summary, "exit status 1") || red.Head != wt.Head() {
		t.Errorf("red = %+v", red)
	}
	if list := w.repo.Git("worktree", "list"); strings.Contains(list, "checks") {
		t.Errorf("the worktree of the checks stayed:\n%s", list)
	}
	_, err = w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
	if !errors.Is(err, pulls.ErrRed) || !strings.Contains(err.Error(), "clean") || !strings.Contains(err.Error(), "--force") {
		t.Errorf("err = %v", err)
	}

	// A new head has no results, and what was green is not run again.
	w.commit(wt, "flag.txt", "good\n")
	if pr := w.get("1"); pr.Checks != board.ChecksPending || len(pr.CheckRuns) != 0 {
		t.Errorf("pr = %+v", pr)
	}
	if pr, err = w.store.RunChecks(ctx, "#1"); err != nil || pr.Checks != board.ChecksGreen {
		t.Fatalf("pr = %+v, %v", pr, err)
	}
	merged, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner})
	if err != nil || merged.PR.Checks != board.ChecksGreen {
		t.Errorf("merged = %+v, %v", merged, err)
	}
	if pr, err := w.store.RunChecks(ctx, "1"); err != nil || pr.State != board.PullMerged {
		t.Errorf("checks of a merged one: %+v, %v", pr, err)
	}
}

func TestMergeForced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, withChecks)
	w.branch("task/dsp-3-x", "flag.txt", "bad\n")
	w.create("task/dsp-3-x")
	if pr, err := w.store.RunChecks(ctx, "1"); err != nil || pr.Checks != board.ChecksRed {
		t.Fatalf("pr = %+v, %v", pr, err)
	}
	if m, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", Force: true, By: owner}); err != nil || m.PR.State != board.PullMerged {
		t.Errorf("m = %+v, %v", m, err)
	}
}

// runs answers checks in process and remembers what it was asked.
type runs struct {
	cmds []proc.Cmd
	do   func(ctx context.Context, c proc.Cmd) (proc.Result, error)
}

func (r *runs) Run(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	r.cmds = append(r.cmds, c)
	return r.do(ctx, c)
}

func TestChecksAreRunOnceAndSafely(t *testing.T) {
	t.Parallel()
	var at string
	r := &runs{}
	w := newWorld(t, false, withChecks, func(o *local.Options) {
		o.Runner = r
		o.Environ = []string{
			"PATH=/bin", "HOME=/home/o", "GOCACHE=/c", "ANTHROPIC_API_KEY=x", "GITHUB_TOKEN=x", "LINEAR_API_KEY=x", "DISPATCHER_WORKER=developer",
			"GO_SECRET=x", "NODE_AUTH_TOKEN=x", "SSH_AUTH_SOCK=/s", "GIT_DIR=/elsewhere",
		}
	})
	wt := w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	r.do = func(_ context.Context, c proc.Cmd) (proc.Result, error) {
		at = w.repo.At(c.Dir).Head()
		list := w.repo.Git("worktree", "list", "--porcelain")
		if !strings.Contains(list, "locked dispatcher checks of #1 pid "+strconv.Itoa(os.Getpid())) {
			t.Errorf("not locked:\n%s", list)
		}
		return proc.Result{Stdout: []byte("fine\xff")}, nil
	}
	for range 2 {
		if pr, err := w.store.RunChecks(ctx, "1"); err != nil || pr.Checks != board.ChecksGreen {
			t.Fatalf("pr = %+v, %v", pr, err)
		}
	}
	if len(r.cmds) != 2 || at != wt.Head() {
		t.Errorf("%d runs at %s", len(r.cmds), at)
	}
	if want := []string{"PATH=/bin", "HOME=/home/o", "GOCACHE=/c", "CI=true", "GIT_TERMINAL_PROMPT=0"}; !slices.Equal(r.cmds[0].Env, want) {
		t.Errorf("env = %q", r.cmds[0].Env)
	}
	if c := r.cmds[0]; !c.EndGroup || !c.Tail || c.MaxOutput > 1<<16 {
		t.Errorf("unbounded: %+v", c)
	}
	if pr, err := w.store.RerunChecks(ctx, "1"); err != nil || len(r.cmds) != 2 || pr.Checks != board.ChecksGreen {
		t.Errorf("green ones were run again: %d, %v", len(r.cmds), err)
	}
}

func TestChecksThatDoNotEnd(t *testing.T) {
	t.Parallel()
	r := &runs{}
	w := newWorld(t, false, func(o *local.Options) {
		o.Runner = r
		o.Checks = []local.CheckSpec{{Name: "slow", Command: []string{"slow"}, Timeout: time.Nanosecond}}
	})
	w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	r.do = func(ctx context.Context, _ proc.Cmd) (proc.Result, error) {
		<-ctx.Done()
		return proc.Result{Stdout: []byte("half way\n")}, ctx.Err()
	}
	pr, err := w.store.RunChecks(ctx, "1")
	if err != nil || pr.Checks != board.ChecksRed || pr.CheckRuns[0].Summary != "half way\nnot done after 1ns" {
		t.Errorf("pr = %+v, %v", pr, err)
	}
	// Given up by the caller: no result at all, and nothing left behind.
	giveUp, cancel := context.WithCancel(ctx)
	r.do = func(ctx context.Context, _ proc.Cmd) (proc.Result, error) {
		cancel()
		return proc.Result{}, ctx.Err()
	}
	if _, err := w.store.RerunChecks(giveUp, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if list := w.repo.Git("worktree", "list"); strings.Contains(list, "checks") {
		t.Errorf("left behind:\n%s", list)
	}
	r.do = func(context.Context, proc.Cmd) (proc.Result, error) { return proc.Result{}, nil }
	if pr, err := w.store.RerunChecks(ctx, "1"); err != nil || pr.Checks != board.ChecksGreen || len(pr.CheckRuns) != 1 {
		t.Errorf("run again: %+v, %v", pr, err)
	}
}

func TestCheckThatCannotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, func(o *local.Options) {
		o.Checks = []local.CheckSpec{{Name: "typo", Command: []string{"no-such-program-here"}}, {Name: "none"}}
	})
	w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	pr, err := w.store.RunChecks(ctx, "1")
	if err != nil || pr.Checks != board.ChecksRed || !strings.Contains(pr.CheckRuns[0].Summary, "no-such-program-here") ||
		!strings.Contains(pr.CheckRuns[1].Summary, "no command") {
		t.Errorf("pr = %+v, %v", pr, err)
	}
}

// What a killed run left in the worktree of the checks does not stay for ever.
func TestChecksAfterAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, withChecks)
	w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	dir := filepath.Join(w.repo.Dir, ".claude", "dispatcher", "checks")
	w.repo.Git("worktree", "add", "-q", "--detach", "--lock", "--reason", "dispatcher checks of #9 pid 1", dir)
	w.repo.At(dir).Write("left/behind.txt", "x")
	if _, err := w.store.RunChecks(ctx, "1"); err != nil {
		t.Fatal(err)
	}
	w.repo.Write(".claude/dispatcher/checks/half-removed.txt", "x")
	if _, err := w.store.RerunChecks(ctx, "1"); err != nil {
		t.Fatal(err)
	}
	if exists(dir) {
		t.Error("it stayed")
	}
}

func TestNoChecksConfigured(t *testing.T) {
	t.Parallel()
	r := &runs{}
	w := newWorld(t, false, func(o *local.Options) { o.Runner = r })
	w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	if pr, err := w.store.RunChecks(ctx, "1"); err != nil || pr.Checks != board.ChecksNone || len(r.cmds) != 0 {
		t.Errorf("pr = %+v, %v", pr, err)
	}
	if _, err := w.store.RunChecks(ctx, "9"); !errors.Is(err, pulls.ErrNotFound) {
		t.Errorf("err = %v", err)
	}
}

// A check that leaves processes behind does not leave them.
func TestCheckEndsItsGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	pids := filepath.Join(t.TempDir(), "pid")
	w := newWorld(t, false, func(o *local.Options) {
		o.Checks = []local.CheckSpec{{Name: "server", Command: []string{"sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $! >" + pids}}}
	})
	w.branch("task/dsp-3-x", "flag.txt", "x")
	w.create("task/dsp-3-x")
	if pr, err := w.store.RunChecks(ctx, "1"); err != nil || pr.Checks != board.ChecksGreen {
		t.Fatalf("pr = %+v, %v", pr, err)
	}
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); proc.Alive(pid, ""); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("process %d was left running", pid)
		}
	}
}
