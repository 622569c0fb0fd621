package workers

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)

func tailOfEvents(events ...Event) *Tail {
	var t Tail
	for i := range events {
		t.Add(&events[i], at)
	}
	return &t
}

func TestTailKeepsAWindow(t *testing.T) {
	t.Parallel()
	var tail Tail
	for i := range 3*TailLines + 7 {
		tail.Add(&Event{Kind: EventText, Text: fmt.Sprint(i)}, at)
		lines := tail.Lines()
		if want := min(i+1, TailLines); len(lines) != want || lines[len(lines)-1].Text != fmt.Sprint(i) || lines[0].Text != fmt.Sprint(i+1-want) {
			t.Fatalf("after %d: %d lines, %q to %q", i, len(lines), lines[0].Text, lines[len(lines)-1].Text)
		}
	}
	if tail.Total() != 3*TailLines+7 {
		t.Errorf("total %d", tail.Total())
	}
}

func TestTailMatchesToolsWithTheirEnds(t *testing.T) {
	t.Parallel()
	tail := tailOfEvents(
		Event{Kind: EventTool, ID: "a", Tool: "Bash", Text: "make test\nand more", At: at},
		Event{Kind: EventTool, ID: "b", Tool: "Read", Text: "x.go", Sub: true, At: at.Add(time.Second)},
		Event{Kind: EventToolEnd, ID: "b", At: at.Add(2 * time.Second)},
	)
	if got := tail.Activity(); got != "Bash make test" {
		t.Errorf("activity %q", got)
	}
	lines := tail.Lines()
	if lines[0].Done || !lines[1].Done || lines[1].Failed || lines[1].Took != time.Second || !lines[1].Sub {
		t.Errorf("%+v", lines)
	}
	tail.Add(&Event{Kind: EventToolEnd, ID: "a", Failed: true, At: at.Add(5 * time.Second)}, at)
	if l := tail.Lines()[0]; !l.Done || !l.Failed || l.Took != 5*time.Second {
		t.Errorf("%+v", l)
	}
	if got := tail.Activity(); got != "waits for the model" {
		t.Errorf("activity %q", got)
	}
}

func TestTailOddOrders(t *testing.T) {
	t.Parallel()
	scrolled := []Event{{Kind: EventTool, ID: "old", Tool: "Bash", Text: "sleep"}}
	for range TailLines {
		scrolled = append(scrolled, Event{Kind: EventText, Text: "x"})
	}
	tests := []struct {
		name   string
		events []Event
		lines  int
		last   Line
	}{
		{"an end without a call", []Event{{Kind: EventToolEnd, ID: "x"}}, 0, Line{}},
		{
			"a refusal without a call",
			[]Event{{Kind: EventDenied, ID: "x", Tool: "Write", Text: "no"}},
			1,
			Line{At: at, Kind: LineDenied, Tool: "Write", Text: "no", Done: true, Failed: true},
		},
		{
			"a refusal of a call",
			[]Event{{Kind: EventTool, ID: "x", Tool: "Write", Text: "f"}, {Kind: EventDenied, ID: "x"}, {Kind: EventToolEnd, ID: "x", Failed: true}},
			1,
			Line{At: at, Kind: LineDenied, Tool: "Write", Text: "f", Done: true, Failed: true},
		},
		{
			"a call cut off by the end of its turn",
			[]Event{{Kind: EventTool, ID: "x", Tool: "Bash", Text: "f"}, {Kind: EventResult, Result: &Result{IsError: true, Terminal: "aborted_tools"}}},
			2,
			Line{At: at, Kind: LineResult, Text: "interrupted · $0.0000", Done: true, Failed: true},
		},
		{"a call that has scrolled away ends", append(scrolled, Event{Kind: EventToolEnd, ID: "old"}), TailLines, Line{At: at, Kind: LineText, Text: "x"}},
		{"control characters", []Event{{Kind: EventRaw, Text: "\x1b[2Jhi\r\n"}}, 1, Line{At: at, Kind: LineNotice, Text: "␛[2Jhi"}},
		{"thoughts that are not shown", []Event{{Kind: EventThinking, Text: "  "}}, 0, Line{}},
	}
	for _, tt := range tests {
		lines := tailOfEvents(tt.events...).Lines()
		if len(lines) != tt.lines {
			t.Errorf("%s: %d lines", tt.name, len(lines))
			continue
		}
		if len(lines) > 0 && lines[len(lines)-1] != tt.last {
			t.Errorf("%s: %+v, want %+v", tt.name, lines[len(lines)-1], tt.last)
		}
	}
}

func TestTailCutsLongText(t *testing.T) {
	t.Parallel()
	tail := tailOfEvents(Event{Kind: EventText, Text: strings.Repeat("é", lineText)}, Event{Kind: EventTool, ID: "x", Tool: "Bash", Text: strings.Repeat("y", 5000)})
	if n := len(tail.Lines()[0].Text); n > lineText+8 {
		t.Errorf("a line of %d bytes", n)
	}
	if a := tail.Activity(); len(a) > 220 || strings.Contains(a, "\n") {
		t.Errorf("activity of %d bytes", len(a))
	}
}

func TestUsageIsTheRunsShare(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prior   float64
		results []Result
		cost    float64
		tokens  int64
	}{
		{"one result", 0, []Result{{CostUSD: 1, Tokens: 10}}, 1, 10},
		{"cumulative results", 0, []Result{{CostUSD: 1, Tokens: 10}, {CostUSD: 3, Tokens: 40}}, 3, 40},
		{"a resumed session that tells", 0.5, []Result{{CostUSD: 3, Tokens: 40, HasSince: true, SinceCost: 1, SinceTokens: 10}, {CostUSD: 4, Tokens: 50}}, 2, 20},
		{"a resumed session that does not tell", 2, []Result{{CostUSD: 3}}, 1, 0},
		{"an end that tells nothing", 0, []Result{{CostUSD: 3, Tokens: 9}, {IsError: true}}, 3, 9},
		{"resume of an unknown session", 2, []Result{{IsError: true}}, 0, 0},
	}
	for _, tt := range tests {
		u := Usage{Prior: tt.prior}
		for i := range tt.results {
			u.Add(&tt.results[i])
		}
		if u.CostUSD() != tt.cost || u.Tokens() != tt.tokens || u.Turns() != len(tt.results) {
			t.Errorf("%s: %v, %d, %d turns", tt.name, u.CostUSD(), u.Tokens(), u.Turns())
		}
	}
}

func TestRunIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"r1", "DSP-3.dev_2", strings.Repeat("x", 128)} {
		if err := CheckRunID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "-rf", ".hidden", "a b", "a\x00", "é", strings.Repeat("x", 129)} {
		if CheckRunID(id) == nil {
			t.Errorf("%q was taken", id)
		}
	}
}
