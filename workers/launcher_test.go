//go:build unix

package workers_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

func TestRunToItsEnd(t *testing.T) {
	b := newBench(t)
	st := b.start(b.spec("r1", "done"))
	if st.Phase != workers.PhaseRunning && st.Phase != workers.PhaseExited {
		t.Fatalf("phase after start: %s", st.Phase)
	}
	x := b.exit("r1")
	if x.Final != "STATUS: COMPLETE do it" || x.Problem != "" || x.Code != 0 || x.IsError || x.Stopped {
		t.Errorf("exit %+v", x)
	}
	if x.CostUSD != 0.25 || x.Tokens != 10 {
		t.Errorf("cost %v, tokens %v", x.CostUSD, x.Tokens)
	}
	st = b.phase("r1", workers.PhaseExited)
	if st.Turns != 1 || st.Lines != len(st.Tail) || st.Lines == 0 || st.LastSign.IsZero() {
		t.Errorf("status %+v", st)
	}
	f, err := b.l.Folder("r1")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := f.Spec()
	if err != nil || spec.Role != "the role" || spec.Env != nil {
		t.Errorf("spec %+v, %v", spec, err)
	}
	if _, err := b.l.Start(b.ctx, b.spec("r1", "done")); !errors.Is(err, workers.ErrRunExists) {
		t.Errorf("the id is used twice: %v", err)
	}
	if _, err := b.l.Steer(b.ctx, "r1", "more"); !errors.Is(err, workers.ErrNotRunning) {
		t.Errorf("steered an ended run: %v", err)
	}
}

func TestHowRunsEnd(t *testing.T) {
	tests := []struct {
		name, mode string
		want       workers.Exit
		problem    string // part of it
	}{
		{"exit 0 with nothing done", "nothing", workers.Exit{}, "exited 0 without a result"},
		{"refused flags", "fail", workers.Exit{Code: 1, Trouble: workers.TroubleSetup}, "unknown option '--x'␛[2J"},
		{"two results, then an error code", "two-results", workers.Exit{Code: 1, Final: "second", Subtype: "success", Terminal: "completed", CostUSD: 0.5, Tokens: 20}, ""},
		{"the last result is an error", "error", workers.Exit{IsError: true, Subtype: "success", Terminal: "api_error", CostUSD: 0.25, Tokens: 10}, "API Error: 500"},
		{"lines of any length", "long", workers.Exit{Final: "STATUS: COMPLETE after long lines", Subtype: "success", Terminal: "completed", CostUSD: 0.25, Tokens: 10}, ""},
		{"lines in pieces, the last without an end", "pieces", workers.Exit{Final: "STATUS: COMPLETE ✓", Subtype: "success", CostUSD: 0.5}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.start(b.spec("r", tt.mode))
			x := b.exit("r")
			if tt.problem == "" && x.Problem != "" || !strings.Contains(x.Problem, tt.problem) {
				t.Errorf("problem %q, want %q", x.Problem, tt.problem)
			}
			x.Problem, x.Version, x.Started, x.Ended, x.PeakRSS = "", 0, time.Time{}, time.Time{}, 0
			if x != tt.want {
				t.Errorf("exit\n%+v, want\n%+v", x, tt.want)
			}
		})
	}
}

func TestUsageLimitIsTold(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "limit"))
	x := b.exit("r")
	if x.LimitUntil.IsZero() || x.LimitUntil.Before(x.Ended.Add(-15*time.Minute)) || !strings.Contains(x.Problem, "without a result") {
		t.Errorf("exit %+v", x)
	}
}

func TestAgentThatCannotStart(t *testing.T) {
	b := newBench(t)
	plain := filepath.Join(b.dir, "plain")
	if err := os.WriteFile(plain, []byte("no program\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	garbage := filepath.Join(b.dir, "garbage")
	if err := os.WriteFile(garbage, []byte("no program\n"), 0o700); err != nil { //nolint:gosec // it is to look like a program
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*workers.Spec)
		want   workers.Trouble
		says   string
	}{
		"the directory is gone":   {func(s *workers.Spec) { s.Dir = filepath.Join(b.dir, "gone") }, workers.TroubleNone, "start the agent in"},
		"no such program":         {func(s *workers.Spec) { s.Command = []string{filepath.Join(b.dir, "no-such-program")} }, workers.TroubleSetup, "name it in agents.<name>.command"},
		"not on the PATH":         {func(s *workers.Spec) { s.Command = []string{"no-such-program-anywhere"} }, workers.TroubleSetup, "executable file not found"},
		"a file that may not run": {func(s *workers.Spec) { s.Command = []string{plain} }, workers.TroubleSetup, "permission denied"},
		"no program at all":       {func(s *workers.Spec) { s.Command = []string{garbage} }, workers.TroubleSetup, "exec format error"},
	} {
		s := b.spec(strings.ReplaceAll(name, " ", "-"), "done")
		tt.change(&s)
		st := b.start(s)
		if st.Phase != workers.PhaseExited || st.Exit.Trouble != tt.want || !strings.Contains(st.Exit.Problem, tt.says) {
			t.Errorf("%s: %s, %+v", name, st.Phase, st.Exit)
		}
	}
	s := b.spec("../escape", "done")
	if _, err := b.l.Start(b.ctx, s); !errors.Is(err, workers.ErrBadName) {
		t.Errorf("a run id left the folder: %v", err)
	}
	broken := workers.NewLauncher(workers.Options{Runs: b.runs, Binary: filepath.Join(b.dir, "no-binary"), Agent: agents})
	if _, err := broken.Start(b.ctx, b.spec("r", "done")); !errors.Is(err, workers.ErrNotStarted) {
		t.Errorf("without a binary: %v", err)
	}
}

// Failure 7: an agent that waits on a prompt is noticed, with its words.
func TestPromptThatNobodySees(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "prompt")
	s.Env = append(s.Env, times(t, supervise.Times{Start: 300 * time.Millisecond, End: 50 * time.Millisecond}))
	b.start(s)
	x := b.exit("r")
	if !strings.Contains(x.Problem, "waits on a prompt that nobody sees; its last words: Do you trust the files in this folder? [y/n]") {
		t.Errorf("problem %q", x.Problem)
	}
}
