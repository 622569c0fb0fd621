//go:build unix

package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// patience bounds what must happen; nothing is judged by how long it took.
const patience = 60 * time.Second

// bench is one folder of runs with a launcher.
type bench struct {
	t    *testing.T
	ctx  context.Context
	dir  string // working directory of agents, and for their notes
	runs string
	l    *workers.Launcher
}

func newBench(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	b := &bench{t: t, ctx: ctx, dir: t.TempDir(), runs: filepath.Join(t.TempDir(), "runs")}
	b.l = b.launcher()
	t.Cleanup(b.sweep)
	return b
}

func (b *bench) launcher() *workers.Launcher {
	return workers.NewLauncher(workers.Options{Runs: b.runs, Binary: os.Args[0], Agent: agents})
}

// sweep leaves nothing running, whatever the test did.
func (b *bench) sweep() {
	ids, err := b.l.Runs()
	if err != nil {
		b.t.Error(err)
	}
	for _, id := range ids {
		if err := b.l.Stop(context.Background(), id, 0); err != nil {
			b.t.Errorf("sweep: %v", err)
		}
	}
}

// spec is a run of an agent in the given mode.
func (b *bench) spec(run, mode string, arg ...string) workers.Spec {
	return workers.Spec{
		Run: run, Ref: "DSP-1", Kind: board.KindDeveloper, Attempt: 1, Session: uuid.NewString(), Agent: "claude",
		Dir: b.dir, Command: append([]string{os.Args[0], "agent", mode}, arg...),
		Env: []string{"PATH=" + os.Getenv("PATH")}, Role: "the role", Prompt: "do it",
	}
}

func (b *bench) start(s workers.Spec) workers.Status {
	b.t.Helper()
	st, err := b.l.Start(b.ctx, s)
	if err != nil {
		b.t.Fatalf("start: %v", err)
	}
	return st
}

// exit waits for the end of a run.
func (b *bench) exit(run string) workers.Exit {
	b.t.Helper()
	var last workers.Status
	if err := b.l.Watch(b.ctx, run, func(st workers.Status) { last = st }); err != nil {
		b.t.Fatalf("watch: %v", err)
	}
	if last.Phase != workers.PhaseExited || last.Exit == nil {
		f, _ := b.l.Folder(run)
		b.t.Fatalf("phase %s, want exited; supervisor said %q, agent said %q", last.Phase, f.LogTail(2000), f.StderrTail(2000))
	}
	return *last.Exit
}

func (b *bench) phase(run string, want workers.Phase) workers.Status {
	b.t.Helper()
	st, err := b.l.Observe(b.ctx, run)
	if err != nil {
		b.t.Fatalf("observe: %v", err)
	}
	if st.Phase != want {
		b.t.Fatalf("phase %s, want %s", st.Phase, want)
	}
	return st
}

// until waits for a condition that other processes bring about.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s", what)
		}
	}
}

// pid reads what a process of the run has noted.
func (b *bench) pid(path string) int {
	b.t.Helper()
	var n int
	b.until(path, func() bool {
		data, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		n, err = strconv.Atoi(string(data))
		return err == nil
	})
	return n
}

func (b *bench) gone(pid int) {
	b.t.Helper()
	b.until(fmt.Sprintf("process %d ends", pid), func() bool { return !proc.Alive(pid, "") })
}

