package workers_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// deaths are all orders in which an agent (a), its supervisor (s) and the loop
// that started them (l) can die, those cut short included.
func deaths() []string {
	all := []string{""}
	for begin := 0; begin < len(all); begin++ {
		for _, who := range []string{"a", "s", "l"} {
			if order := all[begin]; !strings.Contains(order, who) {
				all = append(all, order+who)
			}
		}
	}
	return all[1:]
}

// TestEveryOrderOfDeath: whoever is killed first, the next loop finds how the
// run ended or that it is dead, ends what is left of it, also what left its
// session, and nobody ever takes the run again (failures.md, 5 and 6).
func TestEveryOrderOfDeath(t *testing.T) {
	for _, order := range deaths() {
		t.Run(order, func(t *testing.T) {
			b := newBench(t)
			loop, st := b.loopWithRun()
			pids := map[byte]int{'a': st.AgentPID, 's': st.PID, 'l': loop.Process.Pid}
			for _, who := range []byte(order) {
				if who == 'a' && strings.IndexByte(order, 'a') > strings.IndexByte(order, 's') && strings.Contains(order, "s") {
					if !proc.Alive(st.AgentPID, "") {
						t.Fatal("the agent died with its supervisor")
					}
				}
				// A supervisor whose agent was killed may have ended by itself.
				alone := who == 's' && strings.Contains(order[:strings.IndexByte(order, who)], "a")
				if err := syscall.Kill(pids[who], syscall.SIGKILL); err != nil && (!alone || !errors.Is(err, syscall.ESRCH)) {
					t.Fatal(err)
				}
				if who == 'l' {
					_ = loop.Wait()
				}
				b.gone(pids[who])
			}
			b.settled(order, st)
			if !strings.Contains(order, "l") {
				_ = loop.Process.Kill()
				_ = loop.Wait()
			}
		})
	}
}

// loopWithRun is a loop of its own process that has started a run which hangs,
// with two processes that left its session.
func (b *bench) loopWithRun() (*exec.Cmd, workers.Status) {
	b.t.Helper()
	data, err := json.Marshal(b.spec("r", "orphans-nap", b.dir))
	if err != nil {
		b.t.Fatal(err)
	}
	specFile := filepath.Join(b.dir, "spec")
	if err := os.WriteFile(specFile, data, 0o600); err != nil {
		b.t.Fatal(err)
	}
	loop := exec.Command(os.Args[0], "loop", specFile)
	loop.Env = append(os.Environ(), "TEST_RUNS="+b.runs)
	if err := loop.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.pid(filepath.Join(b.dir, "sleeper0"))
	b.pid(filepath.Join(b.dir, "sleeper1"))
	return loop, b.phase("r", workers.PhaseRunning)
}

// settled is what the next loop finds and does.
func (b *bench) settled(order string, st workers.Status) {
	b.t.Helper()
	next := b.launcher()
	agentFirst := strings.Contains(order, "a") && (!strings.Contains(order, "s") || strings.IndexByte(order, 'a') < strings.IndexByte(order, 's'))
	switch {
	case order == "l":
		now := b.phase("r", workers.PhaseRunning)
		if now.AgentPID != st.AgentPID {
			b.t.Errorf("another agent runs: %+v", now)
		}
		if err := next.Stop(b.ctx, "r", 0); err != nil {
			b.t.Fatal(err)
		}
	case agentFirst && !strings.Contains(order, "s"):
		if x := b.exit("r"); x.Signal != "SIGKILL" || x.Reaped != 2 || x.Problem == "" || x.Stopped {
			b.t.Errorf("exit %+v", x)
		}
	default: // the supervisor may have had the time to record the agent's end
		now, err := next.Observe(b.ctx, "r")
		if err != nil || now.Phase != workers.PhaseDead && !(agentFirst && now.Phase == workers.PhaseExited) {
			b.t.Fatalf("%s, %v", now.Phase, err)
		}
		if now.Phase == workers.PhaseDead {
			if _, err := next.EndLeftovers(b.ctx, "r"); err != nil {
				b.t.Fatal(err)
			}
			if f, err := next.Folder("r"); err != nil || !f.Over() {
				b.t.Errorf("what escaped may write on; %v", err)
			}
		}
	}
	for _, file := range []string{"sleeper0", "sleeper1"} {
		b.gone(b.pid(filepath.Join(b.dir, file)))
	}
	b.gone(st.AgentPID)
	f, err := next.Folder("r")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := supervise.Run(b.ctx, f.Dir(), supervise.Options{Agent: agents}); err == nil {
		b.t.Error("a second supervisor took the run")
	}
}

