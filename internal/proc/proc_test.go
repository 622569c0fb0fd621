package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// TestMain lets the test binary play the commands under test.
func TestMain(m *testing.M) {
	if role := os.Getenv("PROC_TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

func play(role string) int {
	switch role {
	case "echo":
		fmt.Println(strings.Join(os.Args[1:], "|"))
		fmt.Fprintln(os.Stderr, "warn")
	case "fail":
		fmt.Fprintln(os.Stderr, "it broke")
		return 3
	case "flood":
		for i := range 10000 {
			fmt.Printf("line %d\n", i)
		}
	case "tree", "stubborn-tree":
		if role == "stubborn-tree" {
			signal.Ignore(syscall.SIGTERM)
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "PROC_TEST_ROLE=sleep")
		if err := child.Start(); err != nil {
			return 1
		}
		fmt.Println(child.Process.Pid)
		if file := os.Getenv("PROC_TEST_PIDFILE"); file != "" {
			_ = os.WriteFile(file+".tmp", []byte(strconv.Itoa(child.Process.Pid)), 0o600)
			_ = os.Rename(file+".tmp", file)
		}
		_ = child.Wait()
	case "leftover":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "PROC_TEST_ROLE=sleep")
		if err := child.Start(); err != nil {
			return 1
		}
		fmt.Println(child.Process.Pid)
	case "sleep":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	}
	return 0
}

func self(t *testing.T, role string, env ...string) proc.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.Cmd{Name: exe, Env: append(append(os.Environ(), "PROC_TEST_ROLE="+role), env...)}
}

func TestRunCaptures(t *testing.T) {
	t.Parallel()
	c := self(t, "echo")
	c.Args = []string{"a b", "$HOME", "*"}
	res, err := proc.Exec{}.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(res.Stdout); got != "a b|$HOME|*\n" {
		t.Errorf("stdout = %q", got)
	}
	if got := string(res.Stderr); got != "warn\n" {
		t.Errorf("stderr = %q", got)
	}
}

func TestRunBadExit(t *testing.T) {
	t.Parallel()
	_, err := proc.Exec{}.Run(context.Background(), self(t, "fail"))
	exit, ok := errors.AsType[*proc.ExitError](err)
	if !ok {
		t.Fatalf("err = %v, want an ExitError", err)
	}
	if exit.Code != 3 || strings.TrimSpace(exit.Stderr) != "it broke" {
		t.Errorf("exit = %+v", exit)
	}
	if !strings.Contains(err.Error(), "it broke") {
		t.Errorf("message %q lacks what the command said", err)
	}
}

func TestRunBoundsOutput(t *testing.T) {
	t.Parallel()
	c := self(t, "flood")
	c.MaxOutput = 1000
	res, err := proc.Exec{}.Run(context.Background(), c)
	if !errors.Is(err, proc.ErrTooMuchOutput) {
		t.Errorf("err = %v, want ErrTooMuchOutput", err)
	}
	if len(res.Stdout) != 1000 {
		t.Errorf("kept %d bytes", len(res.Stdout))
	}
	c.Tail = true
	res, err = proc.Exec{}.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Stdout) != 1000 || !strings.HasSuffix(string(res.Stdout), "line 9999\n") {
		t.Errorf("tail = %d bytes ending in %q", len(res.Stdout), res.Stdout[len(res.Stdout)-20:])
	}
}

func TestRunMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := proc.Exec{}.Run(context.Background(), proc.Cmd{Name: "git", Env: []string{"PATH=" + dir}})
	if runtime.GOOS != "windows" && !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("err = %v, want exec.ErrNotFound", err)
	}
	_, err = proc.Exec{}.Run(context.Background(), proc.Cmd{Name: filepath.Join(dir, "nope")})
	if err == nil {
		t.Error("a missing file ran")
	}
}

// A cancelled command goes with its whole group, also where every member is
// deaf to the polite signal.
func TestCancelEndsGroup(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"tree", "stubborn-tree"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := proc.Exec{}.Run(ctx, self(t, role, "PROC_TEST_PIDFILE="+file))
				done <- err
			}()
			child := waitPID(t, file)
			start, err := proc.StartTime(child)
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want context.Canceled", err)
			}
			waitDead(t, child, start)
		})
	}
}

func TestEndGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a tree without its root cannot be found on Windows")
	}
	c := self(t, "leftover")
	c.EndGroup = true
	res, err := proc.Exec{}.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	waitDead(t, child, "")
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	me := os.Getpid()
	start, err := proc.StartTime(me)
	if err != nil {
		t.Fatal(err)
	}
	if !proc.Alive(me, start) || !proc.Alive(me, "") {
		t.Error("this process is not alive")
	}
	if proc.Alive(me, start+"1") {
		t.Error("another start time is taken for this process")
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if proc.Alive(pid, "") {
			t.Errorf("process %d is alive", pid)
		}
	}
	if _, err := proc.StartTime(1 << 30); !errors.Is(err, proc.ErrNoProcess) {
		t.Errorf("err = %v, want ErrNoProcess", err)
	}
	if a, b := proc.BootID(), proc.BootID(); a != b || (runtime.GOOS == "linux" && a == "") {
		t.Errorf("boot id %q, then %q", a, b)
	}
}

func TestZombieIsDead(t *testing.T) {
	t.Parallel()
	c := self(t, "echo")
	cmd := exec.Command(c.Name)
	cmd.Env = c.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // ends when the process does; it is not yet waited for
	waitDead(t, cmd.Process.Pid, "")
	_ = cmd.Wait()
}

func TestKillTree(t *testing.T) {
	t.Parallel()
	c := self(t, "stubborn-tree")
	cmd := exec.Command(c.Name)
	cmd.Env = c.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if got := proc.Descendants(cmd.Process.Pid); len(got) != 1 || got[0] != child {
		t.Errorf("descendants = %v, want [%d]", got, child)
	}
	if got := proc.Ancestors(child); len(got) < 2 || got[0] != cmd.Process.Pid || got[1] != os.Getpid() {
		t.Errorf("ancestors = %v, want %d, %d, ...", got, cmd.Process.Pid, os.Getpid())
	}
	if err := proc.KillTree(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitDead(t, child, "")
	for _, pid := range []int{os.Getpid(), 1, 0, -1} {
		if proc.KillTree(pid) == nil {
			t.Fatalf("KillTree(%d) was not refused", pid)
		}
	}
}

// waitPID waits until the file names a process. The deadline only ends a test
// that has already failed.
func waitPID(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if data, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(string(data))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("the command never started its child")
	return 0
}

func waitDead(t *testing.T, pid int, start string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if !proc.Alive(pid, start) {
			return
		}
	}
	t.Fatalf("process %d outlived its group", pid)
}

func TestWorkingIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pids, known := proc.WorkingIn(dir)
	if !known {
		t.Skip("this system does not tell")
	}
	if len(pids) != 0 {
		t.Errorf("nobody works in a fresh folder, but %v", pids)
	}
	c := self(t, "stubborn-tree")
	cmd := exec.Command(c.Name)
	cmd.Env, cmd.Dir = c.Env, dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = bufio.NewReader(out).ReadString('\n')
	if pids, _ := proc.WorkingIn(dir); !slices.Contains(pids, cmd.Process.Pid) {
		t.Errorf("%d is missing in %v", cmd.Process.Pid, pids)
	}
	if err := proc.KillTree(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}
