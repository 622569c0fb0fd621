package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWorkerOfARunThatIsOver: a process that outlived its run writes nothing
// any more; a hook, which runs after the end, and an owner who goes on in the
// session by hand do.
func TestWorkerOfARunThatIsOver(t *testing.T) {
	t.Parallel()
	ended := func(t *testing.T, f workers.Folder) {
		t.Helper()
		if err := f.WriteExit(workers.Exit{Ended: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		made func(t *testing.T, f workers.Folder)
		hook bool
		over bool
	}{
		{"it runs", func(*testing.T, workers.Folder) {}, false, false},
		{"it has ended", ended, false, true},
		{"it was given back", func(t *testing.T, f workers.Folder) {
			t.Helper()
			if err := f.Forbid(); err != nil {
				t.Fatal(err)
			}
		}, false, true},
		{"a hook after the end", ended, true, false},
		{"taken over by its owner", func(t *testing.T, f workers.Folder) {
			t.Helper()
			ended(t, f)
			write(t, filepath.Join(f.Dir(), "taken.json"), `{"version": 1, "pid": 1, "start": "1", "boot": "b", "at": "2026-11-30T11:07:00Z"}`)
		}, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			folder := filepath.Join(dir, "runs", "r1")
			write(t, filepath.Join(folder, "spec.json"), "{}")
			c.made(t, workers.OpenFolder(folder))
			env := map[string]string{"DISPATCHER_WORKER": "developer", "DISPATCHER_REF": "DSP-1", "DISPATCHER_RUN": "r1", "DISPATCHER_EPOCH": "7"}
			if !c.hook {
				env["DISPATCHER_STATE_DIR"] = dir
			}
			f := &Factory{Getenv: func(name string) string { return env[name] }}
			f.supervisedWorker = func() (board.Actor, bool) { return board.Actor{}, false }
			if _, err := f.Actor(); errors.Is(err, board.ErrClaimConflict) != c.over || !c.over && err != nil {
				t.Errorf("err = %v", err)
			}
		})
	}
}
