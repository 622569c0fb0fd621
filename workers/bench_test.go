//go:build unix

package workers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// patience bounds what must happen; nothing is judged by how long it took.
const patience = 2 * time.Minute

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
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
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
