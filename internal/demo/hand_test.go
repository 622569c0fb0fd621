package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/cli"
	"github.com/backside4charter/dispatcher/internal/demo"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/proc/proctest"
	"github.com/backside4charter/dispatcher/workers/report"
)

// The program under test, made once for all tests: what `go build` makes where
// everything is played, else this test binary, which is it too.
var (
	programDir string
	build      = sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp("", "demo-program")
		if err != nil {
			return "", err
		}
		programDir = dir
		path := filepath.Join(dir, "dispatcher")
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		if os.Getenv("DISPATCHER_E2E") != "1" {
			return path, proctest.CopySelf(path)
		}
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "../..").CombinedOutput(); err != nil {
			return "", fmt.Errorf("build the program: %w\n%s", err, out)
		}
		return path, nil
	})
)

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "dispatcher" {
		os.Exit(cli.Run(context.Background(), "dev", os.Args[1:]))
	}
	code := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(code)
}

// hand plays the loop's part by hand, so that the scripts are tried against
// the real command line without it.
type hand struct {
	t   *testing.T
	d   demo.Demo
	bin string // the program
	env []string

	onGitHub bool
}

// ref is what the demo's board calls an issue.
func (h *hand) ref(ref string) string {
	if h.onGitHub {
		return "#" + strings.TrimPrefix(ref, "DSP-")
	}
	return ref
}

// author is who the demo's developer is in git.
func (h *hand) author() string {
	if h.onGitHub {
		return "900001+demo-developer[bot]@users.noreply.github.com"
	}
	return "developer@demo.invalid"
}

// program is the path of the program.
func program(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// environ is a clean environment with the program on the PATH.
func environ(t *testing.T, binDir string) []string {
	t.Helper()
	env := slices.DeleteFunc(git.CleanEnv(os.Environ()), func(kv string) bool {
		return strings.HasPrefix(kv, "DISPATCHER_") || strings.HasPrefix(kv, "LINEAR_") || strings.HasPrefix(kv, "PATH=") || strings.HasPrefix(kv, "HOME=")
	})
	return append(env, "PATH="+binDir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir(), "NO_COLOR=1")
}

// made is a demo as Prepare makes it, made once and copied for each test.
var made struct {
	once sync.Once
	dir  string
	err  error
}

// heavy leaves a test to runs that ask for all of them: DISPATCHER_E2E is 1.
func heavy(t *testing.T) {
	t.Helper()
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it plays a whole life, and the step e2e of .ci/run does")
	}
}

