//go:build unix

package workers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// keptRuns prepares runs that ended some days ago and answers what is left of
// them after a pruning.
func keptRuns(t *testing.T, days map[string]int, size int, more func(runs string), r workers.Retention) (left []string) {
	t.Helper()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	runs := t.TempDir()
	l := workers.NewLauncher(workers.Options{Runs: runs, Binary: os.Args[0], Agent: agents, Now: func() time.Time { return now }})
	for run, ago := range days {
		f := workers.OpenFolder(filepath.Join(runs, run))
		if err := os.Mkdir(f.Dir(), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, f.TranscriptPath(), make([]byte, size))
		if err := f.WriteExit(workers.Exit{Ended: now.AddDate(0, 0, -ago)}); err != nil {
			t.Fatal(err)
		}
	}
	more(runs)
	if r.Needed == nil {
		r.Needed = func(string) bool { return false }
	}
	if _, err := l.PruneRuns(t.Context(), r); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(runs)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return left
}

func TestPruneRuns(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	days := map[string]int{"d00": 0, "d10": 10, "d40": 40, "d50": 50, "d95": 95}
	none := func(string) {}
	tests := []struct {
		name string
		r    workers.Retention
		want string
	}{
		{"young enough", workers.Retention{Keep: 100 * day}, "d00 d10 d40 d50 d95"},
		{"by age", workers.Retention{Keep: 45 * day}, "d00 d10 d40"},
		{"no limit", workers.Retention{}, "d00 d10 d40 d50 d95"},
		{"by size, the oldest first", workers.Retention{MaxBytes: 31_000}, "d00 d10 d40"},
		{"by both", workers.Retention{Keep: 45 * day, MaxBytes: 21_000}, "d00 d10"},
		{"what is needed stays", workers.Retention{Keep: 5 * day, MaxBytes: 1, Needed: func(run string) bool { return run == "d95" || run == "d10" }}, "d10 d95"},
	}
	for _, tt := range tests {
		if got := strings.Join(keptRuns(t, days, 10_000, none, tt.r), " "); got != tt.want {
			t.Errorf("%s: left %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What lives, or may yet live, is no old run, and what an earlier pruning left
// half done is finished.
func TestPruneRunsKeepsWhatLives(t *testing.T) {
	t.Parallel()
	boot := proc.BootID()
	me := fmt.Sprintf(`{"version":1,"pid":%d,"agentPid":999999998,"boot":%q}`, os.Getpid(), boot)
	orphan := fmt.Sprintf(`{"version":1,"pid":999999999,"agentPid":%d,"boot":%q}`, os.Getpid(), boot)
	more := func(runs string) {
		for name, file := range map[string][2]string{
			"alive":        {"supervisor.json", me},
			"orphan":       {"supervisor.json", orphan},
			"unfenced":     {"spec.json", "{}"},
			"unreadable":   {"exit.json", "{"},
			"dead":         {"supervisor.json", `{"version":1,"pid":999999999,"agentPid":999999998,"boot":"another"}`},
			"fenced":       {"forbidden", ""},
			".going-older": {"transcript.jsonl", "x"},
			".hidden":      {"file", "x"},
		} {
			dir := filepath.Join(runs, name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, file[0]), []byte(file[1]))
			if err := os.Chtimes(dir, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := keptRuns(t, map[string]int{"old": 400}, 10, more, workers.Retention{Keep: time.Hour})
	if want := []string{".hidden", "alive", "orphan", "unfenced", "unreadable"}; !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
}

// One run that cannot be removed does not keep those behind it.
func TestPruneRunsGoesOn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	runs := t.TempDir()
	l := workers.NewLauncher(workers.Options{Runs: runs, Binary: os.Args[0], Agent: agents, Now: func() time.Time { return now }})
	for run, ago := range map[string]int{"d95": 95, "d90": 90, "d1": 1} {
		f := workers.OpenFolder(filepath.Join(runs, run))
		if err := os.Mkdir(f.Dir(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := f.WriteExit(workers.Exit{Ended: now.AddDate(0, 0, -ago)}); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := l.PruneRuns(t.Context(), workers.Retention{Keep: 30 * 24 * time.Hour, Needed: func(run string) bool {
		if run == "d95" { // a file where its folder is to go
			put(t, filepath.Join(runs, ".going-d95"), nil)
		}
		return false
	}})
	if err == nil || !strings.Contains(err.Error(), "d95") {
		t.Errorf("err = %v", err)
	}
	if len(gone) != 1 || gone[0].Run != "d90" {
		t.Errorf("removed %v", gone)
	}
}
