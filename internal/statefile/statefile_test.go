package statefile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWriteAtomicErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := WriteAtomic(filepath.Join(dir, "absent", "f"), []byte("x"), 0o600)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "write ") {
		t.Fatalf("missing folder: %v", err)
	}
	// A folder in the way: the rename fails and the temporary file goes.
	if err := os.Mkdir(filepath.Join(dir, "f"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(filepath.Join(dir, "f"), []byte("x"), 0o600); err == nil {
		t.Fatal("replaced a folder")
	}
	assertNoTemp(t, dir)
}

func assertNoTemp(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if IsTemp(e.Name()) {
			t.Fatalf("temporary file %s left behind", e.Name())
		}
	}
}

// mount gives a small file system of its own, which only root on Linux can.
func mount(t *testing.T, options string) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux for a mount of its own")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := mount(t, "size=64k")
	path := filepath.Join(dir, "state.json")
	if err := WriteAtomic(path, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(path, make([]byte, 1<<20), 0o600); !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("full disk: %v", err)
	}
	assertNoTemp(t, dir)
	if got, err := os.ReadFile(path); err != nil || string(got) != "small" {
		t.Fatalf("after a full disk: %q, %v", got, err)
	}
	log := filepath.Join(dir, "log")
	if err := AppendLine(log, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := AppendLine(log, []byte(strings.Repeat("x", 1<<20))); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("append to a full disk: %v", err)
	}
	if got, err := os.ReadFile(log); err != nil || string(got) != "one\n" {
		t.Fatalf("after a full disk: %d bytes, %v", len(got), err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := mount(t, "size=64k")
	path := filepath.Join(dir, "state.json")
	if err := WriteAtomic(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("remount: %v: %s", err, out)
	}
	for what, err := range map[string]error{
		"write":  WriteAtomic(path, []byte("new"), 0o600),
		"append": AppendLine(filepath.Join(dir, "log"), []byte("x")),
		"lock":   lockErr(filepath.Join(dir, "lock")),
	} {
		if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "make "+dir+" writable") {
			t.Errorf("%s on a read-only folder: %v", what, err)
		}
	}
}

func lockErr(path string) error {
	_, _, err := TryLock(path)
	return err
}

func TestReadLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if lines, next, err := ReadLines(path, 7); err != nil || lines != nil || next != 0 {
		t.Fatalf("missing file: %q %d %v", lines, next, err)
	}
	if err := os.WriteFile(path, []byte("one\n\ntwo\nto"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, next, err := ReadLines(path, 0)
	if err != nil || len(lines) != 3 || string(lines[2]) != "two" || next != 9 {
		t.Fatalf("lines %q next %d err %v", lines, next, err)
	}
	if lines, again, err := ReadLines(path, next); err != nil || lines != nil || again != next {
		t.Fatalf("a torn line was read: %q %d %v", lines, again, err)
	}
	if err := AppendLine(path, []byte("three")); err != nil {
		t.Fatal(err)
	}
	lines, _, err = ReadLines(path, next)
	if err != nil || len(lines) != 2 || string(lines[0]) != "to" || string(lines[1]) != "three" {
		t.Fatalf("after the repair: %q %v", lines, err)
	}
	if lines, _, err := ReadLines(path, 1<<20); err != nil || len(lines) != 5 {
		t.Fatalf("a replaced file is read from its start: %q %v", lines, err)
	}
	if err := AppendLine(path, []byte("a\nb")); err == nil {
		t.Fatal("a line with a newline was taken")
	}
}

func TestLockExcludes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := TryLock(path); err != nil || ok {
		t.Fatalf("locked twice: %v %v", ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("wait for a held lock: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		l, err := Lock(t.Context(), path)
		if err == nil {
			err = l.Unlock()
		}
		got <- err
	}()
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := first.Unlock(); err != nil {
		t.Fatalf("second unlock: %v", err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the lock file went: %v", err)
	}
}

// TestLockDiesWithItsProcess has a child take the lock and die.
func TestLockDiesWithItsProcess(t *testing.T) {
	if path := os.Getenv("STATEFILE_TEST_LOCK"); path != "" {
		if _, ok, err := TryLock(path); err != nil || !ok {
			os.Exit(3)
		}
		os.Exit(7) // without Unlock
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockDiesWithItsProcess$")
	child.Env = append(os.Environ(), "STATEFILE_TEST_LOCK="+path)
	var exit *exec.ExitError
	if err := child.Run(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("child: %v", err)
	}
	l, ok, err := TryLock(path)
	if err != nil || !ok {
		t.Fatalf("the lock outlived its process: %v %v", ok, err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestIsTemp(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{".a.json.tmp-123": true, "a.json": false, "a.tmp-1": false, ".hidden": false} {
		if IsTemp(name) != want {
			t.Errorf("IsTemp(%q) = %v", name, !want)
		}
	}
}

func TestNewerVersionErrorNamesTheVersion(t *testing.T) {
	t.Parallel()
	err := &NewerVersionError{Path: "board.json", Version: 4, Known: 1}
	if want := "board.json is format version 4, this dispatcher reads up to 1; use a newer dispatcher"; err.Error() != want {
		t.Fatalf("%q", err)
	}
}
