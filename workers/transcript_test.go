//go:build unix

package workers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// transcriptMB is the size of the transcript of the benchmark.
var transcriptMB = flag.Int("transcript.mb", 32, "size of the transcript that BenchmarkTranscript reads, in MB")

// recordedRun is a run folder with the given output, without any process. With
// an index it looks as its supervisor leaves it.
func recordedRun(tb testing.TB, output []byte, index, ended bool) (*workers.Launcher, workers.Folder) {
	tb.Helper()
	runs := tb.TempDir()
	l := workers.NewLauncher(workers.Options{Runs: runs, Binary: os.Args[0], Agent: agents})
	f := workers.OpenFolder(filepath.Join(runs, "r1"))
	if err := os.Mkdir(f.Dir(), 0o700); err != nil {
		tb.Fatal(err)
	}
	put(tb, filepath.Join(f.Dir(), "spec.json"), []byte(`{"version":1,"run":"r1","ref":"DSP-1","kind":"developer","agent":"claude"}`))
	put(tb, f.TranscriptPath(), output)
	if index {
		var events []workers.Event
		x := f.NewIndexer(0, time.Time{})
		follow := workers.NewFollower(f.TranscriptPath())
		if _, err := follow.Read(func(b []byte) {
			events = claude.Agent{}.Parse(events[:0], b)
			x.Line(events, follow.LineEnd())
		}); err != nil {
			tb.Fatal(err)
		}
	}
	if ended {
		if err := f.WriteExit(workers.Exit{}); err != nil {
			tb.Fatal(err)
		}
	}
	return l, f
}

