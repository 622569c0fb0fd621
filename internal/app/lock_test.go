package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// A checkout that is removed, or removed and made anew, under a living loop is
// no longer that loop's: a second one could run beside it.
func TestLoopLock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, common string)
		gone      bool
	}{
		"undisturbed": {func(*testing.T, string) {}, false},
		"removed": {func(t *testing.T, common string) {
			t.Helper()
			if err := os.RemoveAll(common); err != nil {
				t.Fatal(err)
			}
		}, true},
		"made anew": {func(t *testing.T, common string) {
			t.Helper()
			if err := os.Rename(filepath.Join(common, lockName), filepath.Join(common, "old")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(common, lockName), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := filepath.Join(t.TempDir(), "git")
			if err := os.MkdirAll(common, 0o700); err != nil {
				t.Fatal(err)
			}
			f := &Factory{Now: time.Now}
			l, err := f.lockLoop(t.Context(), common, "/repo", "/state", false)
			if err != nil {
				t.Fatal(err)
			}
			defer l.release()
			_, err = f.lockLoop(t.Context(), common, "/repo", "/state", false)
			var second *SecondLoopError
			if !errors.As(err, &second) || second.PID != os.Getpid() {
				t.Errorf("a second loop got %v", err)
			}
			c.meanwhile(t, common)
			if err := l.check(); errors.Is(err, ErrLockGone) != c.gone {
				t.Errorf("the lock says %v, want gone: %v", err, c.gone)
			}
		})
	}
}

// Between a loop that hands over and its heir nobody gets in: the heir waits at
// a door of its own, and whoever comes meanwhile is refused.
func TestHeirLock(t *testing.T) {
	t.Parallel()
	common := t.TempDir()
	f := &Factory{Now: time.Now}
	l, err := f.lockLoop(t.Context(), common, "/repo", "/state", false)
	if err != nil {
		t.Fatal(err)
	}
	type got struct {
		lock *loopLock
		err  error
	}
	heir, ended := make(chan got, 1), make(chan error, 1)
	go func() {
		h, err := f.lockLoop(t.Context(), common, "/repo", "/state", true)
		if err != nil {
			ended <- err
		}
		heir <- got{h, err}
	}()
	if err := untilHeir(t.Context(), l.heirPath(), ended); err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		var second *SecondLoopError
		if _, err := f.lockLoop(t.Context(), common, "/repo", "/state", false); !errors.As(err, &second) {
			t.Errorf("%s, a second loop got %v", when, err)
		}
	}
	refused("while the heir waits")
	l.release()
	h := <-heir
	if h.err != nil {
		t.Fatalf("the heir got %v", h.err)
	}
	refused("once the heir has it")
	h.lock.release()
	again, err := f.lockLoop(t.Context(), common, "/repo", "/state", false)
	if err != nil {
		t.Fatalf("after the heir: %v", err)
	}
	again.release()
}

// TestLockOutlivesItsLoop: the lock of a loop that was killed may be held a
// moment longer by what it was just starting. Whoever starts then waits for it,
// and refuses only a loop that lives.
func TestLockOutlivesItsLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		common := t.TempDir()
		f := &Factory{Now: time.Now}
		left, ok, err := statefile.TryLock(filepath.Join(common, lockName))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		note := fmt.Sprintf(`{"pid":%d,"started":"2026-11-30T11:07:00Z"}`, deadPID(t))
		if err := os.WriteFile(filepath.Join(common, holderName), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() {
			l, err := f.lockLoop(t.Context(), common, "/repo", "/state", false)
			if err == nil {
				l.release()
			}
			got <- err
		}()
		synctest.Wait()
		if err := left.Unlock(); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Errorf("the loop after a dead one: %v", err)
		}

		// What holds it does not end: it is told after a while.
		if err := os.WriteFile(filepath.Join(common, holderName), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		stays, ok, err := statefile.TryLock(filepath.Join(common, lockName))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		defer func() { _ = stays.Unlock() }()
		var second *SecondLoopError
		if _, err := f.lockLoop(t.Context(), common, "/repo", "/state", false); !errors.As(err, &second) {
			t.Errorf("a lock that stays: %v", err)
		}
	})
}

// deadPID is the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$") //nolint:noctx // it ends at once
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
