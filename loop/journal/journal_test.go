package journal_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/state"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir, host string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(dir, host)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// run has a value in every field.
func run(id string) state.Run {
	return state.Run{
		ID: id, Ref: "DSP-1", Kind: board.KindDeveloper, Session: "s-" + id, Attempt: 2, Resume: true, Phase: state.PhaseVerifying,
		Title: "A title \u202e with <odd> text", Milestone: "m1", PriorRole: board.RoleReady, PriorDelegate: board.DelegateDeveloper,
		Epoch: 7, Agent: "developer", Branch: "task/dsp-1-a", Worktree: "/w", PR: "#3", Head: "aa", Base: "bb", Carried: []string{"v1"}, Fresh: true,
		ClaimedAt: noon, StampedAt: noon.Add(1), StartedAt: noon.Add(2), EndedAt: noon.Add(3), VerifyingSince: noon.Add(4), NotBefore: noon.Add(5),
		Failure: "exit status 1",
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip: what is saved is read back by the next life, whole.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "state")
	j := open(t, dir, "here")
	if runs, err := j.Runs(); err != nil || len(runs) != 0 {
		t.Fatalf("a new folder holds %v, %v", runs, err)
	}
	if r, err := j.Runtime(); err != nil || r.Firing != 0 || r.Desired != "" {
		t.Fatalf("a new folder holds %+v, %v", r, err)
	}
	want := []state.Run{run("r1"), run("r2")}
	if err := j.SaveRuns(want); err != nil {
		t.Fatal(err)
	}
	wantRuntime := journal.Runtime{Desired: "paused", Firing: 12, At: noon, PID: 4711, Waits: map[string]string{"DSP-2": "blocked by DSP-1"}}
	if err := j.SaveRuntime(wantRuntime); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, "here")
	got, err := again.Runs()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v (-saved +read)\n%s", err, diff)
	}
	runtime, err := again.Runtime()
	wantRuntime.Version = runtime.Version
	if diff := cmp.Diff(wantRuntime, runtime); err != nil || diff != "" || runtime.Version != 1 {
		t.Fatalf("%v (-saved +read)\n%s", err, diff)
	}
	if err := again.SaveRuns(nil); err != nil {
		t.Fatal(err)
	}
	if got, err := again.Runs(); err != nil || len(got) != 0 {
		t.Fatalf("after the last run was dropped: %v, %v", got, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "claims.json"))
	if err != nil || !strings.Contains(string(data), `"runs": []`) {
		t.Fatalf("the file reads %s, %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "claims.json")); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Fatalf("others may read it: %v, %v", info, err)
	}
	if again.Dir() != dir {
		t.Errorf("it lies in %s", again.Dir())
	}
}

// TestEveryFieldOfARunIsKept under the name that other programs read it by.
func TestEveryFieldOfARunIsKept(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(run("r1"))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "ref", "kind", "session", "attempt", "phase", "priorRole", "priorDelegate", "epoch", "agent", "branch", "worktree", "pr", "head", "carried", "claimedAt", "verifyingSince", "notBefore", "failure"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("a run is written without %q", name)
		}
	}
}

