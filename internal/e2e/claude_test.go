package e2e

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// dummyKey is the model credential of these tests. It must turn up nowhere.
const dummyKey = "sk-ant-dummy-e2e-0a1b2c3d4e5f"

// heavy leaves a test to runs that ask for all of them: DISPATCHER_E2E is 1.
func heavy(t *testing.T) {
	t.Helper()
	t.Parallel()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1: it takes long, and the step e2e of .ci/run plays it")
	}
}

// claudePath finds the real CLI, or skips the test: minutes with it are for
// runs that ask for them.
func claudePath(t *testing.T) string {
	t.Helper()
	if os.Getenv("DISPATCHER_E2E") != "1" {
		t.Skip("DISPATCHER_E2E is not 1; the package comment says how to play with the real agent")
	}
	path, why := findClaude()
	if why != "" {
		t.Fatalf("DISPATCHER_E2E is 1 and %s", why)
	}
	return path
}

func findClaude() (path, why string) {
	if path := os.Getenv("DISPATCHER_CLAUDE"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", "DISPATCHER_CLAUDE names no program: " + err.Error()
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", err.Error()
		}
		return abs, ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err.Error()
	}
	for {
		path := filepath.Join(dir, ".cache", "claude", "node_modules", ".bin", "claude")
		if _, err := exec.LookPath(path); err == nil {
			return path, ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "there is no .cache/claude/node_modules/.bin/claude here or in a folder above"
		}
		dir = up
	}
}

// bench is a place of its own for one test: home, temporary files, a
// repository with a bare remote, and the model server.
type bench struct {
	t      *testing.T
	dir    string // short: the CLI puts sockets below it
	repo   string // main checkout, on main
	remote string // bare
	bin    string // first on PATH
	claude string
	model  *anthropic.Server
	url    string
	noKey  bool // nobody is logged in
	ref    board.Ref
	more   []string // of the owner's environment
}

func newBench(t *testing.T, script *anthropic.Script) *bench {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripted tool calls are for a POSIX shell")
	}
	path := claudePath(t)
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the test's folder: %v", err)
		}
	})
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	b := &bench{
		t: t, dir: dir, claude: path,
		ref:  "DSP-1",
		repo: filepath.Join(dir, "repo"), remote: filepath.Join(dir, "remote.git"), bin: filepath.Join(dir, "bin"),
	}
	for _, d := range []string{b.repo, b.bin, "home/.claude", "tmp"} {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.serve(script)
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "Ada")
	b.git("config", "user.email", "ada@example.com")
	b.git("init", "-q", "--bare", "-b", "main", b.remote)
	b.write("greet.txt", "hello\n")
	b.write("CLAUDE.md", "Nothing to install. Gate: `grep -q hello greet.txt`.\n")
	b.git("add", ".")
	b.git("commit", "-qm", "Say hello")
	b.git("remote", "add", "origin", b.remote)
	b.git("push", "-q", "-u", "origin", "main")
	return b
}

func (b *bench) serve(script *anthropic.Script) {
	b.t.Helper()
	model, err := anthropic.NewServer(script)
	if err != nil {
		b.t.Fatal(err)
	}
	srv := httptest.NewServer(model)
	b.t.Cleanup(srv.Close)
	b.model, b.url = model, srv.URL
	b.t.Cleanup(func() {
		for _, p := range model.Problems() {
			b.t.Errorf("model: %s", p)
		}
	})
}

// env is the owner's environment, and through it the workers'.
func (b *bench) env() []string {
	home := filepath.Join(b.dir, "home")
	key := "ANTHROPIC_API_KEY=" + dummyKey
	if b.noKey {
		key = "NOBODY=is logged in"
	}
	return append([]string{
		"PATH=" + b.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"), "TMPDIR=" + filepath.Join(b.dir, "tmp"),
		"ANTHROPIC_BASE_URL=" + b.url, key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_MAX_RETRIES=1",
		"GIT_CONFIG_NOSYSTEM=1",
	}, b.more...)
}

// git runs git in the main checkout and answers its output, trimmed.
func (b *bench) git(args ...string) string {
	b.t.Helper()
	return b.gitIn(b.repo, args...)
}

func (b *bench) gitIn(dir string, args ...string) string {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, b.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// call is one tool call of a worker and what came of it. A call that failed
// has run; one that was denied has not.
type call struct {
	ok     bool
	denied bool
	text   string
}

// worker runs the CLI as our workers are run, in dir, and answers what came of
// the tool calls, by id, and the final message.
func (b *bench) worker(kind board.Kind, dir string, edits ...func(*claude.Options)) (calls map[string]call, final string) {
	b.t.Helper()
	role := filepath.Join(b.dir, "role.md")
	if err := os.WriteFile(role, []byte("You are a "+string(kind)+"."), 0o600); err != nil {
		b.t.Fatal(err)
	}
	o := claude.Options{Path: b.claude, Kind: kind, Session: uuid.NewString(), RoleFile: role, SettingsFile: filepath.Join(b.dir, "settings.json"), Model: "opus"}
	for _, edit := range edits {
		edit(&o)
	}
	argv, err := claude.Command(o)
	if err != nil {
		b.t.Fatal(err)
	}
	env, settings := claude.Prepare(o, claude.EnvOptions{Environ: b.env(), Kind: kind, BinDir: b.bin}, dir, (&config.Config{}).Withholds)
	if err := os.WriteFile(o.SettingsFile, []byte(settings), 0o600); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin = strings.NewReader(`{"type":"user","message":{"role":"user","content":"Go."},"parent_tool_use_id":null,"session_id":"","uuid":"` + uuid.NewString() + `"}` + "\n")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("claude: %v\n%s\n%s", err, stderr.String(), tail(out.String()))
	}
	return b.read(out.String())
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// read takes the tool results and the final message out of a stream.
func (b *bench) read(stream string) (calls map[string]call, final string) {
	b.t.Helper()
	calls = map[string]call{}
	for line := range strings.SplitSeq(strings.TrimSpace(stream), "\n") {
		var e struct {
			Type    string
			Result  string
			Message json.RawMessage
			Asked   struct{ Report string } `json:"structured_output"`
			Denials []struct {
				ID string `json:"tool_use_id"`
			} `json:"permission_denials"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			b.t.Fatalf("a line of the stream: %v: %.300s", err, line)
		}
		if e.Type == "result" {
			if final = e.Result; e.Asked.Report != "" {
				final = e.Asked.Report
			}
		}
		for _, d := range e.Denials {
			c := calls[d.ID]
			c.denied = true
			calls[d.ID] = c
		}
		var m struct {
			Content []struct {
				Type    string
				ID      string `json:"tool_use_id"`
				IsError bool   `json:"is_error"`
				Content json.RawMessage
			}
		}
		if e.Type != "user" || json.Unmarshal(e.Message, &m) != nil {
			continue // a message whose content is a text has no results
		}
		for _, x := range m.Content {
			if x.Type == "tool_result" {
				// Tools that are not there, and files behind a deny rule, are
				// refused before a permission is asked for.
				refused := x.IsError && strings.Contains(string(x.Content), "<tool_use_error>")
				calls[x.ID] = call{ok: !x.IsError, denied: refused, text: string(x.Content)}
			}
		}
	}
	return calls, final
}

// use is a turn that calls a tool; expect holds for the result before it.
func use(tool string, input map[string]any, expect string) *anthropic.Turn {
	return &anthropic.Turn{Tools: []anthropic.ToolUse{{Name: tool, Input: input}}, Expect: expect}
}
