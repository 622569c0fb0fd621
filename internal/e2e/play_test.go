//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/workers"
)

// play is a repository with a bare remote and a native board, worked by the
// real program with scripted agents: no model, no account, no network.
type play struct {
	t      *testing.T
	bin    string // the program
	dir    string // holds everything
	repo   string // main checkout
	remote string // bare; not there where the play has none
	env    []string
}

// playIn is a play whose folder the program itself is to fill.
func playIn(t *testing.T, dir string) *play {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	env := slices.DeleteFunc(git.CleanEnv(os.Environ()), func(kv string) bool {
		return strings.HasPrefix(kv, "DISPATCHER_") || strings.HasPrefix(kv, "CLAUDE") || strings.HasPrefix(kv, "PATH=") || strings.HasPrefix(kv, "HOME=")
	})
	p := &play{
		t: t, bin: bin, dir: dir, repo: filepath.Join(dir, "repo"), remote: filepath.Join(dir, "remote.git"),
		env: append(env, "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+gittest.QuickConfig(t), "NO_COLOR=1"),
	}
	if mark := os.Getenv("DISPATCHER_CI"); mark != "" {
		p.env = append(p.env, "DISPATCHER_CI="+mark)
	}
	t.Cleanup(p.endAll)
	return p
}

// playDir is a folder without links in its path: processes are found by it.
func playDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// playOptions are a play that is not the ordinary one.
type playOptions struct {
	branch   string         // default branch; "" is main
	noRemote bool           // nothing to push to
	config   map[string]any // over the ordinary configuration
}

// newPlay is a small repository whose developers write one file each.
func newPlay(t *testing.T, o playOptions) *play {
	t.Helper()
	p := playIn(t, playDir(t))
	if o.branch == "" {
		o.branch = "main"
	}
	if err := os.MkdirAll(p.repo, 0o755); err != nil {
		t.Fatal(err)
	}
	p.open()
	p.write("agents.json", agentScript(p.dir, !o.noRemote))
	agent := map[string]any{"kind": "script", "script": filepath.Join(p.dir, "agents.json")}
	config := map[string]any{
		"platform": "native",
		"agents":   map[string]any{"developer": agent, "reviewer": agent, "cleaner": agent},
		"loop":     map[string]any{"pollSeconds": 0.25},
		"retry":    map[string]any{"maxAttempts": 2, "backoffSeconds": 0.2},
	}
	for k, v := range o.config {
		config[k] = v
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	p.write("repo/dispatcher.config.json", string(text))
	p.write("repo/README.md", "A project.\n")
	p.git("init", "-q", "--initial-branch="+o.branch, ".")
	p.git("config", "user.name", "Olive Owner")
	p.git("config", "user.email", "olive@example.com")
	p.git("add", ".")
	p.git("commit", "-qm", "Begin")
	if !o.noRemote {
		p.git("init", "-q", "--bare", "--initial-branch="+o.branch, p.remote)
		p.git("remote", "add", "origin", p.remote)
		p.git("push", "-q", "-u", "origin", o.branch)
		if o.branch == "main" { // as in a clone; elsewhere the remote is asked
			p.git("remote", "set-head", "origin", "main")
		}
	}
	return p
}

// agentScript is played by every agent of a small play. A developer waits at
// its gate before it reports, so that a test may find it at work: one that is
// there already holds nobody up.
func agentScript(dir string, push bool) string {
	gate := "until test -e " + filepath.Join(dir, "gate") + "; do sleep 0.1; done"
	develop := []map[string]any{
		{"say": "I work on {{ref}}."},
		{"write": map[string]any{"path": "notes/{{ref}}.md", "content": "{{title}}\n"}},
		{"run": []string{"git", "add", "--", "notes"}},
		{
			"skipIf": map[string]any{"run": []string{"git", "diff", "--cached", "--quiet"}},
			"run":    []string{"dispatcher", "commit", "-m", "Note {{ref}}"},
		},
		{"run": []string{"sh", "-c", gate}},
		{"tick": "all"},
		{"run": []string{"git", "push", "--quiet", "--set-upstream", "origin", "HEAD"}},
		{
			"when": []string{"!pr"}, "run": []string{"dispatcher", "pr", "--title", "{{title}}", "--body", "Fixes {{ref}}"},
			"capture": map[string]string{"pr": "#([0-9]+)"},
		},
		{"final": "Pull request #{{pr}}.\n\n## How to verify\n\nRead it.\n\nSTATUS: COMPLETE"},
	}
	if !push {
		develop = slices.DeleteFunc(develop, func(s map[string]any) bool {
			argv, _ := s["run"].([]string)
			return len(argv) > 1 && argv[1] == "push"
		})
	}
	review := []map[string]any{
		{"run": []string{"dispatcher", "pulls", "diff", "{{pr}}"}},
		{
			"when": []string{"!reviewed"}, "run": []string{"dispatcher", "review", "{{pr}}", "--commit", "{{head}}", "--body-file", "{{tmp}}/review.md"},
			"files": map[string]string{"review.md": "Fine."},
		},
		{"final": "Fine.\n\nVERDICT: PASS"},
	}
	text, _ := json.Marshal(map[string]any{
		"version": 1,
		"default": map[string]any{
			"developer": []any{map[string]any{"steps": develop}},
			"reviewer":  []any{map[string]any{"steps": review}},
			"cleaner":   []any{map[string]any{"steps": []any{map[string]any{"final": "STATUS: COMPLETE"}}}},
		},
	})
	return string(text)
}

func (p *play) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// shut makes developers wait before they report; open lets them go on.
func (p *play) shut() { _ = os.Remove(filepath.Join(p.dir, "gate")) } // it may be shut already
func (p *play) open() { p.t.Helper(); p.write("gate", "") }

func (p *play) git(args ...string) string {
	p.t.Helper()
	return p.gitIn(p.repo, args...)
}

func (p *play) gitIn(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// ready puts an issue into Ready of the milestone M1.
func (p *play) ready(title string) board.Ref {
	p.t.Helper()
	out := p.own("board", "create", "--milestone", "M1", "--state", "ready", "--body", "- [ ] done\n", "--", title)
	ref, _, _ := strings.Cut(out, " ")
	return board.Ref(ref)
}

// try runs a command of the owner's in the main checkout.
func (p *play) try(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), loopLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("dispatcher %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// own is a command that must succeed.
func (p *play) own(args ...string) string {
	p.t.Helper()
	out, errs, code := p.try(args...)
	if code != 0 {
		p.t.Fatalf("dispatcher %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// loop runs until nothing more can happen without the owner.
func (p *play) loop() string {
	p.t.Helper()
	return p.own(untilIdle...)
}

func (p *play) decode(text string, into any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		p.t.Fatalf("%v in %s", err, text)
	}
}

// playRow is a row of `board poll --json`.
type playRow struct {
	Ref       board.Ref
	Role      board.Role
	Delegate  board.Delegate
	Claim     *json.RawMessage
	Labels    []string
	Waits     string
	Milestone string
}

func (p *play) rows() map[board.Ref]playRow {
	p.t.Helper()
	var rows []playRow
	p.decode(p.own("board", "poll", "--json", "--all", "--all-milestones"), &rows)
	out := map[board.Ref]playRow{}
	for _, r := range rows {
		out[r.Ref] = r
	}
	return out
}

// wantRow holds a row to a column, unclaimed.
func (p *play) wantRow(ref board.Ref, role board.Role) {
	p.t.Helper()
	r := p.rows()[ref]
	if r.Role != role || r.Claim != nil {
		p.t.Errorf("%s is in %q, claimed: %v, waits: %s; want it free in %q", ref, r.Role, r.Claim != nil, r.Waits, role)
	}
}

func (p *play) pulls() []board.PullRequest {
	p.t.Helper()
	var list []board.PullRequest
	p.decode(p.own("pulls", "list", "--all", "--json"), &list)
	return list
}

func (p *play) stateDir() string { return filepath.Join(p.repo, ".claude", "dispatcher") }

func (p *play) folders() []workers.Folder {
	p.t.Helper()
	return foldersIn(p.t, p.stateDir())
}

// process is the program at work in the background.
type process struct {
	t   *testing.T
	cmd *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and renewed with every write
	over chan struct{} // closed when it has ended
}

// start runs a command of ours in the background; its end is the test's to
// wait for.
func (p *play) start(args ...string) *process {
	p.t.Helper()
	cmd := exec.Command(p.bin, args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	if _, err := os.Stat(p.repo); err != nil {
		cmd.Dir = p.dir
	}
	s := &process{t: p.t, cmd: cmd, more: make(chan struct{}), over: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = s, s
	// Whatever a killed loop leaves behind may hold its output open.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // ProcessState says how
		close(s.over)
	}()
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); <-s.over })
	return s
}

// Write takes what the process prints.
func (s *process) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.text.Write(b)
}

// said is what the process has printed so far, and how to hear of more.
func (s *process) said() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String(), s.more
}

// until waits for the process to print something.
func (s *process) until(what string) {
	s.t.Helper()
	limit := time.After(loopLimit)
	for {
		text, more := s.said()
		if strings.Contains(text, what) {
			return
		}
		select {
		case <-more:
		case <-s.over:
			if text, _ := s.said(); !strings.Contains(text, what) {
				s.t.Fatalf("it ended (%v) without saying %q:\n%s", s.cmd.ProcessState, what, text)
			}
		case <-limit:
			s.t.Fatalf("it never said %q:\n%s", what, text)
		}
	}
}

// end waits for its end and answers the exit code and what it said.
func (s *process) end() (int, string) {
	s.t.Helper()
	select {
	case <-s.over:
	case <-time.After(loopLimit):
		text, _ := s.said()
		s.t.Fatalf("it does not end:\n%s", text)
	}
	text, _ := s.said()
	return s.cmd.ProcessState.ExitCode(), text
}

func (s *process) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// eventLimit bounds the wait for one thing that another process does.
const eventLimit = time.Minute

// eventually waits for something that other processes do.
func (p *play) eventually(what string, holds func() bool) {
	p.t.Helper()
	for limit := time.Now().Add(eventLimit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("never came: %s\n%s", what, p.log())
		}
	}
}

// working waits until so many agents are at work, and the loop knows it.
func (p *play) working(n int) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("%d agents at work", n), func() bool {
		text, _ := os.ReadFile(filepath.Join(p.stateDir(), "claims.json")) // there may be none yet
		return len(p.alive()) == n && bytes.Count(text, []byte(`"phase": "running"`)) == n
	})
}

// alive are the runs whose agent lives, as their folders tell.
func (p *play) alive() []string {
	var out []string
	for _, f := range p.folders() {
		s, ok, err := f.Supervisor()
		if err != nil || !ok || s.AgentPID == 0 {
			continue
		}
		if exit, err := f.Exit(); err == nil && exit == nil {
			out = append(out, f.Run())
		}
	}
	return out
}

// log is what the loops wrote down, for a test that fails.
func (p *play) log() string {
	text, _ := os.ReadFile(filepath.Join(p.stateDir(), "loop.log")) // there may be none yet
	return tail(string(text))
}

// endAll ends what a failed test has left running: workers outlive the loop on
// purpose.
func (p *play) endAll() {
	if _, err := os.Stat(p.dir); err == nil {
		_ = os.WriteFile(filepath.Join(p.dir, "gate"), nil, 0o644)
	}
	p.killAll()
}

// killAll kills every process of the play at once, the loop and the workers.
func (p *play) killAll() {
	for _, pid := range p.processes() {
		if q, err := os.FindProcess(pid); err == nil {
			_ = q.Kill() // it may just have ended
		}
	}
}
