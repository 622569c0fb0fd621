package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/cli"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/internal/proc/proctest"
	"github.com/backside4charter/dispatcher/workers"
)

// loopLimit bounds one run of the loop. It is for a loop that hangs, never for
// one that is slow.
const loopLimit = 3 * time.Minute

// programs holds the programs under test, each made once.
var programs string

// TestMain makes this test binary the program where it is called by its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "dispatcher" {
		os.Exit(program(os.Args[1:]))
	}
	code := m.Run()
	if programs != "" {
		_ = os.RemoveAll(programs)
	}
	os.Exit(code)
}

// program is the program, or, where DYING_AT is set, one that dies then.
func program(args []string) int {
	if at := os.Getenv("DYING_AT"); at != "" {
		return dying(at, args)
	}
	return cli.Run(context.Background(), "dev", args)
}

var folder = sync.OnceValues(func() (dir string, err error) {
	programs, err = os.MkdirTemp("", "e2e-program")
	return programs, err
})

// build is the program under test: what `go build` makes where everything is
// played, else this test binary, which is it too and is there already.
var build = sync.OnceValues(func() (string, error) {
	if os.Getenv("DISPATCHER_E2E") != "1" {
		return self()
	}
	dir, err := folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "dispatcher")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "../..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// self is this test binary as the program.
var self = sync.OnceValues(func() (string, error) {
	dir, err := folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "self", "dispatcher")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, proctest.CopySelf(path)
})

// newRepository is a bench whose repository is worked by our program, with one
// issue, DSP-1, in the milestone M1.
func newRepository(t *testing.T, conversations ...*anthropic.Conversation) *bench {
	t.Helper()
	b := newBench(t, &anthropic.Script{Conversations: conversations})
	b.dispatch(map[string]any{"platform": "native"})
	b.own("board", "create", "--milestone", "M1", "--state", "ready",
		"--body", "Add a greeting in French.\n\n- [ ] A file with the greeting\n", "Greet in French")
	return b
}

// dispatch has our program and the real agent work the repository.
func (b *bench) dispatch(config map[string]any) {
	b.t.Helper()
	path, err := build()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(b.bin, "dispatcher")); err != nil {
		b.t.Fatal(err)
	}
	agent := map[string]any{"kind": "claude", "command": b.claude, "model": "opus", "effort": "high"}
	config["agents"] = map[string]any{"developer": agent, "reviewer": agent, "cleaner": agent}
	config["loop"] = map[string]any{"pollSeconds": 1}
	config["retry"] = map[string]any{"backoffSeconds": 1}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("dispatcher.config.json", string(text))
	b.git("add", "dispatcher.config.json")
	b.git("commit", "-qm", "Let agents work this repository")
	b.git("push", "-q")
	b.t.Cleanup(b.endWorkers)
}

// dispatcher is a command of ours, run by the owner in the main checkout.
func (b *bench) dispatcher(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "dispatcher"), args...)
	cmd.Dir, cmd.Env = b.repo, b.env()
	return cmd
}

// own runs a command of the owner's, which must succeed.
func (b *bench) own(args ...string) string {
	b.t.Helper()
	cmd := b.dispatcher(b.t.Context(), args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("dispatcher %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), stderr.String())
	}
	return out.String()
}

var untilIdle = []string{"start", "M1", "--no-tui", "--until-idle"}

// loop runs the loop until nothing more can happen without the owner.
func (b *bench) loop() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), loopLimit)
	defer cancel()
	out, err := b.dispatcher(ctx, untilIdle...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("the loop: %v\n%s\n%s", err, out, b.transcripts())
	}
	b.t.Logf("the loop said:\n%s", out)
}

