package script_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers/script"
)

// The test binary is the agent and, under another name, the command line that
// the agent calls.
func TestMain(m *testing.M) {
	switch {
	case strings.HasPrefix(filepath.Base(os.Args[0]), "dispatcher"):
		os.Exit(fakeDispatcher(os.Args[1:]))
	case len(os.Args) > 1 && os.Args[1] == script.CommandName:
		os.Exit(agentProcess(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func agentProcess(args []string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
	dir, err := os.Getwd()
	if err != nil {
		return 99
	}
	var askFor []string
	for _, a := range args[2 : len(args)-1] {
		askFor = append(askFor, strings.TrimPrefix(a, "--"+script.FlagAskFor+"="))
	}
	return script.Run(context.Background(), script.Options{
		Script: args[len(args)-1], AskFor: askFor, Session: args[1], Resume: args[0] == "--"+script.FlagResume,
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Dir: dir,
		Signals: signals, Now: time.Now,
	})
}

// fakeDispatcher answers from files of FAKE_BOARD, and has a command that
// waits: `gate <name>` until that file is there.
func fakeDispatcher(args []string) int {
	home := os.Getenv("FAKE_BOARD")
	line := strings.Join(args, " ")
	answer := func(name string) int {
		data, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			fmt.Fprintln(os.Stderr, "dispatcher: no such thing")
			return 2
		}
		os.Stdout.Write(data)
		return 0
	}
	switch {
	case args[0] == "gate":
		fmt.Println("waiting")
		for {
			if _, err := os.Stat(filepath.Join(home, args[1])); err == nil {
				fmt.Println("open")
				return 0
			}
			time.Sleep(2 * time.Millisecond)
		}
	case strings.HasPrefix(line, "board issue"):
		return answer("issue.json")
	case line == "pulls list --json":
		return answer("pulls.json")
	case strings.HasPrefix(line, "pulls view"):
		return answer("pull.json")
	case args[0] == "env":
		fmt.Println(os.Getenv(args[1]))
		return 0
	case args[0] == "fail":
		fmt.Println("so far")
		fmt.Fprintln(os.Stderr, "oops")
		return 3
	case args[0] == "cat":
		data, err := os.ReadFile(args[1])
		if err != nil {
			return 1
		}
		os.Stdout.Write(data)
		return 0
	}
	fmt.Println("did", line)
	return 0
}

// world is a folder with a fake command line, a board and a work tree.
type world struct {
	t     *testing.T
	dir   string // working directory of the agent
	board string
	env   []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{t: t, dir: filepath.Join(root, "work"), board: filepath.Join(root, "board")}
	bin := filepath.Join(root, "bin")
	for _, d := range []string{w.dir, w.board, bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	name := "dispatcher"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, filepath.Join(bin, name)); err != nil {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "PATH=") || strings.HasPrefix(kv, "DISPATCHER_")
	}),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "FAKE_BOARD="+w.board,
		"DISPATCHER_WORKER=developer", "DISPATCHER_REF=DSP-1", "DISPATCHER_RUN=r1",
		"DISPATCHER_STATE_DIR="+filepath.Join(root, "state"))
	w.put("issue.json", `{"ref":"DSP-1","title":"T","role":"inProgress","comments":[]}`)
	w.put("pulls.json", `[]`)
	return w
}

func (w *world) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.board, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// proc is one agent process and its conversation.
type proc struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	err   *strings.Builder
	lines []map[string]any
}

func (w *world) script(steps string) string {
	w.t.Helper()
	return w.file(`{"version":1,"turnCostUSD":0.5,"default":{"developer":[{"steps":` + steps + `}],` +
		`"reviewer":[{"steps":[{"final":"VERDICT: PASS"}]}],"cleaner":[{"steps":[{"final":"STATUS: COMPLETE"}]}]}}`)
}

