package claude

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/workers"
)

// FuzzStream feeds whole streams: they say the same in pieces of any size, and
// what is shown of them holds nothing that steers a terminal.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 8<<10 {
			f.Add(data, uint16(i+1))
		}
	}
	f.Add([]byte("{\"type\":\"result\"}\r\n\xff\x1b[2J\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\"},{\"type\":\"tool_use\",\"id\":\"a\"}]}}"), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		if len(data) > 64<<10 {
			return
		}
		whole, pieces := eventsOf(data, len(data)), eventsOf(data, 1+int(n))
		if !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("in pieces of %d: %s", 1+int(n), cmp.Diff(whole, pieces))
		}
		var tail workers.Tail
		for i := range whole {
			tail.Add(&whole[i], recorded)
		}
		for _, l := range tail.Lines() {
			for _, text := range []string{l.Text, l.Tool, tail.Activity()} {
				if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
					t.Fatalf("a control character in %q", text)
				}
			}
		}
		if tail.Total() < len(tail.Lines()) || tail.Usage.CostUSD() < 0 {
			t.Fatalf("%d lines of %d, cost %v", len(tail.Lines()), tail.Total(), tail.Usage.CostUSD())
		}
	})
}

// eventsOf is what a stream says when it comes in pieces of n bytes.
func eventsOf(data []byte, n int) []workers.Event {
	var events []workers.Event
	var split workers.Splitter
	a := Agent{Now: func() time.Time { return recorded }}
	take := func(line []byte) { events = a.Parse(events, line) }
	for rest := data; len(rest) > 0; {
		k := min(n, len(rest))
		split.Feed(rest[:k], take)
		rest = rest[k:]
	}
	split.Rest(take)
	return events
}
