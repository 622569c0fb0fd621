package logkey_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/internal/logkey"
)

func open(t *testing.T, path string, level slog.Level) *logkey.Handler {
	t.Helper()
	h, err := logkey.New(path, level)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func lines(t *testing.T, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var m map[string]any
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		out = append(out, m)
	}
	return out
}

func TestHandlerWritesJSONLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "log.jsonl")
	log := slog.New(open(t, path, slog.LevelInfo)).With(logkey.Run, "r1").WithGroup("g")
	log.Debug("Dropped")
	log.Info("Worker ended", logkey.Ref, "DSP-3", logkey.Err, errors.New("two\nlines \x1b[31m"))
	got := lines(t, path)
	if len(got) != 1 {
		t.Fatalf("%d lines, want 1", len(got))
	}
	group, _ := got[0]["g"].(map[string]any)
	if got[0]["msg"] != "Worker ended" || got[0]["run"] != "r1" || group["ref"] != "DSP-3" || group["err"] != "two\nlines \x1b[31m" {
		t.Errorf("record = %v", got[0])
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(raw, '\x1b') {
		t.Error("a control character reached the file")
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
}

func TestHandlerHidesSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log := slog.New(open(t, path, slog.LevelDebug))
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEdeadbeef\n-----END RSA PRIVATE KEY-----"
	secrets := []string{
		"lin_api_0deadbeef", "ghs_0deadbeef0deadbeef", "github_pat_0deadbeef", "sk-ant-0deadbeef",
		"eyJhbdeadbeef.eyJpdeadbeef.c2lndeadbeef", "Bearer 0deadbeef0deadbeef", key, key[:50], "https://me:deadbeef@example.invalid/x",
	}
	for i, s := range secrets {
		log.Info("Said "+s, "text", "before "+s+" after", "n", i)
		log.Info("Error", logkey.Err, fmt.Errorf("push: %s: denied", s))
		log.Info("List", logkey.Args, []string{"--x", s})
		log.With(logkey.Path, s).Info("With")
	}
	log.Info("By name", "app-token", "deadbeef", "Authorization", "deadbeef", "githubApiKey", "deadbeef",
		slog.Group("g", "password", "deadbeef"))
	log.Info("Kept", logkey.Session, "0f8fad5b-d9cb-469f-a165-70867728950e", logkey.Head, "0123456789abcdef0123456789abcdef01234567",
		logkey.Branch, "task/dsp-3-task-switching", logkey.Reason, "basic formatting", logkey.URL, "https://example.invalid/a:b@c")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if strings.Contains(line, "deadbeef") {
			t.Errorf("a secret was written: %s", line)
		}
	}
	if last := lines(t, path); strings.Contains(fmt.Sprint(last[len(last)-1]), logkey.Hidden) {
		t.Errorf("a harmless value was hidden: %v", last[len(last)-1])
	}
}

func TestHandlerSharesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	var wg sync.WaitGroup
	for range 4 {
		log := slog.New(open(t, path, slog.LevelInfo))
		wg.Go(func() {
			for i := range 25 {
				log.Info("Long "+strings.Repeat("x", 3000), logkey.Count, i)
			}
		})
	}
	wg.Wait()
	if got := len(lines(t, path)); got != 100 {
		t.Errorf("%d whole lines, want 100", got)
	}
}

func TestHandlerSetsAFullLogAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 16<<20); err != nil {
		t.Fatal(err)
	}
	open(t, path, slog.LevelInfo)
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("new log: %v, %v", info, err)
	}
	if info, err := os.Stat(path + ".1"); err != nil || info.Size() != 16<<20 {
		t.Errorf("old log: %v, %v", info, err)
	}
}

func TestNewSaysWhereItFailed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "log"), t.TempDir()} {
		if _, err := logkey.New(path, slog.LevelInfo); err == nil || !strings.Contains(err.Error(), "open the log") {
			t.Errorf("New(%s) = %v", path, err)
		}
	}
}

func TestCloseTwiceFails(t *testing.T) {
	t.Parallel()
	h, err := logkey.New(filepath.Join(t.TempDir(), "log"), slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := h.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second close = %v", err)
	}
}
