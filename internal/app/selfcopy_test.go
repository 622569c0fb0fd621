package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// program writes an executable's stand-in.
func program(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prog")
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func copySelf(t *testing.T, state, exe string) string {
	t.Helper()
	dest, err := CopySelf(state, exe)
	if err != nil {
		t.Fatal(err)
	}
	return dest
}

func TestCopySelf(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	one := copySelf(t, state, program(t, "version one"))
	data, err := os.ReadFile(one)
	if err != nil || !bytes.Equal(data, []byte("version one")) {
		t.Fatalf("%q, %v", data, err)
	}
	info, err := os.Stat(one)
	if err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	before := info.ModTime()
	if again := copySelf(t, state, one); again != one {
		t.Errorf("a copy of the copy: %s", again)
	}
	if info, err = os.Stat(one); err != nil || !info.ModTime().Equal(before) {
		t.Errorf("a copy that was there was written again (%v)", err)
	}
	if two := copySelf(t, state, program(t, "version two")); two == one {
		t.Error("two versions share a path")
	}
	if _, err := os.Stat(one); err != nil {
		t.Errorf("a copy used today is gone: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(state, "bin", "*", ".copy-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := CopySelf(state, filepath.Join(state, "gone")); err == nil {
		t.Error("copied what is not there")
	}
}

func TestCopySelfReplacesATornCopy(t *testing.T) {
	t.Parallel()
	state, exe := t.TempDir(), program(t, "whole program")
	dest := copySelf(t, state, exe)
	if err := os.WriteFile(dest, []byte("who"), 0o700); err != nil {
		t.Fatal(err)
	}
	copySelf(t, state, exe)
	if data, err := os.ReadFile(dest); err != nil || string(data) != "whole program" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestOldCopiesGoWhenNoRunLives(t *testing.T) {
	t.Parallel()
	me := os.Getpid()
	start, err := proc.StartTime(me)
	if err != nil {
		t.Fatal(err)
	}
	living := workers.Supervisor{Version: 1, PID: me, Start: start, Boot: proc.BootID()}
	dead := living
	dead.Start = "long ago"
	tests := []struct {
		name  string
		files map[string]any // of one run
		kept  bool
	}{
		{"no run", nil, false},
		{"a run that lives", map[string]any{"supervisor.json": living}, true},
		{"a run whose supervisor is dead", map[string]any{"supervisor.json": dead}, false},
		{"a run that has ended", map[string]any{"supervisor.json": living, "exit.json": workers.Exit{Version: 1}}, false},
		{"a run that was given back", map[string]any{"forbidden": "x"}, false},
		{"a run that is about to start", map[string]any{"spec.json": workers.Spec{Version: 1}}, true},
		{"a run of a newer version", map[string]any{"supervisor.json": workers.Supervisor{Version: 99}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			old := copySelf(t, state, program(t, "old"))
			ago := time.Now().Add(-48 * time.Hour)
			if err := os.Chtimes(filepath.Dir(old), ago, ago); err != nil {
				t.Fatal(err)
			}
			run := filepath.Join(state, "runs", "r1")
			if tt.files != nil {
				if err := os.MkdirAll(run, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for name, v := range tt.files {
				data, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(run, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			now := copySelf(t, state, program(t, "new"))
			if _, err := os.Stat(now); err != nil {
				t.Errorf("the new copy: %v", err)
			}
			if _, err := os.Stat(old); (err == nil) != tt.kept {
				t.Errorf("old copy kept: %v, want %v", err == nil, tt.kept)
			}
		})
	}
}