func put(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// busyStream is output with everything that a reader must carry over a mark:
// tool calls that run for long, denials, results with costs, texts of all
// lengths, lines that say nothing. It is the same for the same seed.
func busyStream(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	var open []int
	n, cost := 0, 0.0
	say := func(v map[string]any) {
		n++
		v["timestamp"] = time.Date(2026, 11, 30, 11, 0, n, 0, time.UTC).Format(time.RFC3339)
		line, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	block := func(kind string, v map[string]any) {
		say(map[string]any{"type": kind, "message": map[string]any{"content": []any{v}}})
	}
	for b.Len() < size {
		switch k := r.IntN(100); {
		case k < 40:
			block("assistant", map[string]any{"type": "text", "text": fmt.Sprintf("Say %d. %s", n, strings.Repeat("Größe ", r.IntN(200)))})
		case k < 60:
			block("assistant", map[string]any{"type": "tool_use", "id": fmt.Sprint(n), "name": "Bash", "input": map[string]any{"command": fmt.Sprintf("make step-%d", n)}})
			open = append(open, n-1)
		case k < 80 && len(open) > 0:
			i := r.IntN(len(open))
			block("user", map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprint(open[i]), "is_error": k == 61, "content": strings.Repeat("out ", r.IntN(3000))})
			open = append(open[:i], open[i+1:]...)
		case k == 81 && len(open) > 0:
			say(map[string]any{"type": "system", "subtype": "permission_denied", "tool_use_id": fmt.Sprint(open[0]), "tool_name": "Bash", "message": "no"})
		case k == 82:
			cost += 0.01
			say(map[string]any{"type": "result", "subtype": "success", "result": "done", "total_cost_usd": cost})
			open = open[:0]
		case k == 83:
			b.WriteString("a word of something else\r\n")
		case k == 84:
			block("assistant", map[string]any{"type": "text", "text": strings.Repeat("long ", 100_000)})
		default:
			say(map[string]any{"type": "system", "subtype": "thinking_tokens"})
		}
	}
	return b.Bytes()
}

func openTranscript(tb testing.TB, l *workers.Launcher) *workers.Transcript {
	tb.Helper()
	tr, err := l.OpenTranscript("r1")
	if err != nil {
		tb.Fatal(err)
	}
	return tr
}

// allLines reads a transcript from its begin in pages.
func allLines(tb testing.TB, tr *workers.Transcript, page int) []workers.Line {
	tb.Helper()
	var all []workers.Line
	for {
		lines, first, err := tr.Lines(tb.Context(), len(all), page)
		if err != nil {
			tb.Fatal(err)
		}
		if len(lines) == 0 {
			return all
		}
		if first != len(all) {
			tb.Fatalf("asked for line %d, got %d", len(all), first)
		}
		all = append(all, lines...)
	}
}

// A transcript reads the same from any place, with an index or without, and as
// a live view of the run shows it.
func TestTranscriptFromAnyPlace(t *testing.T) {
	t.Parallel()
	output := busyStream(7, 6<<20)
	l, f := recordedRun(t, output, true, true)
	indexed := openTranscript(t, l)
	index, err := os.ReadFile(f.IndexPath())
	if err != nil || bytes.Count(index, []byte("\n")) < 4 {
		t.Fatalf("the index has %d lines (%v)", bytes.Count(index, []byte("\n")), err)
	}
	plain, _ := recordedRun(t, output, false, true)
	want := allLines(t, openTranscript(t, plain), workers.MaxPage)

	st, err := l.Observe(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if st.Lines != len(want) {
		t.Fatalf("%d lines, the live view has %d", len(want), st.Lines)
	}
	noDetail := cmpopts.IgnoreFields(workers.Line{}, "Detail") // a tail has none, a call that ends too far on a part
	if diff := cmp.Diff(st.Tail, want[len(want)-len(st.Tail):], noDetail); diff != "" {
		t.Errorf("end (-live +read):\n%s", diff)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		from, n := r.IntN(len(want)), 1+r.IntN(80)
		got, first, err := indexed.Lines(t.Context(), from, n)
		if err != nil || first != from {
			t.Fatalf("lines from %d: begin at %d: %v", from, first, err)
		}
		for i := range got {
			// When a call ends too far on, only that it did is told.
			w := want[from+i]
			if got[i].Done && got[i].Took == 0 {
				got[i].Took, got[i].Failed, got[i].Kind = w.Took, w.Failed, w.Kind
			}
			if w.Done && w.Took == 0 {
				w = got[i]
			}
			if diff := cmp.Diff(w, got[i], noDetail); diff != "" {
				t.Fatalf("line %d of a page from %d (-want +got):\n%s", from+i, from, diff)
			}
		}
		if len(got) != min(n, len(want)-from) {
			t.Fatalf("%d lines from %d, asked for %d of %d", len(got), from, n, len(want))
		}
	}
}

// What stands before a mark decides how lines behind it are counted: a refusal
// of a call that runs is no line of its own.
func TestTranscriptCarriesOpenCallsOverAMark(t *testing.T) {
	t.Parallel()
	say := func(s string) string {
		return `{"type":"assistant","message":{"content":[{"type":"text","text":"` + s + `"}]}}` + "\n"
	}
	var b strings.Builder
	b.WriteString(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"x"}}]}}` + "\n")
	for range 40 {
		b.WriteString(say(strings.Repeat("x", 32<<10)))
	}
	b.WriteString(`{"type":"system","subtype":"permission_denied","tool_use_id":"t1","tool_name":"Bash","message":"no"}` + "\n")
	b.WriteString(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}}` + "\n")
	b.WriteString(say("after"))
	l, _ := recordedRun(t, []byte(b.String()), true, true)
	lines, first, err := openTranscript(t, l).Lines(t.Context(), 40, 3)
	if err != nil || first != 40 || len(lines) != 2 || lines[1].Text != "after" {
		t.Errorf("%d lines from %d: %v", len(lines), first, err)
	}
	lines, _, err = openTranscript(t, l).Lines(t.Context(), 0, 2)
	if err != nil || !lines[0].Done {
		t.Errorf("a call that was refused much later: %+v, %v", lines[0], err)
	}
}

