package attention

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func need(kind state.NeedKind, ref string, since time.Time) state.Need {
	return state.Need{Kind: kind, Ref: board.Ref(ref), Title: "Login", Text: "tried 3 times\nlast: exit 1", Since: since}
}

func texts(events []Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Kind)+": "+e.Text)
	}
	return out
}

func TestLook(t *testing.T) {
	t.Parallel()
	ask := state.Need{Kind: state.NeedRequest, Ref: "A-1", Request: "r1", Text: "Which one?\n1. this"}
	later := need(state.NeedQuestion, "A-2", noon.Add(time.Minute))
	quota := func(until string) *state.Snapshot {
		return &state.Snapshot{Rows: []state.Row{{Hold: "quota", Waits: "quota: usage limit of claude until " + until}, {Hold: "quota", Waits: "quota: usage limit of claude until " + until}}}
	}
	for name, tc := range map[string]struct {
		before, now *state.Snapshot
		want        []string
	}{
		"nothing":  {&state.Snapshot{}, &state.Snapshot{}, nil},
		"question": {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{need(state.NeedQuestion, "A-2", noon)}}, []string{"question: A-2 has a question: Login"}},
		"permission": {
			&state.Snapshot{},
			&state.Snapshot{Needs: []state.Need{ask}, Requests: []state.Request{{ID: "r1", Kind: state.RequestPermission, Tool: "Bash", Summary: "npm publish"}}},
			[]string{"permission: A-1 asks: Bash npm publish"},
		},
		"asked while it runs": {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{ask}}, []string{"question: A-1 asks: Which one?"}},
		"given up":            {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{need(state.NeedAttention, "A-3", noon)}}, []string{"gave-up: A-3 was given up: tried 3 times"}},
		"review":              {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{need(state.NeedReview, "A-4", noon)}}, []string{"finished: A-4 is ready for your review: Login"}},
		"limit, once":         {&state.Snapshot{}, quota("05:00Z"), []string{"limit: a limit is reached: usage limit of claude until 05:00Z"}},
		"the same limit":      {quota("05:00Z"), quota("05:00Z"), nil},
		"the next limit":      {quota("05:00Z"), quota("10:00Z"), []string{"limit: a limit is reached: usage limit of claude until 10:00Z"}},
		"the owner's doing": {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{
			need(state.NeedInterrupted, "A-1", noon), need(state.NeedStale, "A-2", noon), need(state.NeedConfirm, "A-3", noon),
		}}, nil},
		"stood there":    {&state.Snapshot{Needs: []state.Need{later}}, &state.Snapshot{Needs: []state.Need{later}}, nil},
		"asked again":    {&state.Snapshot{Needs: []state.Need{need(state.NeedQuestion, "A-2", noon)}}, &state.Snapshot{Needs: []state.Need{later}}, []string{"question: A-2 has a question: Login"}},
		"hostile titles": {&state.Snapshot{}, &state.Snapshot{Needs: []state.Need{{Kind: state.NeedQuestion, Ref: "A-2", Title: "x\x1b]0;owned\x07\ny"}}}, []string{"question: A-2 has a question: x␛]0;owned␇ y"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w Watch
			if got := w.Look(tc.before); got != nil {
				t.Errorf("the first picture calls: %v", got)
			}
			if d := cmp.Diff(tc.want, texts(w.Look(tc.now))); d != "" {
				t.Error(d)
			}
			w.Look(&state.Snapshot{}) // a poll that failed shows nothing
			if got := w.Look(tc.now); got != nil {
				t.Errorf("called twice: %v", got)
			}
		})
	}
}