func (b *bench) open(gate string) {
	b.t.Helper()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func times(t *testing.T, v supervise.Times) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return timesVariable + "=" + string(data)
}

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
	if err := b.l.Steer(b.ctx, "r1", "more"); !errors.Is(err, workers.ErrNotRunning) {
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
		{"refused flags", "fail", workers.Exit{Code: 1}, "unknown option '--x'␛[2J"},
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
			x.Problem, x.Version, x.Started, x.Ended = "", 0, time.Time{}, time.Time{}
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
	for name, change := range map[string]func(*workers.Spec){
		"the directory is gone": func(s *workers.Spec) { s.Dir = filepath.Join(b.dir, "gone") },
		"no such program":       func(s *workers.Spec) { s.Command = []string{filepath.Join(b.dir, "no-such-program")} },
	} {
		s := b.spec(strings.ReplaceAll(name, " ", "-"), "done")
		change(&s)
		st := b.start(s)
		if st.Phase != workers.PhaseExited || !strings.Contains(st.Exit.Problem, "start the agent in") {
			t.Errorf("%s: %+v", name, st)
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
	if !strings.Contains(x.Problem, "waits on a prompt") {
		t.Errorf("problem %q", x.Problem)
	}
}

// A killed loop: its worker goes on, is re-adopted, read on and ended by
// another process.
func TestWorkerOutlivesItsLoop(t *testing.T) {
	b := newBench(t)
	gate := filepath.Join(b.dir, "gate")
	specFile := filepath.Join(b.dir, "spec")
	data, err := json.Marshal(b.spec("r", "gate", gate))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(specFile, data, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := exec.Command(os.Args[0], "loop", specFile)
	loop.Env = append(os.Environ(), "TEST_RUNS="+b.runs)
	out, err := loop.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the loop did not start the run: %v", err)
	}
	agent := b.pid(gate + ".pid")
	if err := loop.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = loop.Wait()

	st := b.phase("r", workers.PhaseRunning)
	if st.AgentPID != agent || !proc.Alive(agent, "") {
		t.Fatalf("agent %d, status %+v", agent, st)
	}
	b.until("the output so far is read", func() bool { return b.phase("r", workers.PhaseRunning).Lines == 1 })
	b.open(gate)
	x := b.exit("r")
	if x.Final != "STATUS: COMPLETE" || x.Problem != "" {
		t.Errorf("exit %+v", x)
	}
	if st := b.phase("r", workers.PhaseExited); len(st.Tail) != 3 || st.Tail[1].Text != "went on" {
		t.Errorf("tail %+v", st.Tail)
	}
}

func TestStopAnAgentThatIgnoresSignals(t *testing.T) {
	b := newBench(t)
	note := filepath.Join(b.dir, "pid")
	b.start(b.spec("r", "stubborn", note))
	agent := b.pid(note)
	if err := b.l.Stop(b.ctx, "r", 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	b.gone(agent)
	x := b.phase("r", workers.PhaseExited).Exit
	if !x.Stopped || x.Code != -1 || x.Signal != "SIGKILL" || x.Problem == "" {
		t.Errorf("exit %+v", x)
	}
	if err := b.l.Stop(b.ctx, "r", time.Second); err != nil {
		t.Errorf("stopped twice: %v", err)
	}
}

// Failure 5: what left the agent's session is ended with it.
func TestNothingOutlivesARun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux adopts orphans")
	}
	for _, mode := range []string{"orphans", "orphans-hang"} {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t)
			b.start(b.spec("r", mode, b.dir))
			one, two := b.pid(filepath.Join(b.dir, "sleeper0")), b.pid(filepath.Join(b.dir, "sleeper1"))
			if mode == "orphans-hang" {
				if err := b.l.Stop(b.ctx, "r", 0); err != nil {
					t.Fatal(err)
				}
			}
			x := b.exit("r")
			b.gone(one)
			b.gone(two)
			if mode == "orphans" && x.Reaped != 2 {
				t.Errorf("reaped %d, want 2", x.Reaped)
			}
		})
	}
}

func TestDeadSupervisor(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "orphans-hang", b.dir))
	one, two := b.pid(filepath.Join(b.dir, "sleeper0")), b.pid(filepath.Join(b.dir, "sleeper1"))
	st := b.phase("r", workers.PhaseRunning)
	if _, err := b.l.EndLeftovers(b.ctx, "r"); err == nil {
		t.Error("leftovers of a living supervisor were ended")
	}
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.gone(st.PID)
	b.phase("r", workers.PhaseDead)
	if !proc.Alive(st.AgentPID, "") {
		t.Fatal("the agent died with its supervisor")
	}
	if phase, err := b.l.Forbid(b.ctx, "r"); err != nil || phase != workers.PhaseDead {
		t.Errorf("forbid: %s, %v", phase, err)
	}
	if err := b.l.Stop(b.ctx, "r", time.Second); err != nil {
		t.Fatal(err)
	}
	b.gone(st.AgentPID)
	if runtime.GOOS == "linux" {
		b.gone(one)
		b.gone(two)
	}
	b.phase("r", workers.PhaseDead)
	// A second supervisor never gets a run that one has had.
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	if err := supervise.Run(b.ctx, f.Dir(), supervise.Options{Agent: agents}); !errors.Is(err, workers.ErrForbidden) {
		t.Errorf("a second supervisor: %v", err)
	}
}

func TestSteerInterruptAndMore(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "steered"))
	if err := b.l.Interrupt(b.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	b.until("the turn is interrupted", func() bool { return b.phase("r", workers.PhaseRunning).Turns == 1 })
	long := strings.Repeat("go on ", 40_000) // more than a pipe holds by default
	if err := b.l.Steer(b.ctx, "r", long); err != nil {
		t.Fatal(err)
	}
	x := b.exit("r")
	if x.Final != "STATUS: COMPLETE heard" || x.Problem != "" || x.CostUSD != 0.5 {
		t.Errorf("exit %+v", x)
	}
	st := b.phase("r", workers.PhaseExited)
	if got := st.Tail[len(st.Tail)-2].Text; got != "heard "+strconv.Itoa(len(long)) {
		t.Errorf("the agent %s", got)
	}
}

