//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// attendedLoop runs a loop that does not end by itself, so that there is
// somebody to ask; it is drained and waited for by the answer.
func (b *bench) attendedLoop(ctx context.Context) (drain func()) {
	b.t.Helper()
	cmd := b.dispatcher(ctx, "start", "M1", "--no-tui")
	log := filepath.Join(b.dir, "loop.out")
	out, err := os.Create(log)
	if err != nil {
		b.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	b.t.Cleanup(func() {
		_ = cmd.Process.Kill() // gone already where all went well
		_ = out.Close()
	})
	return func() {
		b.t.Helper()
		b.own("ctl", "drain")
		if err := <-ended; err != nil {
			b.t.Fatalf("the loop: %v\n%s\n%s", err, b.file(log), b.transcripts())
		}
		b.t.Logf("the loop said:\n%s", b.file(log))
	}
}

// snapshot is what the loop shows; empty while it does not answer.
func (b *bench) snapshot(ctx context.Context) *state.Snapshot {
	s := &state.Snapshot{}
	out, err := b.dispatcher(ctx, "ctl", "status", "--json").Output()
	if err != nil || json.Unmarshal(out, s) != nil {
		return &state.Snapshot{}
	}
	return s
}

// asked waits until the worker asks something.
func (b *bench) asked(ctx context.Context, summary string) state.Request {
	b.t.Helper()
	var q state.Request
	b.await(ctx, "a request for "+summary, func() bool {
		for _, r := range b.snapshot(ctx).Requests {
			if strings.Contains(r.Summary, summary) {
				q = r
				return true
			}
		}
		return false
	})
	return q
}

// TestPermissionsAndQuestions lets a developer ask for what its rules leave
// open: the owner allows one call for the run, denies another with a reason,
// and answers a question; the work goes on with each answer.
func TestPermissionsAndQuestions(t *testing.T) {
	t.Parallel()
	outside := func(name string) map[string]any {
		return map[string]any{"file_path": "{{cwd}}/../../../../" + name, "content": "x\n"}
	}
	question := map[string]any{"questions": []any{map[string]any{
		"header": "Style", "question": "Formal or familiar?", "multiSelect": false,
		"options": []any{map[string]any{"label": "bonjour", "description": "formal"}, map[string]any{"label": "salut", "description": "familiar"}},
	}}}
	b := newRepository(t, developing(
		use("Write", outside("allowed.txt"), ""),
		bash("rm ../../../../allowed.txt", "created successfully"),
		use("Write", outside("allowed.txt"), ""),
		use("Write", outside("denied.txt"), "created successfully"),
		use("AskUserQuestion", question, "not outside the repository"),
		bash("true", `Formal or familiar\?.*=.*good day to you`),
	), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	drain := b.attendedLoop(ctx)

	q := b.asked(ctx, "allowed.txt")
	if q.Kind != state.RequestPermission || q.Tool != "Write" || q.Ref != "DSP-1" || q.Default != "deny" || !strings.Contains(q.Input, `"content": "x\n"`) || !strings.Contains(q.Worktree, "dsp-1") {
		t.Errorf("asked %+v", q)
	}
	b.own("ctl", "allow", "DSP-1", "--always")
	b.asked(ctx, "denied.txt") // and not a second time for the one before
	b.own("ctl", "deny", "DSP-1", "--body", "not outside the repository")
	q = b.asked(ctx, "Formal or familiar?")
	if q.Kind != state.RequestQuestion || len(q.Questions) != 1 || len(q.Questions[0].Options) != 2 {
		t.Errorf("asked %+v", q)
	}
	b.own("ctl", "reply", "DSP-1", "good day to you")
	b.await(ctx, "the review", func() bool { return b.issue().Role == board.RoleHumanReview })
	drain()
	if _, err := os.Stat(filepath.Join(b.dir, "denied.txt")); err == nil {
		t.Error("what was denied was done")
	}
	if _, err := os.Stat(filepath.Join(b.dir, "allowed.txt")); err != nil {
		t.Error("what was allowed was not done")
	}
	if got := b.runs(); got[board.KindDeveloper] != 1 {
		t.Errorf("runs %v", got)
	}
}

// TestAskRules: what a profile wants to be asked for is asked, though the kind
// and the profile allow it, in a compound command too; the owner's word for the
// run answers the same call again. What no rule means is not asked.
func TestAskRules(t *testing.T) {
	heavy(t)
	const release, chained = "./release.sh --dry-run", "cd . && ./release.sh"
	b := newRepository(t, developing(
		bash("printf '#!/bin/sh\\necho released $*\\n' > release.sh; chmod +x release.sh"),
		bash(release),
		bash(release, "released --dry-run"),
		bash(chained, "released --dry-run"),
		bash("rm release.sh", "not before Monday"),
	), passing())
	b.configure(developers("permissions", map[string]any{
		"allow": []string{"Bash(./release.sh *)"}, "askFor": []string{"Bash(./release.sh:*)", "Bash(npm publish *)"},
	}))
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	drain := b.attendedLoop(ctx)
	q := b.asked(ctx, release)
	if q.Kind != state.RequestPermission || q.Tool != "Bash" || !strings.Contains(q.Input, release) {
		t.Errorf("asked %+v", q)
	}
	t.Logf("it asks %q, like %q", q.Why, q.Like)
	b.own("ctl", "allow", "DSP-1", "--always")
	b.asked(ctx, chained) // and not a second time for the one before
	b.own("ctl", "deny", "DSP-1", "--body", "not before Monday")
	b.await(ctx, "the review", func() bool { return b.issue().Role == board.RoleHumanReview })
	drain()
}

// TestNobodyAnswers: without a person what a worker asks is denied at once, and
// its work goes on.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	b := newRepository(t, developing(
		use("Write", map[string]any{"file_path": "{{cwd}}/../../../../denied.txt", "content": "x\n"}, ""),
		bash("true", "Nobody is here to allow it"),
	), passing())
	b.loop()
	b.expectRole(board.RoleHumanReview)
}

