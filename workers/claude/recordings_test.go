package claude

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/workers"
)

var rewrite = flag.Bool("update", false, "rewrite the events of the recordings")

// names are how the kinds of event are written in the golden files.
var names = map[workers.EventKind]string{
	workers.EventRaw: "raw", workers.EventTurn: "turn", workers.EventText: "text", workers.EventThinking: "thinking",
	workers.EventTool: "tool", workers.EventToolEnd: "tool end", workers.EventDenied: "denied", workers.EventUser: "user",
	workers.EventMessage: "message", workers.EventAnswer: "answer", workers.EventTasks: "tasks", workers.EventTaskEnd: "task end",
	workers.EventNotice: "notice", workers.EventError: "error", workers.EventLimit: "limit", workers.EventResult: "result",
	workers.EventAsk: "ask", workers.EventAskEnd: "ask end", workers.EventUsage: "usage", workers.EventSub: "subagent", workers.EventCompact: "compact",
}

// written is one event as a line.
func written(e *workers.Event) string {
	var b strings.Builder
	b.WriteString(names[e.Kind])
	add := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%.160q", key, value)
		}
	}
	if e.Sub {
		b.WriteString(" sub")
	}
	if e.Failed {
		b.WriteString(" failed")
	}
	if !e.At.IsZero() {
		add("at", e.At.UTC().Format("15:04:05.000"))
	}
	add("id", e.ID)
	add("tool", e.Tool)
	add("state", string(e.State))
	add("session", e.Session)
	add("ids", strings.Join(e.IDs, ","))
	if e.Tokens != 0 {
		add("tokens", fmt.Sprint(e.Tokens))
	}
	if !e.Until.IsZero() {
		add("until", e.Until.UTC().Format(time.RFC3339))
	}
	add("text", e.Text)
	if e.Ask != nil {
		add("call", e.Ask.Call)
		add("input", string(e.Ask.Input))
	}
	if r := e.Result; r != nil {
		if r.IsError {
			b.WriteString(" is_error")
		}
		add("subtype", r.Subtype)
		add("terminal", r.Terminal)
		add("final", r.Text)
		add("errors", strings.Join(r.Errors, "; "))
		fmt.Fprintf(&b, " turns=%d queued=%d cost=%.4f tokens=%d since=%v/%.4f/%d", r.Turns, r.Queued, r.CostUSD, r.Tokens, r.HasSince, r.SinceCost, r.SinceTokens)
		add("messages", strings.Join(r.Messages, ","))
		if r.Limited {
			add("limited until", r.LimitUntil.UTC().Format(time.RFC3339))
		}
	}
	return b.String()
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d recordings (%v)", len(files), err)
	}
	return files
}

// Every recording of the real agent, event by event. `go test ./workers/claude
// -update` rewrites them; read the difference.
func TestEventsOfRecordings(t *testing.T) {
	t.Parallel()
	for _, file := range recordings(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, e := range parseAll(data) {
			got.WriteString(written(&e) + "\n")
		}
		golden := filepath.Join("testdata", "events", strings.TrimSuffix(filepath.Base(file), ".jsonl")+".txt")
		if *rewrite {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(file), diff)
		}
	}
}

// Failure 2, for its whole kind: however a stream arrives (in pieces of any
// size, also through the middle of a character, with either line end, with
// words of other programs between its lines, without its last line end), it
// says the same.
func TestHoweverAStreamArrives(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	said := func(events []workers.Event) []string {
		var out []string
		for i := range events {
			if events[i].Kind != workers.EventRaw {
				out = append(out, written(&events[i]))
			}
		}
		return out
	}
	for _, file := range recordings(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := said(parseAll(data))
		for _, garbage := range []string{"", "npm warn old lockfile\n", "\x1b[2J\x00\xff\n\n", "{\"type\":\"result\",\n"} {
			var stream []byte
			for line := range bytes.Lines(data) {
				stream = append(append(stream, garbage...), bytes.TrimSuffix(line, []byte("\n"))...)
				stream = append(stream, []string{"\n", "\r\n"}[r.IntN(2)]...)
			}
			stream = bytes.TrimRight(stream, "\r\n")
			var events []workers.Event
			var split workers.Splitter
			a := Agent{Now: func() time.Time { return recorded }}
			take := func(line []byte) { events = a.Parse(events, line) }
			for len(stream) > 0 {
				n := min(len(stream), 1+r.IntN([]int{3, 100, 70_000}[r.IntN(3)]))
				split.Feed(stream[:n], take)
				stream = stream[n:]
			}
			split.Rest(take)
			if diff := cmp.Diff(want, said(events)); diff != "" {
				t.Fatalf("%s with %q between (-whole +pieces):\n%s", filepath.Base(file), garbage, diff)
			}
		}
	}
}