func TestAResultIsNotTheEnd(t *testing.T) {
	b := newBench(t)
	gate := filepath.Join(b.dir, "gate")
	b.start(b.spec("r", "background", gate))
	b.until("the first result is read", func() bool { return b.phase("r", workers.PhaseRunning).Turns == 1 })
	b.open(gate)
	if x := b.exit("r"); x.Final != "STATUS: COMPLETE at last" || x.CostUSD != 0.5 {
		t.Errorf("exit %+v", x)
	}
}

func TestBackgroundThatNeverEnds(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "background", filepath.Join(b.dir, "never"))
	s.Env = append(s.Env, times(t, supervise.Times{Background: 200 * time.Millisecond, End: 50 * time.Millisecond}))
	b.start(s)
	if x := b.exit("r"); x.Final != "Started, waiting." || x.Stopped {
		t.Errorf("exit %+v", x)
	}
}

func TestForbid(t *testing.T) {
	b := newBench(t)
	if phase, err := b.l.Forbid(b.ctx, "never-made"); err != nil || phase != workers.PhaseAbsent {
		t.Errorf("a run without a folder: %s, %v", phase, err)
	}
	gate := filepath.Join(b.dir, "gate")
	b.start(b.spec("r", "gate", gate))
	if phase, err := b.l.Forbid(b.ctx, "r"); err != nil || phase != workers.PhaseRunning {
		t.Errorf("a running run: %s, %v", phase, err)
	}
	b.open(gate)
	if x := b.exit("r"); x.Final == "" {
		t.Errorf("exit %+v", x)
	}
	if phase, err := b.l.Forbid(b.ctx, "r"); err != nil || phase != workers.PhaseExited {
		t.Errorf("an ended run: %s, %v", phase, err)
	}
}

// A loop that died between the spawn and the supervisor's first step: the next
// one gives the row back, and the late supervisor must start nothing.
func TestForbidBeatsALateSupervisor(t *testing.T) {
	b := newBench(t)
	gate, ran := filepath.Join(b.dir, "gate"), filepath.Join(b.dir, "ran")
	s := b.spec("r", "gate", ran)
	s.Env = append(s.Env, "TEST_SUPERVISE_LATE="+gate)
	short, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := b.l.Start(short, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("start: %v", err)
	}
	b.phase("r", workers.PhaseAbsent)
	if phase, err := b.launcher().Forbid(b.ctx, "r"); err != nil || phase != workers.PhaseAbsent {
		t.Fatalf("forbid: %s, %v", phase, err)
	}
	b.open(gate)
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	b.until("the supervisor refuses", func() bool { return strings.Contains(f.LogTail(1000), "given back") })
	b.phase("r", workers.PhaseAbsent)
	if _, err := os.Stat(ran + ".pid"); err == nil {
		t.Error("an agent was started for a run that was given back")
	}
}

// Many forbid while a supervisor starts: either all find it running, or no
// agent ever runs.
func TestForbidRace(t *testing.T) {
	b := newBench(t)
	for i := range 8 {
		run := "r" + strconv.Itoa(i)
		gate := filepath.Join(b.dir, run)
		phases := make(chan workers.Phase, 3)
		go func() {
			b.until("the folder", func() bool { _, err := os.Stat(filepath.Join(b.runs, run, "spec.json")); return err == nil })
			for range cap(phases) {
				phase, err := b.launcher().Forbid(b.ctx, run)
				if err != nil {
					t.Errorf("forbid: %v", err)
				}
				phases <- phase
			}
		}()
		_, err := b.l.Start(b.ctx, b.spec(run, "gate", gate))
		if err != nil && !errors.Is(err, workers.ErrNotStarted) {
			t.Errorf("start: %v", err)
		}
		for range cap(phases) {
			absent := <-phases == workers.PhaseAbsent
			if absent != (err != nil) {
				t.Errorf("%s: forbidden %v, start %v", run, absent, err)
			}
		}
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "gate", filepath.Join(b.dir, "gate")))
	ctx, cancel := context.WithCancel(b.ctx)
	err := b.l.Watch(ctx, "r", func(workers.Status) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("watch: %v", err)
	}
}

func TestNewerFilesAreRefused(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "done"))
	b.exit("r")
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.Dir(), "exit.json")
	if err := os.WriteFile(path, []byte(`{"version": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var newer *statefile.NewerVersionError
	if _, err := b.l.Observe(b.ctx, "r"); !errors.As(err, &newer) || newer.Version != 2 {
		t.Errorf("observe: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"version": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestResumedRunIsChargedItsShare(t *testing.T) {
	b := newBench(t)
	s := b.spec("r1", "done")
	b.start(s)
	b.exit("r1")
	next := b.spec("r2", "done")
	next.Session, next.Resume = s.Session, true
	b.start(next)
	b.exit("r2")
	f, err := b.l.Folder("r2")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Spec(); err != nil || got.PriorCostUSD != 0.25 {
		t.Errorf("prior cost %v, %v", got.PriorCostUSD, err)
	}
}
