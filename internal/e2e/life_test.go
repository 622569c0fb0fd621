//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// refusing is a turn in which the model's service answers with an error, as
// often as it is asked.
func refusing(status int, kind, message string, times int) *anthropic.Turn {
	return &anthropic.Turn{
		Error: &anthropic.APIError{Status: status, Type: kind, Message: message}, Times: times,
		Headers: map[string]string{"retry-after": "3600"}, // the CLI gives up at once
	}
}

// configure changes the configuration of a bench.
func (b *bench) configure(change func(c map[string]any)) {
	b.t.Helper()
	var c map[string]any
	b.decode(b.file(filepath.Join(b.repo, "dispatcher.config.json")), &c)
	change(c)
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("dispatcher.config.json", string(text))
	b.git("commit", "-qam", "Change the configuration")
	b.git("push", "-q")
}

// developers changes the developer's profile.
func developers(key string, value any) func(map[string]any) {
	return func(c map[string]any) {
		agents, _ := c["agents"].(map[string]any)
		agent, _ := agents["developer"].(map[string]any)
		agent[key] = value
	}
}

// developerRuns are the specs of all developers' runs, in the order in which
// they started.
func (b *bench) developerRuns() []workers.Spec {
	b.t.Helper()
	type started struct {
		spec workers.Spec
		at   int64
	}
	var all []started
	for _, f := range b.folders() {
		s, err := f.Spec()
		if err != nil {
			b.t.Fatal(err)
		}
		super, _, err := f.Supervisor()
		if err != nil {
			b.t.Fatal(err)
		}
		if s.Kind == board.KindDeveloper {
			all = append(all, started{s, super.StartedAt.UnixNano()})
		}
	}
	slices.SortFunc(all, func(x, y started) int { return int(min(1, max(-1, x.at-y.at))) })
	out := make([]workers.Spec, len(all))
	for i := range all {
		out[i] = all[i].spec
	}
	return out
}

// expectResumed holds the two developers' runs to one session, and the second
// to the given try.
func (b *bench) expectResumed(try int) {
	b.t.Helper()
	runs := b.developerRuns()
	if len(runs) != 2 || runs[1].Session != runs[0].Session || !runs[1].Resume || runs[1].Attempt != try {
		b.t.Errorf("the runs are not one session and try %d: %+v\n%s", try, runs, b.transcripts())
	}
}

// tries are the comments of the dispatcher's about tries that failed.
func (b *bench) tries() []string {
	b.t.Helper()
	var out []string
	for _, c := range b.issue().Comments {
		if c.Role == board.ActorDispatcher && strings.Contains(c.Body, "did not finish") {
			out = append(out, c.Body)
		}
	}
	return out
}

// TestUsageLimitResumes: a limit in the middle of the work pauses the loop, and
// the same session goes on when it resets (failures.md, 8).
func TestUsageLimitResumes(t *testing.T) {
	heavy(t)
	b := newRepository(t, developing(
		write("half.tmp", "half\n"),
		refusing(429, "rate_limit_error", "You've hit your 5-hour limit, resets in 3 seconds", 1),
		bash("test -e half.tmp && rm half.tmp"),
	), passing())
	b.loop()
	b.expectRole(board.RoleHumanReview)
	b.expectResumed(1)
	if n := b.tries(); len(n) != 0 {
		t.Errorf("a try was counted: %q", n)
	}
	if log := b.file(b.stateDir() + "/loop.log"); !strings.Contains(log, "the usage limit of claude is reached") {
		t.Error("nobody was told")
	}
}

