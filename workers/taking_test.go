//go:build unix

package workers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/backside4charter/dispatcher/workers"
)

// playOwner takes a run over and opens its session, which is the command.
func playOwner(run string, command []string) int {
	l := workers.NewLauncher(workers.Options{Runs: os.Getenv("TEST_RUNS"), Binary: os.Args[0], Agent: agents})
	t, err := l.Take(context.Background(), run)
	if err == nil {
		err = errors.Join(t.Run(context.Background(), command, os.Environ(), os.Stdin, os.Stdout, os.Stderr), t.Release())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// own starts an owner whose session notes its process in the file, and waits
// for that.
func (b *bench) own(run, noted string, session ...string) (owner *exec.Cmd, agent int) {
	b.t.Helper()
	owner = exec.CommandContext(b.ctx, os.Args[0], append([]string{"owner", run}, session...)...)
	owner.Env = append(os.Environ(), "TEST_RUNS="+b.runs)
	if err := owner.Start(); err != nil {
		b.t.Fatal(err)
	}
	return owner, b.pid(noted)
}

func (b *bench) taken(run string) workers.Taken {
	b.t.Helper()
	f, err := b.l.Folder(run)
	if err != nil {
		b.t.Fatal(err)
	}
	t, err := f.Taken()
	if err != nil {
		b.t.Fatal(err)
	}
	return t
}

// TestTakingOutlivesItsFirstProcess: a session is its owner's as long as
// anything of it lives, whatever of it was killed: the process that took it, the
// agent in it, or both, with a process left that nothing has ever recorded.
func TestTakingOutlivesItsFirstProcess(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r1", "done"))
	b.exit("r1")
	if got := b.taken("r1"); got.Came || got.Lives {
		t.Fatalf("nobody has come, and it is %+v", got)
	}
	note, deep := filepath.Join(b.dir, "agent"), filepath.Join(b.dir, "deep")
	// The agent notes itself when what it starts has noted itself.
	owner, agent := b.own("r1", note, "sh", "-c",
		`"$0" sleeper "$1" & until test -e "$1"; do sleep 0.01; done; printf %s $$ > "$2.tmp"; mv "$2.tmp" "$2"; wait`, os.Args[0], deep, note)
	started := b.pid(deep)
	t.Cleanup(func() { _ = syscall.Kill(started, syscall.SIGKILL) })
	kill := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if pid == owner.Process.Pid {
			_ = owner.Wait()
		}
		b.gone(pid)
	}
	for _, step := range []struct {
		name string
		do   func()
		want workers.Taken
	}{
		{"it is open", func() {}, workers.Taken{Came: true, Lives: true, PID: owner.Process.Pid}},
		{"who took it was killed", func() { kill(owner.Process.Pid) }, workers.Taken{Came: true, Lives: true, PID: agent}},
		{"its agent too", func() { kill(agent) }, workers.Taken{Came: true, Lives: true}},
		{"all of it", func() { kill(started) }, workers.Taken{Came: true}},
	} {
		step.do()
		if !step.want.Lives {
			// A test beside this one that starts a process has our descriptors, and
			// with them a lock that a look took, until the process is another program.
			b.until(step.name, func() bool { return b.taken("r1") == step.want })
		}
		if got := b.taken("r1"); step.want.Lives && got != step.want {
			t.Errorf("%s: %+v, want %+v", step.name, got, step.want)
		}
		if step.want.Lives {
			if _, err := b.l.Take(b.ctx, "r1"); !errors.Is(err, workers.ErrTaken) {
				t.Errorf("%s: a second one comes in: %v", step.name, err)
			}
		}
	}
	var again *workers.Taking
	b.until("it can be taken again", func() (ok bool) {
		var err error
		again, err = b.l.Take(b.ctx, "r1")
		return err == nil
	})
	if err := again.Release(); err != nil {
		t.Fatal(err)
	}
	b.until("it is released", func() bool { return !b.taken("r1").Lives })
}

// TestLeftIsLeft: who leaves a session has it no more, whatever was left
// running on purpose.
func TestLeftIsLeft(t *testing.T) {
	b := newBench(t)
	b.start(b.spec("r1", "done"))
	b.exit("r1")
	deep := filepath.Join(b.dir, "deep")
	owner, started := b.own("r1", deep, "sh", "-c", `"$0" sleeper "$1" > /dev/null 2>&1 & until test -e "$1"; do sleep 0.01; done`, os.Args[0], deep)
	t.Cleanup(func() { _ = syscall.Kill(started, syscall.SIGKILL) })
	if err := owner.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := b.taken("r1"); !got.Came || got.Lives {
		t.Errorf("it was left, and it is %+v", got)
	}
}