func TestWatchForgets(t *testing.T) {
	t.Parallel()
	var w Watch
	w.Look(&state.Snapshot{})
	for i := range remembered + 50 {
		w.Look(&state.Snapshot{Needs: []state.Need{need(state.NeedQuestion, fmt.Sprint("A-", i), noon)}})
	}
	if len(w.known) != remembered || len(w.order) != remembered {
		t.Errorf("%d and %d things are remembered", len(w.known), len(w.order))
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	one := []Event{{Question, "A-1", "A-1 has a question"}}
	all := Options{Bell: true, Notify: OSC9}
	const note = "\x1b]9;dispatcher: A-1 has a question\x1b\\"
	for name, tc := range map[string]struct {
		opts    Options
		events  []Event
		at      time.Time
		looking bool
		want    string
	}{
		"both":             {all, one, noon, false, note + "\a"},
		"nothing":          {all, nil, noon, false, ""},
		"looking":          {all, one, noon, true, "\a"},
		"no bell":          {Options{Notify: OSC9}, one, noon, false, note},
		"777":              {Options{Notify: OSC777}, []Event{{Limit, "", "a; b"}}, noon, false, "\x1b]777;notify;dispatcher;a, b\x1b\\"},
		"through a tmux":   {Options{Notify: OSC9, Tmux: true}, one, noon, false, "\x1bPtmux;\x1b\x1b]9;dispatcher: A-1 has a question\x1b\x1b\\\x1b\\"},
		"several":          {all, append(one, one...), noon, false, "\x1b]9;dispatcher: 2 things need you; A-1 has a question\x1b\\\a"},
		"muted":            {Options{Bell: true, Mute: []Kind{Question}}, one, noon, false, ""},
		"another is muted": {Options{Bell: true, Mute: []Kind{Finished}}, one, noon, false, "\a"},
		"quiet":            {Options{Bell: true, Quiet: []Span{{11 * 60, 13 * 60}}}, one, noon, false, ""},
		"quiet is over":    {Options{Bell: true, Quiet: []Span{{11 * 60, 12 * 60}}}, one, noon, false, "\a"},
		"over midnight":    {Options{Bell: true, Quiet: []Span{{22 * 60, 7 * 60}}}, one, noon.Add(-6 * time.Hour), false, ""},
		"not at noon":      {Options{Bell: true, Quiet: []Span{{22 * 60, 7 * 60}}}, one, noon, false, "\a"},
		"long": {
			Options{Notify: OSC9},
			[]Event{{Question, "A-1", strings.Repeat("x", 500)}},
			noon, false,
			"\x1b]9;dispatcher: " + strings.Repeat("x", maxText-1) + "…\x1b\\",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := NewCaller(tc.opts)
			c.Add(tc.at, tc.events)
			if got := c.Call(tc.at, tc.looking); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := c.Call(tc.at.Add(time.Hour), false); got != "" {
				t.Errorf("called again with %q", got)
			}
		})
	}
}

// TestAStormIsFewCalls adds a thing each tenth of a second for a minute.
func TestAStormIsFewCalls(t *testing.T) {
	t.Parallel()
	c := NewCaller(Options{Bell: true})
	calls := 0
	for i := range 600 {
		at := noon.Add(time.Duration(i) * 100 * time.Millisecond)
		c.Add(at, []Event{{Question, "A-1", "x"}})
		if c.Call(at, false) != "" {
			calls++
		}
	}
	if calls != 12 {
		t.Errorf("a minute has %d calls, want 12", calls)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  map[string]string
		want Style
		tmux bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, OSC9, false},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, OSC777, false},
		{map[string]string{"TERM": "foot"}, OSC777, false},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"}, OSC9, true},
		{map[string]string{"TERM": "linux"}, "", false},
		{map[string]string{}, "", false},
	} {
		if got, tmux := Detect(func(k string) string { return tc.env[k] }); got != tc.want || tmux != tc.tmux {
			t.Errorf("%v: %q, %v", tc.env, got, tmux)
		}
	}
}

func TestAway(t *testing.T) {
	t.Parallel()
	at := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	a := NewAway(10*time.Minute, at(0))
	a.Add(nil, &state.Snapshot{CostToday: 2}, true)
	if _, gone := a.Key(at(4)); gone {
		t.Error("four minutes are an absence")
	}
	a.Add([]Event{{Kind: Question}, {Kind: Finished}, {Kind: Finished}}, &state.Snapshot{CostToday: 4}, false)
	a.Add([]Event{{Kind: GaveUp}}, &state.Snapshot{CostToday: 5.10}, false)
	if since, gone := a.Gone(at(13)); gone || since != at(4) {
		t.Errorf("nine minutes: %v, %v", since, gone)
	}
	got, gone := a.Key(at(56))
	if want := "away 12:04 to 12:56: 2 finished, 1 question, 1 gave up, $3.10"; !gone || got.Line() != want {
		t.Errorf("got %q, %v", got.Line(), gone)
	}
	got, gone = a.Key(at(80))
	if want := "away 12:56 to 13:20: nothing happened that needs you"; !gone || got.Line() != want {
		t.Errorf("got %q, %v", got.Line(), gone)
	}
	a.Add(nil, &state.Snapshot{CostToday: 0.25}, false) // another day
	if got, _ = a.Key(at(100)); got.Text != "$0.25" {
		t.Errorf("after midnight: %q", got.Text)
	}
	if _, gone := NewAway(0, noon).Gone(at(1000)); gone {
		t.Error("who never counts as away is away")
	}
}
