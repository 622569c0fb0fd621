//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestFailure10WorktreeGone: a session whose worktree was deleted goes on in a
// new one, is told what it lost, and does not fail for ever (failures.md, 10).
func TestFailure10WorktreeGone(t *testing.T) {
	heavy(t)
	held := bash("test ! -e half.tmp")
	held.Gate = "thinking"
	b := newRepository(t, developing(write("half.tmp", "half\n"), held), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	ended := b.beside(ctx)
	if err := b.model.AwaitGate(ctx, "thinking"); err != nil {
		t.Fatalf("%v\n%s", err, b.transcripts())
	}
	run := b.developerRuns()[0]
	super, _, err := b.folders()[0].Supervisor()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(run.Dir); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(super.AgentPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.model.Release("thinking")
	ended()
	b.expectRole(board.RoleHumanReview)
	b.expectResumed(2)
	if again := b.developerRuns()[1]; !strings.Contains(again.Prompt, "The worktree of that session is gone and was made anew") {
		t.Errorf("it was told:\n%s", again.Prompt)
	}
}

// TestTakeOver: the owner goes on in a living worker's session by hand, alone,
// and the loop takes it back. A person's terminal is played by a stand-in; the
// worker before and after is the real program.
func TestTakeOver(t *testing.T) {
	heavy(t)
	held := bash("true")
	held.Gate = "thinking"
	b := newRepository(t, developing(held, bash("test -e by-hand.txt && rm by-hand.txt")), passing())
	came, leave := filepath.Join(b.dir, "came"), filepath.Join(b.dir, "leave")
	program := filepath.Join(b.dir, "agent")
	stand := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' -p '*) exec '%s' \"$@\" ;; esac\n"+
		"echo done > by-hand.txt\necho \"$*\" > '%s'\nuntil test -e '%s'; do sleep 0.1; done\n", b.claude, came, leave)
	if err := os.WriteFile(program, []byte(stand), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	b.configure(developers("command", program))
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	drain := b.attendedLoop(ctx)
	if err := b.model.AwaitGate(ctx, "thinking"); err != nil {
		t.Fatalf("%v\n%s", err, b.transcripts())
	}
	run := b.developerRuns()[0]
	super, _, err := b.folders()[0].Supervisor()
	if err != nil {
		t.Fatal(err)
	}
	person := b.dispatcher(ctx, "take-over", "DSP-1")
	var said bytes.Buffer
	person.Stdout, person.Stderr = &said, &said
	if err := person.Start(); err != nil {
		t.Fatal(err)
	}
	b.await(ctx, "the owner's session", func() bool { return b.file(came) != "" })
	if args := strings.Fields(b.file(came)); !slices.Contains(args, "--resume") || !slices.Contains(args, run.Session) {
		t.Errorf("it was opened with %q", args)
	}
	for _, pid := range []int{super.PID, super.AgentPID} {
		if proc.Alive(pid, "") {
			t.Errorf("process %d of the agent lives beside the owner", pid)
		}
	}
	if out, err := b.dispatcher(ctx, "take-over", "DSP-1").CombinedOutput(); err == nil || !strings.Contains(string(out), "open already") {
		t.Errorf("a second writer: %v, %s", err, out)
	}
	b.await(ctx, "the row says whose it is", func() bool {
		return slices.ContainsFunc(b.snapshot(ctx).Workers, func(w state.Worker) bool { return w.TakenOver })
	})
	b.model.Release("thinking")
	if err := os.WriteFile(leave, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := person.Wait(); err != nil || !strings.Contains(said.String(), "handed back") {
		t.Errorf("take-over: %v\n%s", err, said.String())
	}
	b.await(ctx, "the review", func() bool { return b.issue().Role == board.RoleHumanReview })
	drain()
	b.expectResumed(1)
	if again := b.developerRuns()[1]; !strings.Contains(again.Prompt, "The owner worked in your session") {
		t.Errorf("it was told:\n%s", again.Prompt)
	}
}

// TestAllowTheLike: what the program takes for the like of an allowed call is
// not asked again in the run.
func TestAllowTheLike(t *testing.T) {
	heavy(t)
	read := func(name string) map[string]any {
		return map[string]any{"file_path": "{{cwd}}/../../../../outside/" + name}
	}
	b := newRepository(t, developing(
		use("Read", read("one.txt"), ""),
		use("Read", read("two.txt"), "text of one"),
		bash("true", "text of two"),
	), passing())
	if err := os.Mkdir(filepath.Join(b.dir, "outside"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(b.dir, "outside", name+".txt"), []byte("text of "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	drain := b.attendedLoop(ctx)
	q := b.asked(ctx, "one.txt")
	if len(q.Like) != 1 || !strings.HasPrefix(q.Like[0], "Read(//") {
		t.Errorf("alike are %q", q.Like)
	}
	b.own("ctl", "allow", "DSP-1", "--always")
	b.await(ctx, "the review", func() bool {
		if slices.ContainsFunc(b.snapshot(ctx).Requests, func(r state.Request) bool { return strings.Contains(r.Summary, "two.txt") }) {
			t.Fatal("it asks for the like of what was allowed")
		}
		return b.issue().Role == board.RoleHumanReview
	})
	drain()
}
