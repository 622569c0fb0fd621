//go:build unix

package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

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

// A supervisor that died between the start of its agent and the record of it.
func TestLeftoversThatWereNeverRecorded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows another process's environment")
	}
	b := newBench(t)
	b.start(b.spec("r", "orphans-hang", b.dir))
	one, two := b.pid(filepath.Join(b.dir, "sleeper0")), b.pid(filepath.Join(b.dir, "sleeper1"))
	st := b.phase("r", workers.PhaseRunning)
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.gone(st.PID)
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	super, _, err := f.Supervisor()
	if err != nil {
		t.Fatal(err)
	}
	super.AgentPID, super.AgentStart = 0, ""
	if err := f.WriteSupervisor(super); err != nil {
		t.Fatal(err)
	}
	n, err := b.l.EndLeftovers(b.ctx, "r")
	if err != nil || n != 3 {
		t.Errorf("ended %d, %v", n, err)
	}
	for _, pid := range []int{st.AgentPID, one, two} {
		b.gone(pid)
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
	if _, err := b.l.Steer(b.ctx, "r", long); err != nil {
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

// Stop means that nothing runs afterwards, also where nothing runs yet.
func TestStopBeforeTheSupervisor(t *testing.T) {
	b := newBench(t)
	gate, ran := filepath.Join(b.dir, "gate"), filepath.Join(b.dir, "ran")
	s := b.spec("r", "gate", ran)
	s.Env = append(s.Env, "TEST_SUPERVISE_LATE="+gate)
	short, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := b.l.Start(short, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("start: %v", err)
	}
	if err := b.l.Stop(b.ctx, "r", time.Second); err != nil {
		t.Fatal(err)
	}
	b.open(gate)
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	b.until("the supervisor refuses", func() bool { return strings.Contains(f.LogTail(1000), "given back") })
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

func TestUnder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux adopts orphans")
	}
	b := newBench(t)
	note := filepath.Join(b.dir, "note")
	s := b.spec("r", "under", note)
	s.Epoch = 7
	b.start(s)
	b.exit("r")
	data, err := os.ReadFile(note)
	if err != nil || string(data) != "true developer DSP-1 r 7" {
		t.Errorf("%q, %v", data, err)
	}
	if spec, ok := workers.Under(os.Getpid()); ok {
		t.Errorf("this process is a worker: %+v", spec)
	}
}

// A closed or interrupted terminal ends no supervisor; the signal that asks it
// to end does, politely.
func TestSignalsToTheSupervisor(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "steered"))
	b.until("a turn runs", func() bool { return b.phase("r", workers.PhaseRunning).Lines > 0 })
	st := b.phase("r", workers.PhaseRunning)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(st.PID, sig); err != nil {
			t.Fatal(err)
		}
	}
	// Only a living one interrupts the turn and ends the session.
	if err := syscall.Kill(st.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if x := b.exit("r"); !x.Stopped || x.Code != 0 || x.Problem != "interrupted" {
		t.Errorf("exit %+v", x)
	}
}

// A run that is stopped before it has its task never begins with it.
func TestStopAtOnce(t *testing.T) {
	b := newBench(t)
	for i := range 4 {
		run := "r" + strconv.Itoa(i)
		b.start(b.spec(run, "steered"))
		if err := b.l.Stop(b.ctx, run, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		x := b.phase(run, workers.PhaseExited).Exit
		if !x.Stopped || x.Signal != "" || strings.Contains(x.Final, "COMPLETE") {
			t.Errorf("exit %+v", x)
		}
	}
}

func TestLongPrompt(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "done")
	s.Prompt = strings.Repeat("0123456789abcdef", 3<<16) // more than any pipe holds
	b.start(s)
	if x := b.exit("r"); len(x.Final) < workers.StringLimit || !strings.HasPrefix("STATUS: COMPLETE "+s.Prompt, x.Final) {
		t.Errorf("final message of %d bytes, problem %q", len(x.Final), x.Problem)
	}
}

// Two look at one run: both see every line once.
func TestTwoLaunchersWatchOneRun(t *testing.T) {
	b := newBench(t)
	gate := filepath.Join(b.dir, "gate")
	b.start(b.spec("r", "gate", gate))
	ends := make(chan workers.Status, 4)
	for _, l := range []*workers.Launcher{b.l, b.l, b.launcher(), b.launcher()} {
		go func() {
			var last workers.Status
			if err := l.Watch(b.ctx, "r", func(st workers.Status) { last = st }); err != nil {
				t.Errorf("watch: %v", err)
			}
			ends <- last
		}()
	}
	b.open(gate)
	for range cap(ends) {
		if st := <-ends; st.Phase != workers.PhaseExited || st.Lines != 3 || len(st.Tail) != 3 {
			t.Errorf("%s with %d lines", st.Phase, st.Lines)
		}
	}
}

// TestWhatALookShows: a tool with a living process, the last output, and a turn
// that a person interrupted: what the loop tells a stalled worker by.
func TestWhatALookShows(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "tool", b.dir)
	s.Env = append(s.Env, times(t, supervise.Times{Alive: 20 * time.Millisecond}))
	b.start(s)
	child := b.pid(filepath.Join(b.dir, "sleeper0"))
	b.until("the tool's process is seen", func() bool { return b.phase("r", workers.PhaseRunning).Below > 0 })
	st := b.phase("r", workers.PhaseRunning)
	if !st.Busy || st.Waiting || st.LastOutput.IsZero() || st.LastSign.Before(st.LastOutput) {
		t.Errorf("while the tool runs: %+v", st)
	}
	if err := b.l.Interrupt(b.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	b.until("the turn is interrupted", func() bool { return b.phase("r", workers.PhaseRunning).Waiting })
	if st := b.phase("r", workers.PhaseRunning); st.Busy {
		t.Errorf("after the interrupt: %+v", st)
	}
	if err := b.l.Stop(b.ctx, "r", 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	b.gone(child)
}