func TestTranscriptEdges(t *testing.T) {
	t.Parallel()
	say := func(s string) string {
		return `{"type":"assistant","message":{"content":[{"type":"text","text":"` + s + `"}]}}`
	}
	l, f := recordedRun(t, []byte(say("one")+"\n"+say("two")+"\n"+say("half")), false, false)
	tr := openTranscript(t, l)
	text := func(from, n int) string {
		lines, first, err := tr.Lines(t.Context(), from, n)
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprint(first)
		for _, l := range lines {
			s += " " + l.Text
		}
		return s
	}
	for _, tt := range []struct {
		from, n int
		want    string
	}{
		{0, 9, "0 one two"},
		{-1, 1, "1 two"},
		{-1, 9, "0 one two"},
		{1, 1, "1 two"},
		{2, 5, "2"},
		{70, 5, "2"},
		{0, 0, "0"},
		{0, -3, "0"},
	} {
		if got := text(tt.from, tt.n); got != tt.want {
			t.Errorf("from %d, %d lines: %q, want %q", tt.from, tt.n, got, tt.want)
		}
	}
	// It grows, and only a whole line counts.
	grow := func(s string) {
		file, err := os.OpenFile(f.TranscriptPath(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	grow("\r\n" + say("four"))
	if got := text(-1, 2); got != "1 two half" || tr.Ended() {
		t.Errorf("after it grew: %q, ended %v", got, tr.Ended())
	}
	// A last line without its end counts once nothing can follow.
	if err := f.WriteExit(workers.Exit{}); err != nil {
		t.Fatal(err)
	}
	if got := text(-1, 2); got != "2 half four" || !tr.Ended() {
		t.Errorf("after its end: %q, ended %v", got, tr.Ended())
	}
	if _, err := l.OpenTranscript("r2"); !errors.Is(err, workers.ErrNoRun) {
		t.Errorf("no such run: %v", err)
	}
	if _, err := l.OpenTranscript("../r1"); !errors.Is(err, workers.ErrBadName) {
		t.Errorf("a run that is a path: %v", err)
	}
}

// An index is derived: whatever stands in it, the answers are the transcript's.
func TestTranscriptWithABrokenIndex(t *testing.T) {
	t.Parallel()
	output := busyStream(9, 4<<20)
	l, f := recordedRun(t, output, true, true)
	want := allLines(t, openTranscript(t, l), workers.MaxPage)
	good, err := os.ReadFile(f.IndexPath())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	for name, index := range map[string][]byte{
		"torn":            good[:len(good)-7],
		"garbage":         append(bytes.Clone(lines[0]), "\x00\x01{\n"...),
		"empty":           {},
		"newer":           append([]byte("{\"version\":99}\n"), bytes.Join(lines[1:], nil)...),
		"beyond the file": append(bytes.Clone(good), fmt.Sprintf(`{"at":%d,"line":%d}`, len(output)+1, len(want)+1)...),
		"going back":      append(bytes.Clone(good), lines[1]...),
	} {
		put(t, f.IndexPath(), index)
		if diff := cmp.Diff(len(want), len(allLines(t, openTranscript(t, l), workers.MaxPage))); diff != "" {
			t.Errorf("%s: lines (-want +got):\n%s", name, diff)
		}
		last, _, err := openTranscript(t, l).Lines(t.Context(), -1, 5)
		if diff := cmp.Diff(want[len(want)-5:], last); diff != "" || err != nil {
			t.Errorf("%s: %v, end (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestTranscriptFind(t *testing.T) {
	t.Parallel()
	output := busyStream(11, 5<<20)
	l, _ := recordedRun(t, output, true, true)
	tr := openTranscript(t, l)
	all := allLines(t, tr, workers.MaxPage)
	where := func(text string, from int, back bool) int {
		has := func(l workers.Line) bool {
			return strings.Contains(strings.ToLower(l.Tool+"\x00"+l.Text), strings.ToLower(text))
		}
		if back {
			for n := min(from, len(all)-1); n >= 0; n-- {
				if has(all[n]) {
					return n
				}
			}
			return -1
		}
		for n := max(0, from); n < len(all); n++ {
			if has(all[n]) {
				return n
			}
		}
		return -1
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, text := range []string{"STEP-1", "say 7", "größe", "bash", "turn ended", "nowhere at all", "GRÖSSE", "Step-4999"} {
		for range 6 {
			from, back := r.IntN(len(all)+10), r.IntN(2) == 0
			got, err := tr.Find(t.Context(), text, from, back)
			if want := where(text, from, back); err != nil || got != want {
				t.Errorf("%q from %d, back %v: %d, want %d (%v)", text, from, back, got, want, err)
			}
		}
	}
	if got, err := tr.Find(t.Context(), "", 0, false); got != -1 || err != nil {
		t.Errorf("nothing: %d, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Find(ctx, "nowhere at all", 0, false); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that nobody waits for: %v", err)
	}
}

// BenchmarkTranscript opens a large transcript as its supervisor left it and
// shows its end, its middle, and what a search through half of it takes.
func BenchmarkTranscript(b *testing.B) {
	part := busyStream(13, 8<<20)
	l, f := recordedRun(b, nil, false, false)
	file, err := os.Create(f.TranscriptPath())
	if err != nil {
		b.Fatal(err)
	}
	for range max(1, *transcriptMB/8) {
		if _, err := file.Write(part); err != nil {
			b.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	var events []workers.Event
	x := f.NewIndexer(0, time.Time{})
	follow := workers.NewFollower(f.TranscriptPath())
	begun := time.Now()
	if _, err := follow.Read(func(line []byte) {
		events = claude.Agent{}.Parse(events[:0], line)
		x.Line(events, follow.LineEnd())
	}); err != nil {
		b.Fatal(err)
	}
	b.Logf("indexed %d MB in %v", follow.Offset()>>20, time.Since(begun))
	if err := f.WriteExit(workers.Exit{}); err != nil {
		b.Fatal(err)
	}
	total, err := openTranscript(b, l).Total(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func(*workers.Transcript) error{
		"end":    func(tr *workers.Transcript) error { _, _, err := tr.Lines(b.Context(), -1, 50); return err },
		"middle": func(tr *workers.Transcript) error { _, _, err := tr.Lines(b.Context(), total/2, 50); return err },
		"find": func(tr *workers.Transcript) error {
			_, err := tr.Find(b.Context(), "nowhere", total/2, false)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(openTranscript(b, l)); err != nil {
					b.Fatal(err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MB")
		})
	}
}

// TestTranscriptDetail: the lines of a transcript hold a tool call in full, what
// it was given and what came back, cleaned and bounded; a tail holds none of it.
func TestTranscriptDetail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	output := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"go test ./...","description":"All \u001b[31mtests","timeout":5}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"ok  one"},{"type":"image"},{"type":"text","text":"ok  two"}]}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"b","name":"Write","input":{"file_path":"a.txt","content":"one\ntwo"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"` + long + `"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Odd","input":["not an object"]}]}}
`
	l, _ := recordedRun(t, []byte(output), false, true)
	lines, _, err := openTranscript(t, l).Lines(t.Context(), 0, 10)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if want := "command: go test ./...\ndescription: All ␛[31mtests\ntimeout: 5\n\nok  one\n(image)\nok  two"; lines[0].Detail != want {
		t.Errorf("the first call is %q, not %q", lines[0].Detail, want)
	}
	if want := "file_path: a.txt\ncontent:\none\ntwo\n\nxxx"; !strings.HasPrefix(lines[1].Detail, want) || len(lines[1].Detail) > 20_000 {
		t.Errorf("the second call has %d bytes: %.60q", len(lines[1].Detail), lines[1].Detail)
	}
	if lines[2].Detail != `["not an object"]` {
		t.Errorf("the third call is %q", lines[2].Detail)
	}
}
