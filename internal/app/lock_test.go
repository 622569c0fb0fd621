package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
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
