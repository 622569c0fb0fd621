//go:build unix

package workers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
	"github.com/backside4charter/dispatcher/workers/command"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// The test binary plays every process of a run: the supervisor, the agent,
// what the agent starts, and the loop that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case workers.SuperviseCommand:
			os.Exit(playSupervisor(os.Args[2]))
		case "agent":
			os.Exit(playAgent(os.Args[2]))
		case "loop":
			os.Exit(playLoop(os.Args[2]))
		case "owner":
			os.Exit(playOwner(os.Args[2], os.Args[3:]))
		case "under":
			spec, ok := workers.Under(os.Getpid())
			_ = os.WriteFile(os.Args[2]+".tmp", fmt.Appendf(nil, "%v %s %s %s %d", ok, spec.Kind, spec.Ref, spec.Run, spec.Epoch), 0o600)
			_ = os.Rename(os.Args[2]+".tmp", os.Args[2])
			os.Exit(0)
		case "sleeper":
			playSleeper(os.Args[2])
		case "napper":
			playNapper(os.Args[2])
		}
	}
	// A supervisor outlives its run by a moment, and whoever started it waits
	// for it: that ends with the supervisor, not with a test.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/backside4charter/dispatcher/workers.reap.func1"))
}

func agents(name string) (workers.Agent, error) {
	if name == "command" {
		return command.Agent{}, nil
	}
	return claude.Agent{}, nil
}

// timesVariable carries the supervisor's patience.
const timesVariable = "TEST_SUPERVISE_TIMES"

