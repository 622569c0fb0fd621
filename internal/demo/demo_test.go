package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/demo"
	"github.com/backside4charter/dispatcher/internal/git"
)

// fakeBoard answers like the command line where a test is not about the board.
func fakeBoard() demo.Runner {
	n := 0
	return func(_ context.Context, _ string, args ...string) (string, error) {
		if strings.Join(args[:2], " ") == "board create" {
			n++
			return fmt.Sprintf("DSP-%d\n", n), nil
		}
		if args[0] == "pr" {
			return "#1\n", nil
		}
		return "[]", nil
	}
}

func prepare(t *testing.T, dir string, fast bool) (demo.Demo, error) {
	t.Helper()
	return demo.Prepare(t.Context(), demo.Options{Dir: dir, Fast: fast, Environ: os.Environ(), Run: fakeBoard()})
}

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = git.CleanEnv(os.Environ())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestPrepareMakesARealRepository(t *testing.T) {
	t.Parallel()
	d, err := prepare(t, filepath.Join(t.TempDir(), "new", "demo"), true)
	if err != nil {
		t.Fatal(err)
	}
	if got := gitOut(t, d.Repo, "status", "--porcelain"); got != "" {
		t.Errorf("the main checkout is dirty: %s", got)
	}
	if got := gitOut(t, d.Repo, "symbolic-ref", "refs/remotes/origin/HEAD"); got != "refs/remotes/origin/main" {
		t.Errorf("origin/HEAD is %s", got)
	}
	if a, b := gitOut(t, d.Repo, "rev-parse", "main"), gitOut(t, d.Remote, "rev-parse", "main"); a != b {
		t.Errorf("the remote has %s, the checkout %s", b, a)
	}
	authors := strings.Fields(strings.ReplaceAll(gitOut(t, d.Repo, "log", "--format=%an"), " ", "_"))
	if len(authors) < 5 || len(unique(authors)) < 3 {
		t.Errorf("authors %v", authors)
	}
	// The checks hold on the sample itself.
	for _, check := range checks(t, d) {
		cmd := exec.Command(check[0], check[1:]...)
		cmd.Dir = d.Repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}
}

func checks(t *testing.T, d demo.Demo) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.Repo, "dispatcher.config.json"))
	if err != nil {
		t.Fatal(err)
	}
	var conf struct {
		Pulls struct {
			Checks []struct{ Command []string }
		}
	}
	if err := json.Unmarshal(data, &conf); err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, c := range conf.Pulls.Checks {
		out = append(out, c.Command)
	}
	return out
}