// TestOverloadBacksOff: a model that does not keep up puts the try off, and
// the owner may say when to go on.
func TestOverloadBacksOff(t *testing.T) {
	heavy(t)
	b := newRepository(t, developing(
		write("half.tmp", "half\n"),
		refusing(529, "overloaded_error", "Overloaded", 1),
		bash("test -e half.tmp && rm half.tmp"),
	), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	ended := b.beside(ctx)
	b.await(ctx, "the try is put off", func() bool { return strings.Contains(b.file(b.stateDir()+"/loop.log"), "is put off") })
	if log := b.file(b.stateDir() + "/loop.log"); !strings.Contains(log, "the model's service does not keep up (529") {
		t.Error("nobody is told why")
	}
	b.own("ctl", "retry", "DSP-1")
	ended()
	b.expectRole(board.RoleHumanReview)
	b.expectResumed(1)
	if n := b.tries(); len(n) != 0 {
		t.Errorf("a try was counted: %q", n)
	}
}

// TestSpentBudget: a run that costs more than one may is not repeated.
func TestSpentBudget(t *testing.T) {
	t.Parallel()
	dear := write("dear.tmp", "x\n")
	dear.Usage = &anthropic.Usage{InputTokens: 400_000, OutputTokens: 10}
	b := newRepository(t, developing(dear))
	b.configure(func(c map[string]any) { c["limits"] = map[string]any{"maxCostPerRunUSD": 0.5} })
	b.loop()
	i := b.issue()
	reason, held := board.Attention(&i, "", "")
	if !held || !strings.Contains(reason, "1 failed dispatcher attempt - it used up what one run may cost (Reached maximum budget ($0.5)): raise limits.maxCostPerRunUSD") {
		t.Errorf("attention %q: %+v", reason, i.Comments)
	}
	if n := len(b.developerRuns()); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// TestCannotWorkHere: what no second try can help is found by one run, said
// with the way out, and costs the issue nothing.
func TestCannotWorkHere(t *testing.T) {
	heavy(t)
	nobody := &anthropic.Conversation{
		Name: "nobody", Match: `(?m)^# Build issue DSP-1$`,
		Turns: []*anthropic.Turn{refusing(404, "not_found_error", "model: nope", 4)},
	}
	for name, tt := range map[string]struct {
		change func(b *bench)
		says   string
	}{
		"wrong flag": {
			func(b *bench) { b.configure(developers("args", []string{"--no-such-flag"})) },
			"error: unknown option '--no-such-flag'",
		},
		"missing login": {func(b *bench) { b.noKey = true }, "Claude Code is not logged in (Not logged in"},
		"unknown model": {func(b *bench) { b.configure(developers("model", "nope")) }, "no such model for this account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRepository(t, nobody)
			tt.change(b)
			ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
			defer cancel()
			out, err := b.dispatcher(ctx, untilIdle...).CombinedOutput()
			t.Logf("the loop said:\n%s", out)
			if !strings.Contains(string(out), "blocked on you: agent developer: ") || !strings.Contains(string(out), tt.says) {
				t.Errorf("it ended with %v and does not say %q\n%s", err, tt.says, b.transcripts())
			}
			if i := b.issue(); len(i.Comments) != 0 || i.Claim != nil || len(b.developerRuns()) > 1 {
				t.Errorf("%s, claim %v, %d runs, comments %+v", i.Role, i.Claim, len(b.developerRuns()), i.Comments)
			}
		})
	}
}

// TestMissingProgram: a loop whose agent is not installed does not start, and
// says what to do.
func TestMissingProgram(t *testing.T) {
	heavy(t)
	b := newRepository(t)
	b.configure(developers("command", "no-such-claude"))
	out, err := b.dispatcher(t.Context(), untilIdle...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), `the agent developer needs "no-such-claude", which is not on your PATH; install Claude Code`) {
		t.Errorf("%v: %s", err, out)
	}
	if i := b.issue(); i.Role != board.RoleReady || len(i.Comments) != 0 {
		t.Errorf("%s: %+v", i.Role, i.Comments)
	}
}