func newHand(t *testing.T) *hand {
	t.Helper()
	bin := program(t)
	h := &hand{t: t, bin: bin, env: environ(t, filepath.Dir(bin))}
	made.once.Do(func() {
		made.dir = filepath.Join(programDir, "made")
		_, made.err = h.prepare(made.dir)
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(made.dir)); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.d, err = h.prepare(dir); err != nil || !h.d.Continued {
		t.Fatalf("the copy is not taken for a demo: %v", err)
	}
	gitOut(t, h.d.Repo, "remote", "set-url", "origin", h.d.Remote) // the one absolute path
	gitOut(t, h.d.Repo, "update-index", "-q", "--refresh")
	return h
}

func (h *hand) prepare(dir string) (demo.Demo, error) {
	return demo.Prepare(h.t.Context(), demo.Options{Dir: dir, Fast: true, Environ: h.env, Run: h.runner()})
}

// runner runs commands of ours for the demo.
func (h *hand) runner() demo.Runner {
	return func(_ context.Context, dir string, args ...string) (string, error) { return h.try(dir, nil, args...) }
}

// try runs a command of ours.
func (h *hand) try(dir string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Dir = dir
	cmd.Env = append(slices.Clone(h.env), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("dispatcher %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// owner runs a command of ours in the main checkout.
func (h *hand) owner(args ...string) string {
	h.t.Helper()
	out, err := h.try(h.d.Repo, nil, args...)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *hand) issue(ref string) board.Issue {
	h.t.Helper()
	var i board.Issue
	out := h.owner("board", "issue", h.ref(ref), "--comments", "100", "--json")
	if err := json.Unmarshal([]byte(out), &i); err != nil {
		h.t.Fatalf("%v in %s", err, out)
	}
	return i
}

func (h *hand) pulls() []board.PullRequest {
	h.t.Helper()
	var p []board.PullRequest
	if err := json.Unmarshal([]byte(h.owner("pulls", "list", "--all", "--json")), &p); err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *hand) pull(ref string) board.PullRequest {
	h.t.Helper()
	var found []board.PullRequest
	for _, p := range h.pulls() {
		if slices.Contains(p.Issues, board.Ref(h.ref(ref))) {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		h.t.Fatalf("%s has %d pull requests", ref, len(found))
	}
	var whole board.PullRequest
	if err := json.Unmarshal([]byte(h.owner("pulls", "view", fmt.Sprint(found[0].Number), "--json")), &whole); err != nil {
		h.t.Fatal(err)
	}
	return whole
}

// worktree is the issue's, made like the loop's.
func (h *hand) worktree(ref string) string {
	h.t.Helper()
	name := strings.ToLower(ref)
	dir := filepath.Join(h.d.Repo, ".claude", "worktrees", name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	gitOut(h.t, h.d.Repo, "fetch", "--quiet", "origin")
	gitOut(h.t, h.d.Repo, "worktree", "add", "--quiet", "-b", "task/"+name+"-demo", dir, "origin/main")
	return dir
}

// work runs a worker on an issue. With killAt above 0 it is killed when that
// tool call appears, and the answer is empty.
func (h *hand) work(kind board.Kind, ref string, attempt, killAt int) string {
	h.t.Helper()
	session := uuid.NewString()
	h.owner("board", "claim", ref, kind.ClaimWord(), "--session", session)
	dir := h.d.Repo
	if kind != board.KindReviewer {
		if h.issue(ref).Role != board.RoleInProgress {
			h.owner("board", "state", ref, "in-progress")
		}
		dir = h.worktree(ref)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, "__agent", "--session-id", session, filepath.Join(h.d.Dir, "agents.json"))
	cmd.Dir = dir
	cmd.Env = append(slices.Clone(h.env),
		"DISPATCHER_WORKER="+string(kind), "DISPATCHER_REF="+ref, "DISPATCHER_RUN=r-"+session[:8],
		fmt.Sprintf("DISPATCHER_EPOCH=%d", h.issue(ref).Epoch), fmt.Sprintf("DISPATCHER_ATTEMPT=%d", attempt),
		"DISPATCHER_CONFIG="+filepath.Join(h.d.Repo, "dispatcher.config.json"))
	cmd.Stdin = strings.NewReader(`{"type":"user","message":{"role":"user","content":"do it"}}` + "\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	var errs, all bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	final, tools := "", 0
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		all.WriteString(line)
		if strings.Contains(line, `"type":"tool_use"`) {
			if tools++; tools == killAt {
				_ = cmd.Process.Kill() // it may just have ended
			}
		}
		var o struct{ Type, Result string }
		if json.Unmarshal([]byte(line), &o) == nil && o.Type == "result" {
			final = o.Result
		}
	}
	_ = cmd.Wait() // crashing is part of the play
	if final == "" || killAt > 0 {
		h.owner("board", "release", ref) // as the loop settles a run that died
	}
	if final == "" && killAt == 0 && !strings.Contains(errs.String(), "pretending") {
		h.t.Fatalf("%s on %s said nothing: %s\n%s", kind, ref, errs.String(), all.String())
	}
	return final
}

// develop is a developer's run that must complete, and its hand-over.
func (h *hand) develop(ref string) {
	h.t.Helper()
	final := h.work(board.KindDeveloper, ref, 1, 0)
	if r := report.Parse(board.KindDeveloper, final); r.Status != report.StatusComplete || r.PR != h.pull(ref).Name {
		h.t.Fatalf("%s: %q, PR %q, %s", ref, final, r.PR, r.Why)
	}
	i := h.issue(ref)
	if done, all, ok := board.AllTicked(i.Body); !ok || all == 0 {
		h.t.Errorf("%s: %d of %d boxes are ticked", ref, done, all)
	}
	h.owner("pulls", "checks", h.pull(ref).Name, "--run")
	if p := h.pull(ref); p.Checks != board.ChecksGreen || p.Draft || !p.ByAgent || len(p.Foreign) > 0 {
		h.t.Errorf("%s: %+v", ref, p)
	}
	h.owner("board", "assign", ref, "reviewer")
}

// review is a reviewer's run, and what the loop makes of its verdict.
func (h *hand) review(ref string, want report.Verdict) {
	h.t.Helper()
	before := gitOut(h.t, h.d.Repo, "status", "--porcelain")
	final := h.work(board.KindReviewer, ref, 1, 0)
	if r := report.Parse(board.KindReviewer, final); r.Verdict != want {
		h.t.Fatalf("%s: %q %s", ref, final, r.Why)
	}
	if after := gitOut(h.t, h.d.Repo, "status", "--porcelain"); after != before {
		h.t.Errorf("the review changed the main checkout: %s", after)
	}
	to := "human-review"
	if want == report.VerdictChangesRequested {
		to = "changes-requested"
	}
	h.owner("board", "state", ref, to)
	h.owner("board", "release", ref)
}

func (h *hand) done(ref string) {
	h.t.Helper()
	h.owner("pulls", "merge", h.pull(ref).Name)
	if i := h.issue(ref); i.Role != board.RoleDone {
		h.t.Errorf("%s is merged and in %s", ref, i.State)
	}
}