func unique(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

func TestPrepareGoesOnInItsOwnFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := prepare(t, dir, false)
	if err != nil || first.Continued {
		t.Fatalf("%v, continued %v", err, first.Continued)
	}
	kept := filepath.Join(first.Repo, "kept.txt")
	if err := os.WriteFile(kept, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	slow, err := os.ReadFile(filepath.Join(dir, "agents.json"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := prepare(t, dir, true)
	if err != nil || !again.Continued {
		t.Fatalf("%v, continued %v", err, again.Continued)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("what was in the folder is gone")
	}
	fast, err := os.ReadFile(filepath.Join(dir, "agents.json"))
	if err != nil || bytes.Equal(slow, fast) {
		t.Errorf("--fast has no effect on an earlier demo: %v", err)
	}
}

func TestPrepareRefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"notes.txt": "mine",
		"demo.json": `{"some":"thing else"}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := prepare(t, dir, true); !errors.Is(err, demo.ErrTaken) || !strings.Contains(err.Error(), "--dir") {
			t.Errorf("%s: %v", name, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: the folder was touched: %v", name, entries)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "demo.json"), []byte(`{"dispatcherDemo":99,"ready":true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(t, dir, true); err == nil || !strings.Contains(err.Error(), "newer dispatcher") {
		t.Errorf("newer: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(t, file, true); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestPrepareMakesAnewWhatWasLeftHalfMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := errors.New("killed")
	_, err := demo.Prepare(t.Context(), demo.Options{Dir: dir, Environ: os.Environ(), Run: func(context.Context, string, ...string) (string, error) {
		return "", broken
	}})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	d, err := prepare(t, dir, true)
	if err != nil || d.Continued {
		t.Fatalf("%v, continued %v", err, d.Continued)
	}
	if got := gitOut(t, d.Repo, "rev-list", "--count", "main"); got != "7" {
		t.Errorf("%s commits", got)
	}
}

func TestPrepareNeedsGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := demo.Prepare(t.Context(), demo.Options{Dir: dir, Environ: []string{"PATH=" + t.TempDir()}, Run: fakeBoard()})
	if !errors.Is(err, git.ErrMissing) {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder was touched: %v", entries)
	}
}

// Whatever one person has configured for git changes nothing.
func TestPrepareIgnoresThePersonsGit(t *testing.T) {
	t.Parallel()
	conf := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(conf, []byte("[commit]\n\tgpgSign = true\n[init]\n\tdefaultBranch = trunk\n[core]\n\thooksPath = /nowhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL="+conf, "GIT_DIR=/nowhere")
	d, err := demo.Prepare(t.Context(), demo.Options{Dir: t.TempDir(), Environ: env, Run: fakeBoard()})
	if err != nil {
		t.Fatal(err)
	}
	if got := gitOut(t, d.Repo, "branch", "--show-current"); got != "main" {
		t.Errorf("branch %s", got)
	}
}

func TestOwnerPart(t *testing.T) {
	t.Parallel()
	run := func(_ context.Context, _ string, args ...string) (string, error) {
		if args[0] == "board" {
			return `[{"ref":"DSP-1","role":"humanReview","claim":null,"waits":"x"},{"ref":"DSP-2","role":"question","claim":null,"waits":"x"},{"ref":"DSP-3","role":"humanReview","claim":null,"waits":"x"},
				{"ref":"DSP-4","role":"ready","blockers":["DSP-1"],"claim":null,"waits":"x"},{"ref":"DSP-5","role":"ready","labels":["confirm with user"],"claim":null,"waits":"x"},
				{"ref":"DSP-6","role":"inProgress","claim":null,"waits":"x"},{"ref":"DSP-7","role":"backlog","claim":null,"waits":"x"}]`, nil
		}
		return `[{"number":1,"state":"open","issues":["DSP-1"]},{"number":2,"state":"open","issues":["DSP-3"]}]`, nil
	}
	d := demo.WithRunner(run)
	got, err := demo.Owner(t.Context(), d, "/d/bin/dispatcher")
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, want := range []string{
		"dispatcher pulls merge 1", "board answer DSP-2 --body '", "pulls request-changes 2 --body '",
		"board label DSP-5 remove 'Confirm with user'", "board state DSP-6 ready", "board state DSP-7 ready",
		"start demo --no-tui --until-idle", "pulls merge 2", "pulls merge 3", "pulls merge 7\n", "start demo --no-tui --until-idle",
	} {
		next := strings.Index(got[at+1:], want)
		if next < 0 {
			t.Fatalf("%q is missing, or in the wrong place, in\n%s", want, got)
		}
		at += 1 + next
	}
	if strings.Contains(got, "merge 8") {
		t.Errorf("too many pull requests:\n%s", got)
	}
	busy, err := demo.Owner(t.Context(), demo.WithRunner(func(_ context.Context, _ string, args ...string) (string, error) {
		if args[0] == "board" {
			return `[{"ref":"DSP-1","role":"inProgress","claim":{"kind":"developer"},"waits":"being worked"}]`, nil
		}
		return "[]", nil
	}), "d")
	if err != nil || strings.Contains(busy, "board state") || !strings.Contains(busy, "d start demo") {
		t.Errorf("%v\n%s", err, busy)
	}
	done, err := demo.Owner(t.Context(), demo.WithRunner(func(context.Context, string, ...string) (string, error) { return "[]", nil }), "d")
	if err != nil || strings.Contains(done, "merge") || !strings.Contains(done, "Every issue is done") {
		t.Errorf("%v\n%s", err, done)
	}
}