// beside runs the loop as loop does while the test goes on; the answered function
// waits for its end.
func (b *bench) beside(ctx context.Context) (ended func()) {
	b.t.Helper()
	over := make(chan error, 1)
	go func() {
		out, err := b.dispatcher(ctx, untilIdle...).CombinedOutput()
		b.t.Logf("the loop said:\n%s", out)
		over <- err
	}()
	return func() {
		b.t.Helper()
		if err := <-over; err != nil {
			b.t.Fatalf("the loop: %v\n%s", err, b.transcripts())
		}
	}
}

// issue is the row as `board issue` shows it.
func (b *bench) issue() board.Issue {
	b.t.Helper()
	var i board.Issue
	b.decode(b.own("board", "issue", string(b.ref), "--json"), &i)
	return i
}

// pulls are all pull requests.
func (b *bench) pulls() []board.PullRequest {
	b.t.Helper()
	var list []board.PullRequest
	b.decode(b.own("pulls", "list", "--json"), &list)
	return list
}

func (b *bench) decode(text string, into any) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		b.t.Fatalf("%v in %s", err, text)
	}
}

// expectRole holds the row to a column.
func (b *bench) expectRole(want board.Role) {
	b.t.Helper()
	i := b.issue()
	if i.Role != want {
		b.t.Fatalf("%s is in %q, want %q; comments: %+v\n%s", b.ref, i.Role, want, i.Comments, b.transcripts())
	}
	if i.Claim != nil {
		b.t.Errorf("%s is still claimed: %+v", b.ref, i.Claim)
	}
}

func (b *bench) stateDir() string { return filepath.Join(b.repo, ".claude", "dispatcher") }

func (b *bench) folders() []workers.Folder {
	b.t.Helper()
	return foldersIn(b.t, b.stateDir())
}

// foldersIn are the run folders of a state folder, in no order that means
// anything.
func foldersIn(t *testing.T, stateDir string) []workers.Folder {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(stateDir, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var out []workers.Folder
	for _, e := range entries {
		out = append(out, workers.OpenFolder(filepath.Join(stateDir, "runs", e.Name())))
	}
	return out
}

// runs counts the runs of each kind.
func (b *bench) runs() map[board.Kind]int {
	b.t.Helper()
	out := map[board.Kind]int{}
	for _, f := range b.folders() {
		s, err := f.Spec()
		if err != nil {
			b.t.Fatal(err)
		}
		out[s.Kind]++
	}
	return out
}

// transcripts is what the workers did, for a test that fails.
func (b *bench) transcripts() string {
	var out strings.Builder
	for _, f := range b.folders() {
		for _, path := range []string{f.TranscriptPath(), f.StderrPath(), f.LogPath()} {
			if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
				fmt.Fprintf(&out, "--- %s\n%s\n", path, tail(string(text)))
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(b.stateDir(), "loop.log")); err == nil {
		fmt.Fprintf(&out, "--- loop.log\n%s\n", tail(string(text)))
	}
	return out.String()
}

// endWorkers ends what a failed test has left running: workers outlive the
// loop on purpose.
func (b *bench) endWorkers() {
	for _, f := range b.folders() {
		s, ok, err := f.Supervisor()
		if exit, _ := f.Exit(); err != nil || !ok || exit != nil {
			continue
		}
		for _, pid := range []int{s.PID, s.AgentPID} {
			if p, err := os.FindProcess(pid); err == nil && pid > 1 {
				_ = p.Kill()
			}
		}
	}
}

// expectNoSecret looks for the model's credential, and others, in everything
// that lasts.
func (b *bench) expectNoSecret(others ...string) {
	b.t.Helper()
	seen := 0
	for _, root := range []string{b.stateDir(), filepath.Join(b.repo, ".dispatcher"), b.remote} {
		if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
			continue // only a native board lies in a folder
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			for _, secret := range append(others, dummyKey) {
				if bytes.Contains(text, []byte(secret)) {
					b.t.Errorf("%s holds a credential, %.8s…", path, secret)
				}
			}
			return nil
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if seen < 10 {
		b.t.Errorf("only %d files were searched", seen)
	}
}

// file is a file's text, empty while it is not there.
func (b *bench) file(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	return string(text)
}