// TestTrustDialog: a program that asks something on its terminal is ended with
// its last words (failures.md, 7).
func TestTrustDialog(t *testing.T) {
	heavy(t)
	b := newRepository(t)
	ask := filepath.Join(b.dir, "asks")
	script := "#!/bin/sh\nprintf 'Do you trust the files in this folder? [y/n] '\nexec tail -f /dev/null\n"
	if err := os.WriteFile(ask, []byte(script), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	b.configure(developers("command", ask))
	b.configure(func(c map[string]any) {
		c["loop"] = map[string]any{"pollSeconds": 1, "startSeconds": 1}
		c["retry"] = map[string]any{"backoffSeconds": 0.1}
	})
	b.loop()
	i := b.issue()
	if reason, held := board.Attention(&i, "", ""); !held || !strings.Contains(reason, "no sign of a start within 1s: it probably waits on a prompt that nobody sees; its last words: Do you trust the files") {
		t.Errorf("attention %q: %+v", reason, i.Comments)
	}
}

// TestKilledProcesses: whichever process of a worker is killed, nothing of it
// is left, and the next try goes on in its session.
func TestKilledProcesses(t *testing.T) {
	heavy(t)
	for name, tt := range map[string]struct {
		pid func(workers.Supervisor) int
		sig syscall.Signal
	}{
		"worker by SIGKILL":     {func(s workers.Supervisor) int { return s.AgentPID }, syscall.SIGKILL},
		"worker by SIGTERM":     {func(s workers.Supervisor) int { return s.AgentPID }, syscall.SIGTERM},
		"supervisor by SIGKILL": {func(s workers.Supervisor) int { return s.PID }, syscall.SIGKILL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := bash("test -e half.tmp && rm half.tmp")
			held.Gate = "thinking"
			b := newRepository(t, developing(write("half.tmp", "half\n"), held), passing())
			ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
			defer cancel()
			ended := b.beside(ctx)
			if err := b.model.AwaitGate(ctx, "thinking"); err != nil {
				t.Fatalf("%v\n%s", err, b.transcripts())
			}
			super, _, err := b.folders()[0].Supervisor()
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(tt.pid(super), tt.sig); err != nil {
				t.Fatal(err)
			}
			// An agent whose supervisor died would go on with what it waits for.
			b.await(ctx, "the end of the agent", func() bool { return !proc.Alive(super.AgentPID, "") })
			b.model.Release("thinking")
			ended()
			b.expectRole(board.RoleHumanReview)
			if runs := b.developerRuns(); len(runs) != 2 || runs[1].Session != runs[0].Session || !runs[1].Resume || runs[1].Attempt != 2 {
				t.Errorf("runs %+v", runs)
			}
			if n := b.tries(); len(n) != 1 {
				t.Errorf("tries that failed: %q", n)
			}
			for _, pid := range []int{super.PID, super.AgentPID} {
				if proc.Alive(pid, "") {
					t.Errorf("process %d lives", pid)
				}
			}
		})
	}
}

// TestPowerCut: agent, supervisor and loop are killed together. The next loop
// goes on in the session and the worktree, and no try is counted.
func TestPowerCut(t *testing.T) {
	heavy(t)
	held := bash("test -e half.tmp && rm half.tmp")
	held.Gate = "thinking"
	b := newRepository(t, developing(write("half.tmp", "half\n"), held), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	first := b.dispatcher(ctx, untilIdle...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	err := b.model.AwaitGate(ctx, "thinking")
	super, _, serr := b.folders()[0].Supervisor()
	for _, pid := range []int{first.Process.Pid, super.PID, super.AgentPID} {
		err = errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
	}
	_ = first.Wait()
	if err = errors.Join(err, serr); err != nil {
		t.Fatalf("%v\n%s", err, b.transcripts())
	}
	b.model.Release("thinking")
	if out, err := b.dispatcher(ctx, untilIdle...).CombinedOutput(); err != nil {
		t.Fatalf("the second loop: %v\n%s\n%s", err, out, b.transcripts())
	}
	b.expectRole(board.RoleHumanReview)
	if runs := b.developerRuns(); len(runs) != 2 || runs[1].Session != runs[0].Session || !runs[1].Resume || runs[1].Attempt != 1 {
		t.Errorf("runs %+v", runs)
	}
	if n := b.tries(); len(n) != 0 {
		t.Errorf("tries that failed: %q", n)
	}
	b.expectNoSecret()
}