// TestForeignProcessWithACopiedMark: the mark alone proves nothing. A process
// of somebody else that carries it, or is older than the run, is left alone
// when the run's own are ended.
func TestForeignProcessWithACopiedMark(t *testing.T) {
	b := newBench(t)
	f, err := b.l.Folder("r")
	if err != nil {
		t.Fatal(err)
	}
	copied := []string{workers.EnvRun + "=r", workers.EnvRunFolder + "=" + f.Dir()}
	var foreign []int
	begin := func(name string, how func(*exec.Cmd), env []string) {
		cmd := exec.Command(os.Args[0], "sleeper", filepath.Join(b.dir, name))
		cmd.Env = append(os.Environ(), env...)
		how(cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		foreign = append(foreign, b.pid(filepath.Join(b.dir, name)))
	}
	plain := func(*exec.Cmd) {}
	apart := func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
	begin("older", apart, copied)
	// A clock tick of the system's is 10 ms: what starts within the same one as
	// the supervisor cannot be told from it.
	time.Sleep(20 * time.Millisecond)
	b.start(b.spec("r", "orphans-nap", b.dir))
	own := []int{b.pid(filepath.Join(b.dir, "sleeper0")), b.pid(filepath.Join(b.dir, "sleeper1"))}
	begin("same-terminal", plain, copied)
	begin("own-session", apart, copied)
	begin("half-a-mark", apart, copied[1:])
	begin("another-run", apart, []string{copied[0], workers.EnvRunFolder + "=" + f.Dir() + "2"})
	st := b.phase("r", workers.PhaseRunning)
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.gone(st.PID)
	n, err := b.l.EndLeftovers(b.ctx, "r")
	if err != nil || n != 3 {
		t.Errorf("ended %d, %v; want the agent and two more", n, err)
	}
	for _, pid := range append(own, st.AgentPID) {
		b.gone(pid)
	}
	for _, pid := range foreign {
		if !proc.Alive(pid, "") {
			t.Errorf("process %d of somebody else was ended", pid)
		}
	}
}

// TestLeftoverWithoutItsMark: what has dropped its environment but stays in the
// supervisor's session is found, too.
func TestLeftoverWithoutItsMark(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r", "unmarked", b.dir))
	pid := b.pid(filepath.Join(b.dir, "unmarked"))
	st := b.phase("r", workers.PhaseRunning)
	for _, p := range []int{st.PID, st.AgentPID} {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		b.gone(p)
	}
	if n, err := b.l.EndLeftovers(b.ctx, "r"); err != nil || n != 1 {
		t.Errorf("ended %d, %v", n, err)
	}
	b.gone(pid)
}

// TestMemoryOfARun: what the agent and everything below it hold is measured,
// and one that holds more than it may is ended with the figures.
func TestMemoryOfARun(t *testing.T) {
	b := newBench(t)
	fast := times(t, supervise.Times{Alive: 20 * time.Millisecond, Grace: 50 * time.Millisecond})
	s := b.spec("r", "orphans-nap", b.dir)
	s.Env = append(s.Env, fast)
	b.start(s)
	b.pid(filepath.Join(b.dir, "sleeper1"))
	b.until("the three are counted", func() bool { return b.phase("r", workers.PhaseRunning).Procs == 3 })
	if st := b.phase("r", workers.PhaseRunning); st.RSS < 3<<20 || st.RSS > 3<<30 {
		t.Errorf("three processes hold %d bytes", st.RSS)
	}
	if err := b.l.Stop(b.ctx, "r", 0); err != nil {
		t.Fatal(err)
	}
	if x := b.exit("r"); x.PeakRSS < 3<<20 || b.phase("r", workers.PhaseExited).RSS != 0 {
		t.Errorf("exit %+v", x)
	}

	hungry := b.spec("hungry", "hungry")
	hungry.MaxMemory = 256 << 20
	hungry.Env = append(hungry.Env, fast)
	b.start(hungry)
	if x := b.exit("hungry"); x.Stopped || x.PeakRSS <= 256<<20 || !strings.Contains(x.Problem, "more than limits.maxWorkerMemoryMB, 256 MB (1 processes)") {
		t.Errorf("exit %+v", x)
	}
}