func (w *world) file(text string) string {
	w.t.Helper()
	path := filepath.Join(w.board, "script.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) start(path, session string, resume bool, env ...string) *proc {
	w.t.Helper()
	return w.startAsking(nil, path, session, resume, env...)
}

// startAsking starts an agent that asks for what the rules mean.
func (w *world) startAsking(askFor []string, path, session string, resume bool, env ...string) *proc {
	w.t.Helper()
	argv := script.Command(os.Args[0], path, session, resume, askFor)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = w.dir
	cmd.Env = append(slices.Clone(w.env), env...)
	p := &proc{t: w.t, cmd: cmd, err: &strings.Builder{}}
	cmd.Stderr = p.err
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (p *proc) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *proc) say(text, id string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"type":"user","message":{"role":"user","content":%q},"parent_tool_use_id":null,"session_id":"","uuid":%q}`, text, id))
}

// until reads lines until one is of the kind, and answers it.
func (p *proc) until(kind string) map[string]any {
	p.t.Helper()
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatalf("the stream ended before %s: %v\nstderr: %s\nseen: %v", kind, err, p.err, kinds(p.lines))
		}
		var o map[string]any
		if err := json.Unmarshal(line, &o); err != nil {
			p.t.Fatalf("not JSON: %q", line)
		}
		p.lines = append(p.lines, o)
		if kindOf(o) == kind {
			return o
		}
	}
}

// end reads to the end and answers the exit code.
func (p *proc) end() int {
	p.t.Helper()
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			break
		}
		var o map[string]any
		if err := json.Unmarshal(line, &o); err != nil {
			p.t.Fatalf("not JSON: %q", line)
		}
		p.lines = append(p.lines, o)
	}
	_ = p.cmd.Wait() // the code is asked below
	return p.cmd.ProcessState.ExitCode()
}

// kindOf names a line by what tells lines apart.
func kindOf(o map[string]any) string {
	kind := fmt.Sprint(o["type"])
	switch kind {
	case "system", "result":
		kind += "/" + fmt.Sprint(o["subtype"])
	case "command_lifecycle":
		kind += "/" + fmt.Sprint(o["state"])
	case "control_response":
	case "assistant", "user":
		msg, _ := o["message"].(map[string]any)
		if blocks, ok := msg["content"].([]any); ok && len(blocks) > 0 {
			b, _ := blocks[0].(map[string]any)
			kind += "/" + fmt.Sprint(b["type"])
		}
		if o["isReplay"] == true {
			kind += "/replay"
		}
	}
	return kind
}

func kinds(lines []map[string]any) []string {
	var out []string
	for _, l := range lines {
		out = append(out, kindOf(l))
	}
	return out
}

func recorded(t *testing.T, name string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for line := range strings.Lines(string(data)) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

// sameShape fails for a key or type in ours that the recording has not.
func sameShape(t *testing.T, place string, ours, theirs any) {
	t.Helper()
	switch a := ours.(type) {
	case map[string]any:
		b, ok := theirs.(map[string]any)
		if !ok {
			t.Errorf("%s: an object, recorded %T", place, theirs)
			return
		}
		for k, v := range a {
			if strings.HasSuffix(place, "odelUsage") || strings.HasSuffix(place, "since_last_result") {
				k2 := ""
				for k2 = range b {
				}
				sameShape(t, place+".*", v, b[k2]) // the key is the model's name
				continue
			}
			w, ok := b[k]
			if !ok {
				t.Errorf("%s.%s: the real stream has no such key", place, k)
				continue
			}
			sameShape(t, place+"."+k, v, w)
		}
	case []any:
		b, ok := theirs.([]any)
		if !ok {
			t.Errorf("%s: a list, recorded %T", place, theirs)
			return
		}
		if len(a) > 0 && len(b) > 0 {
			sameShape(t, place+"[0]", a[0], b[0])
		}
	default:
		if fmt.Sprintf("%T", ours) != fmt.Sprintf("%T", theirs) {
			t.Errorf("%s: %T, recorded %T", place, ours, theirs)
		}
	}
}

func compare(t *testing.T, ours, theirs []map[string]any) {
	t.Helper()
	if got, want := kinds(ours), kinds(theirs); !slices.Equal(got, want) {
		t.Fatalf("sequence\n got %v\nwant %v", got, want)
	}
	for i := range ours {
		sameShape(t, fmt.Sprintf("line %d %s", i, kindOf(ours[i])), ours[i], theirs[i])
	}
}