// TestNewerVersion: a file of a newer program is refused with its version
// named, and never touched.
func TestNewerVersion(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"same shape":      `{"version": 2, "host": "here", "runs": [], "desired": "running"}`,
		"another shape":   `{"version": 2, "host": {"name": "here"}, "runs": {"r1": {}}, "desired": 1, "firing": "x"}`,
		"unknown entries": `{"version": 7, "shards": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := open(t, dir, "here")
			claims, runtime := filepath.Join(dir, "claims.json"), filepath.Join(dir, "runtime.json")
			write(t, claims, text)
			write(t, runtime, text)
			_, err := j.Runs()
			wantNewer(t, claims, text, err)
			_, err = j.Runtime()
			wantNewer(t, runtime, text, err)
		})
	}
}

func wantNewer(t *testing.T, path, text string, err error) {
	t.Helper()
	var newer *statefile.NewerVersionError
	if !errors.As(err, &newer) || newer.Version < 2 || newer.Known != 1 || !strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("%s: %v", filepath.Base(path), err)
	}
	if now, rerr := os.ReadFile(path); rerr != nil || string(now) != text {
		t.Errorf("%s was touched: %s, %v", filepath.Base(path), now, rerr)
	}
}

// TestBrokenFile: what cannot be read is kept aside under a free name, and the
// program goes on with nothing.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":      "",
		"cut":        `{"version": 1, "host": "here", "runs": [{"id": "r1"`,
		"not ours":   "hello",
		"null":       "null",
		"no version": `{"runs": [{"id": "r1"}], "desired": "paused"}`,
		"nonsense":   `{"version": 1, "host": 5, "runs": 7, "firing": "x", "desired": "paused"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := open(t, dir, "here")
			claims, runtime := filepath.Join(dir, "claims.json"), filepath.Join(dir, "runtime.json")
			for n := 1; n <= 2; n++ {
				write(t, claims, text)
				runs, err := j.Runs()
				wantAside(t, claims, text, n, err)
				if len(runs) != 0 {
					t.Errorf("read %v from it", runs)
				}
				write(t, runtime, text)
				r, err := j.Runtime()
				wantAside(t, runtime, text, n, err)
				if diff := cmp.Diff(journal.Runtime{}, r); diff != "" {
					t.Errorf("read from it: %s", diff)
				}
			}
			if err := j.SaveRuns([]state.Run{run("r2")}); err != nil {
				t.Fatal(err)
			}
			if runs, err := j.Runs(); err != nil || len(runs) != 1 {
				t.Fatalf("it does not go on: %v, %v", runs, err)
			}
		})
	}
}

func wantAside(t *testing.T, path, text string, n int, err error) {
	t.Helper()
	var aside *journal.AsideError
	if !errors.As(err, &aside) || aside.Path != path || aside.Err == nil || errors.Unwrap(aside) == nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	if kept, rerr := os.ReadFile(aside.Kept); rerr != nil || string(kept) != text || !strings.HasSuffix(aside.Kept, []string{"", ".broken-1", ".broken-2"}[n]) {
		t.Errorf("kept as %s: %q, %v", aside.Kept, kept, rerr)
	}
	if !strings.Contains(err.Error(), aside.Kept) {
		t.Errorf("the message does not say where it is kept: %v", err)
	}
}

// TestOtherHost: claims journalled on another machine are not ours (design.md,
// section 6).
func TestOtherHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, dir, "there").SaveRuns([]state.Run{run("r1")}); err != nil {
		t.Fatal(err)
	}
	here := open(t, dir, "here")
	if runs, err := here.Runs(); err != nil || len(runs) != 0 {
		t.Fatalf("another machine's runs are taken for ours: %v, %v", runs, err)
	}
	if runs, err := open(t, dir, "there").Runs(); err != nil || len(runs) != 1 {
		t.Fatalf("reading lost them: %v, %v", runs, err)
	}
}

// TestCosts: money counts once a run, on the UTC day on which it ended.
func TestCosts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, dir, "here")
	late := time.Date(2026, 8, 27, 23, 59, 59, 0, time.UTC)
	east := time.FixedZone("east", 9*3600)
	for _, c := range []journal.Cost{
		{At: noon, Run: "r1", Ref: "DSP-1", Kind: board.KindDeveloper, USD: 1.5, Tokens: 10},
		{At: noon.Add(time.Minute), Run: "r1", Ref: "DSP-1", USD: 1.5}, // a settlement carried out twice
		{At: late, Run: "r2", Ref: "DSP-1", USD: 2},
		{At: late.Add(time.Second), Run: "r3", Ref: "DSP-2", USD: 4},
		{At: time.Date(2026, 8, 28, 8, 0, 0, 0, east), Run: "r4", Ref: "DSP-2", USD: 8}, // still the 27th in UTC
	} {
		if err := j.AddCost(c); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, "costs.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("nonsense\n{\"run\": \"r9\", \"usd\": 100, \"at\""); err != nil { // the last line is torn
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[time.Time]float64{
		noon: 11.5, noon.AddDate(0, 0, 1): 4, noon.AddDate(0, 0, -1): 0,
		time.Date(2026, 8, 28, 1, 0, 0, 0, east): 11.5,
	} {
		if got, err := j.CostOn(day); err != nil || got != want {
			t.Errorf("on %s: %v, %v; want %v", day, got, err, want)
		}
	}
	if err := j.AddCost(journal.Cost{At: noon, Run: "r5", USD: 16}); err != nil {
		t.Fatal(err)
	}
	if got, err := j.CostOn(noon); err != nil || got != 27.5 {
		t.Errorf("after a torn line: %v, %v", got, err)
	}
	if got, err := open(t, t.TempDir(), "here").CostOn(noon); err != nil || got != 0 {
		t.Errorf("nothing spent: %v, %v", got, err)
	}
}

// TestFolderThatCannotBe: the error says what was tried.
func TestFolderThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := journal.Open(filepath.Join(file, "state"), "here"); err == nil || !strings.Contains(err.Error(), "state folder") {
		t.Fatalf("opened below a file: %v", err)
	}
	dir := t.TempDir()
	j := open(t, dir, "here")
	if err := os.Mkdir(filepath.Join(dir, "claims.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Runs(); err == nil {
		t.Error("a folder in the place of the journal is read as one")
	}
	if err := j.SaveRuns(nil); err == nil {
		t.Error("a journal that was not written is reported as saved")
	}
}