func playSupervisor(dir string) int {
	var times supervise.Times
	if v := os.Getenv(timesVariable); v != "" {
		if err := json.Unmarshal([]byte(v), &times); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if os.Getenv("TEST_SUPERVISE_LATE") != "" {
		waitForFile(os.Getenv("TEST_SUPERVISE_LATE"))
	}
	if err := supervise.Run(context.Background(), dir, supervise.Options{Agent: agents, Times: times}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// playLoop starts the run whose spec is in the file and waits to be killed.
func playLoop(specFile string) int {
	data, err := os.ReadFile(specFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var spec workers.Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	spec.Env = os.Environ()
	l := workers.NewLauncher(workers.Options{Runs: os.Getenv("TEST_RUNS"), Binary: os.Args[0], Agent: agents})
	if _, err := l.Start(context.Background(), spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("started")
	select {}
}

// playSleeper says that it lives and goes on living. It ignores what a polite
// end would be.
func playSleeper(pidFile string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	note(pidFile)
	time.Sleep(10 * time.Minute)
	os.Exit(0)
}

// playNapper is a sleeper that ends when it is asked to.
func playNapper(pidFile string) {
	note(pidFile)
	time.Sleep(10 * time.Minute)
	os.Exit(0)
}

func note(pidFile string) {
	temp := pidFile + ".tmp"
	if os.WriteFile(temp, []byte(strconv.Itoa(os.Getpid())), 0o600) == nil {
		_ = os.Rename(temp, pidFile)
	}
}

func waitForFile(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// wire is the agent's side of the protocol.
type wire struct {
	in   *bufio.Scanner
	cost float64
}

type incoming struct {
	Type    string `json:"type"`
	UUID    string `json:"uuid"`
	ID      string `json:"request_id"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Request struct {
		Subtype string `json:"subtype"`
	} `json:"request"`
	Response struct {
		ID   string `json:"request_id"`
		Body struct {
			Behavior, Message string
			Input             struct{ Answers map[string]string } `json:"updatedInput"`
		} `json:"response"`
	} `json:"response"`
}

func (w *wire) say(v map[string]any) {
	v["session_id"] = "s"
	data, _ := json.Marshal(v)
	fmt.Println(string(data))
}

func (w *wire) text(s string) {
	w.say(map[string]any{"type": "assistant", "message": map[string]any{
		"content": []any{map[string]any{"type": "text", "text": s}},
	}})
}

func (w *wire) turn() { w.say(map[string]any{"type": "system", "subtype": "init", "model": "test"}) }

func (w *wire) receipt(id, state string) {
	w.say(map[string]any{"type": "command_lifecycle", "command_uuid": id, "state": state})
}

func (w *wire) result(text string, extra map[string]any) {
	w.cost += 0.25
	v := map[string]any{
		"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": text,
		"num_turns": 1, "total_cost_usd": w.cost, "queued_turn_count": 0,
		"model_usage_since_last_result": map[string]any{"m": map[string]any{"costUSD": 0.25, "inputTokens": 10}},
		"modelUsage":                    map[string]any{"m": map[string]any{"costUSD": w.cost, "inputTokens": int(w.cost * 40)}},
	}
	for k, x := range extra {
		v[k] = x
	}
	w.say(v)
}

// next is the next line of input; false at its end.
func (w *wire) next() (incoming, bool) {
	if !w.in.Scan() {
		return incoming{}, false
	}
	var v incoming
	if json.Unmarshal(w.in.Bytes(), &v) != nil {
		fmt.Fprintln(os.Stderr, "Error parsing streaming input line")
		os.Exit(1)
	}
	if v.Type == "control_request" && v.Request.Subtype == "end_session" {
		w.say(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": v.ID, "response": map[string]any{}}})
		os.Exit(0)
	}
	return v, true
}

// waitEnd takes input until the session is ended.
func (w *wire) waitEnd() int {
	for {
		if _, ok := w.next(); !ok {
			return 0
		}
	}
}

// playAgent is an agent that behaves as mode says.
func playAgent(mode string) int {
	w := &wire{in: bufio.NewScanner(os.Stdin)}
	w.in.Buffer(nil, 64<<20)
	arg := ""
	if len(os.Args) > 3 {
		arg = os.Args[3]
	}
	switch mode {
	case "nothing":
		return 0
	case "fail":
		fmt.Fprintln(os.Stderr, "error: unknown option '--x'\x1b[2J")
		return 1
	case "limit":
		fmt.Println("session limit, resets 3:20pm (America/New_York)")
		return 1
	case "prompt":
		fmt.Print("Do you trust the files in this folder? [y/n] ")
		for {
			time.Sleep(time.Hour)
		}
	}
	first, ok := w.next()
	if !ok {
		return 0
	}
	w.receipt(first.UUID, "queued")
	w.receipt(first.UUID, "started")
	w.turn()
	switch mode {
	case "done":
		w.text("working")
		w.result("STATUS: COMPLETE "+first.Message.Content, nil)
	case "gate": // works until the file arg is there
		note(arg + ".pid")
		w.text("working")
		waitForFile(arg)
		w.text("went on")
		w.result("STATUS: COMPLETE", nil)
	case "busy": // 1,000 lines a second for as long as arg says
		w.busy(arg)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		w.text("never ends")
		note(arg)
		for {
			time.Sleep(time.Hour)
		}
	case "orphans":
		spawnSleepers("sleeper", arg)
		w.result("STATUS: COMPLETE", nil)
	case "orphans-hang", "orphans-nap":
		who := "sleeper"
		if mode == "orphans-nap" {
			who = "napper"
		}
		spawnSleepers(who, arg)
		w.text("hangs")
		for {
			time.Sleep(time.Hour)
		}
	case "unmarked":
		return leaveUnmarked(arg)
	case "hungry":
		return takeMemory()
	case "tool": // a tool whose process lives on
		w.say(map[string]any{"type": "assistant", "message": map[string]any{
			"content": []any{map[string]any{"type": "tool_use", "id": "t1", "name": "Bash", "input": map[string]any{"command": "sleep"}}},
		}})
		spawnSleepers("sleeper", arg)
		return w.steered(first)
	case "steered":
		return w.steered(first)
	case "asks":
		return w.asks(strings.Split(arg, ","))
	case "background":
		w.say(map[string]any{"type": "system", "subtype": "background_tasks_changed", "tasks": []any{map[string]any{"task_id": "b1"}}})
		w.result("Started, waiting.", nil)
		waitForFile(arg)
		w.say(map[string]any{"type": "system", "subtype": "background_tasks_changed", "tasks": []any{}})
		w.turn()
		w.result("STATUS: COMPLETE at last", nil)
	case "under": // asks from an orphan with an empty environment whose worker it is
		cmd := exec.Command("/bin/sh", "-c", `(exec "$0" under "$1") & exit 0`, os.Args[0], arg)
		cmd.Env = []string{}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		waitForFile(arg)
		w.result("STATUS: COMPLETE", nil)
	case "two-results":
		w.result("first", nil)
		w.result("second", nil)
		return 1
	case "error":
		w.result("API Error: 500", map[string]any{"is_error": true, "terminal_reason": "api_error"})
	case "long":
		w.long()
	case "pieces":
		w.pieces()
		return 0
	}
	return w.waitEnd()
}

// leaveUnmarked leaves a process behind that has dropped its environment.
func leaveUnmarked(dir string) int {
	cmd := exec.Command(os.Args[0], "sleeper", filepath.Join(dir, "unmarked"))
	cmd.Env = []string{}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	for {
		time.Sleep(time.Hour)
	}
}

// takeMemory takes more and more, up to what a test can afford.
func takeMemory() int {
	var held [][]byte
	for len(held) < 400 {
		page := make([]byte, 1<<20)
		for i := 0; i < len(page); i += 4096 {
			page[i] = 1
		}
		held = append(held, page)
	}
	for {
		time.Sleep(time.Hour)
		held[0][0]++
	}
}

// spawnSleepers starts two processes that leave the agent's session; one of
// them loses its parent at once.
func spawnSleepers(who, dir string) {
	for i, shell := range []string{`exec "$0" "$2" "$1"`, `"$0" "$2" "$1" & exit 0`} {
		pid := filepath.Join(dir, "sleeper"+strconv.Itoa(i))
		cmd := exec.Command("/bin/sh", "-c", shell, os.Args[0], pid, who)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		waitForFile(pid)
	}
}

// steered answers its first message only when it has been steered, obeys an
// interrupt, and answers what comes afterwards in turns of their own.
func (w *wire) steered(first incoming) int {
	w.text("started")
	for {
		v, ok := w.next()
		if !ok {
			return 0
		}
		switch {
		case v.Type == "control_request":
			w.say(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": v.ID, "response": map[string]any{"still_queued": []any{}}}})
			w.result("", map[string]any{"is_error": true, "subtype": "error_during_execution", "terminal_reason": "aborted_tools"})
		case v.Type == "user":
			w.receipt(v.UUID, "queued")
			w.receipt(v.UUID, "started")
			w.say(map[string]any{"type": "user", "isReplay": true, "uuid": v.UUID, "message": map[string]any{"content": v.Message.Content}})
			w.turn()
			w.text("heard " + strconv.Itoa(len(v.Message.Content)))
			w.result("STATUS: COMPLETE heard", map[string]any{"user_message_uuids": []any{first.UUID, v.UUID}})
			w.receipt(v.UUID, "completed")
		}
	}
}

// asks asks for each of the commands, one after another, and reports what it
// was told. A question mark before it makes it a question.
func (w *wire) asks(what []string) int {
	var told []string
	for i, command := range what {
		id := "q" + strconv.Itoa(i)
		tool, input := "Bash", map[string]any{"command": command}
		if q, ok := strings.CutPrefix(command, "?"); ok {
			tool = workers.AskTool
			input = map[string]any{"questions": []any{map[string]any{"question": q, "options": []any{map[string]any{"label": "yes"}}}}}
		}
		w.say(map[string]any{"type": "assistant", "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "message": map[string]any{
			"content": []any{map[string]any{"type": "tool_use", "id": "t" + id, "name": tool, "input": input}},
		}})
		w.say(map[string]any{"type": "control_request", "request_id": id, "request": map[string]any{
			"subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "t" + id,
		}})
		v, ok := w.next()
		for ok && (v.Type != "control_response" || v.Response.ID != id) {
			v, ok = w.next()
		}
		if !ok {
			return 0
		}
		w.say(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": id, "response": map[string]any{"behavior": v.Response.Body.Behavior}}})
		word := v.Response.Body.Behavior
		for _, a := range v.Response.Body.Input.Answers {
			word += " " + a
		}
		told = append(told, strings.TrimSpace(word+" "+v.Response.Body.Message))
	}
	w.result(strings.Join(told, "; "), nil)
	return w.waitEnd()
}

// busy writes what a worker writes, ten lines every ten milliseconds.
func (w *wire) busy(arg string) {
	long, err := time.ParseDuration(arg)
	if err != nil {
		os.Exit(2)
	}
	begun := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	for n := 0; time.Since(begun) < long; <-tick.C {
		for due := int(time.Since(begun) / time.Millisecond); n < due; n++ {
			id := strconv.Itoa(n / 3)
			switch n % 3 {
			case 0:
				w.text("I look at file " + id + " and what it says of the case: " + strings.Repeat("word ", n%40))
			case 1:
				w.say(map[string]any{"type": "assistant", "message": map[string]any{
					"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": "sed -n 1,40p file-" + id}}},
				}})
			default:
				w.say(map[string]any{"type": "user", "message": map[string]any{
					"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": strings.Repeat("a line of it\n", n%30)}},
				}})
			}
		}
	}
	w.result("STATUS: COMPLETE", nil)
}

func (w *wire) long() {
	for _, n := range []int{100 << 10, 2 << 20, 70 << 20} {
		out := bufio.NewWriterSize(os.Stdout, 1<<20)
		fmt.Fprint(out, `{"message":{"content":[{"text":"`)
		piece := strings.Repeat("long é ", 1024)
		for n > 0 {
			n -= len(piece)
			_, _ = out.WriteString(piece)
		}
		fmt.Fprintln(out, `","type":"text"}]},"type":"assistant"}`)
		_ = out.Flush()
	}
	w.result("STATUS: COMPLETE after long lines", nil)
}

// pieces writes lines in pieces that cut runes, ends them with CRLF, and leaves
// the last one without an end.
func (w *wire) pieces() {
	line := `{"type":"assistant","message":{"content":[{"type":"text","text":"één ✓"}]}}` + "\r\n"
	for i := range len(line) {
		_, _ = os.Stdout.Write([]byte{line[i]})
	}
	data, _ := json.Marshal(map[string]any{
		"type": "result", "subtype": "success", "is_error": false, "result": "STATUS: COMPLETE ✓", "total_cost_usd": 1.5,
		"model_usage_since_last_result": map[string]any{"m": map[string]any{"costUSD": 0.5}},
	})
	half := len(data) / 2
	_, _ = os.Stdout.Write(data[:half])
	_ = os.Stdout.Sync()
	_, _ = os.Stdout.Write(data[half:])
}