// TestSteerInMidRun: what the owner says reaches the running conversation while
// the model thinks and while a tool runs, with a receipt.
func TestSteerInMidRun(t *testing.T) {
	t.Parallel()
	held := bash("true")
	held.Gate = "thinking"
	told := bash("true", "Say it politely")
	b := newRepository(t, developing(held, told), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	drain := b.attendedLoop(ctx)
	if err := b.model.AwaitGate(ctx, "thinking"); err != nil {
		t.Fatalf("%v\n%s", err, b.transcripts())
	}
	b.own("ctl", "steer", "DSP-1", "Say it politely.")
	messages := func() []state.Message {
		for _, w := range b.snapshot(ctx).Workers {
			if len(w.Messages) > 0 {
				return w.Messages
			}
		}
		return nil
	}
	b.await(ctx, "the message", func() bool { return len(messages()) == 1 })
	if m := messages()[0]; m.State != state.MessageSent || m.Text != "Say it politely." {
		t.Errorf("before it was read: %+v", m)
	}
	b.model.Release("thinking")
	b.await(ctx, "the receipt", func() bool { m := messages(); return len(m) == 1 && m[0].State == state.MessageRead })
	b.await(ctx, "the review", func() bool { return b.issue().Role == board.RoleHumanReview })
	drain()
	if got := b.runs(); got[board.KindDeveloper] != 1 {
		t.Errorf("runs %v", got)
	}
}

// TestInterruptThenAWord: an interrupted worker stands still, also across a
// loop that is killed, and goes on with the owner's next word.
func TestInterruptThenAWord(t *testing.T) {
	t.Parallel()
	b := newRepository(t, developing(bash("touch begun; tail -f /dev/null"), bash("true", "Do not wait for it")), passing())
	ctx, cancel := context.WithTimeout(t.Context(), loopLimit)
	defer cancel()
	first := b.dispatcher(ctx, "start", "M1", "--no-tui")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	b.await(ctx, "the hanging tool", func() bool {
		found, _ := filepath.Glob(filepath.Join(b.repo, ".claude/worktrees/*/begun"))
		return len(found) == 1
	})
	b.own("ctl", "interrupt", "DSP-1")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	drain := b.attendedLoop(ctx)
	b.await(ctx, "a worker that waits", func() bool {
		s := b.snapshot(ctx)
		return len(s.Needs) > 0 && s.Needs[0].Kind == state.NeedInterrupted && len(s.Workers) > 0 && s.Workers[0].Waiting
	})
	b.own("ctl", "steer", "DSP-1", "Do not wait for it; remove begun.")
	b.await(ctx, "the review", func() bool { return b.issue().Role == board.RoleHumanReview })
	drain()
	if got := b.runs(); got[board.KindDeveloper] != 1 {
		t.Errorf("runs %v", got)
	}
}
