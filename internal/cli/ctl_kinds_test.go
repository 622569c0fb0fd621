package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/loop/state"
)

// scriptedLoop answers every command in one way and remembers it; the events
// and the picture are what the test says.
type scriptedLoop struct {
	done   state.Done
	err    error
	dies   bool // before it answers
	sent   chan state.Command
	events []state.Event
	snap   *state.Snapshot
}

func (l *scriptedLoop) Send(_ context.Context, c state.Command) (state.Done, error) {
	if err := c.Check(); err != nil {
		return state.Done{}, err
	}
	l.sent <- c
	if l.dies {
		panic(http.ErrAbortHandler) // which cuts the connection
	}
	return l.done, l.err
}

func (l *scriptedLoop) Snapshot() *state.Snapshot { return l.snap }
func (l *scriptedLoop) LastEvent() uint64         { return uint64(len(l.events)) }

func (*scriptedLoop) Subscribe(context.Context) <-chan *state.Snapshot {
	out := make(chan *state.Snapshot)
	close(out)
	return out
}

func (l *scriptedLoop) Events(ctx context.Context, after uint64) <-chan state.Event {
	out := make(chan state.Event)
	go func() {
		defer close(out)
		for _, ev := range l.events {
			if ev.N <= after {
				continue
			}
			select {
			case out <- ev:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// steered is a repository with three issues, and a loop over it that is
// scripted: what the command line sends goes over its real socket.
func steered(t *testing.T, loop *scriptedLoop) (dir string, client *control.Client, end func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "dispatcher.config.json"), []byte(`{"platform": "native"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"one", "two", "three"} {
		if code, _, errs := run(t, dir, nil, "board", "create", title); code != 0 {
			t.Fatal(errs)
		}
	}
	stateDir := filepath.Join(dir, ".claude", "dispatcher")
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := control.Listen(stateDir)
	if err != nil {
		t.Fatal(err)
	}
	loop.sent = make(chan state.Command, 8)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- control.Serve(ctx, l, loop, nil) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(end)
	return dir, control.NewClient(stateDir), end
}

// ctlCase is one kind of command: how it is typed after `ctl`, what arrives,
// what is said of it, and the fields that only other clients can give.
type ctlCase struct {
	typed []string
	sent  state.Command
	says  string
	more  func(c *state.Command)
}

func words(s ...string) []string { return s }

// about are the fields of a command that has only a ref and a text.
func about(ref board.Ref, text string) state.Command { return state.Command{Ref: ref, Text: text} }

const said = "ISO 8601 <everywhere> & \"quoted\"\n\n- ä\ttab"

var ctlCases = map[state.CommandKind]ctlCase{
	state.CommandFire:   {typed: words(), says: "firing"},
	state.CommandPause:  {typed: words(), says: "paused"},
	state.CommandResume: {typed: words(), says: "resumed"},
	state.CommandDrain:  {typed: words(), says: "draining"},
	state.CommandAbort:  {typed: words(), says: "aborting"},
	state.CommandLeave:  {typed: words()},
	state.CommandAck:    {typed: words("18446744073709551615"), sent: state.Command{ID: 1<<64 - 1}},

	state.CommandAnswer: {typed: words("dsp-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 answered"},
	state.CommandHold:   {typed: words("DSP-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 held"},
	state.CommandUnhold: {typed: words("DSP-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 let go on"},
	state.CommandRetry:  {typed: words("DSP-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 will be tried again"},
	state.CommandStop:   {typed: words("DSP-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 is being stopped"},

	state.CommandSteer:     {typed: words("DSP-1", said), sent: about("DSP-1", said), says: "DSP-1 was told", more: inRun},
	state.CommandInterrupt: {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is interrupted", more: inRun},
	state.CommandTakeOver:  {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is yours when", more: inRun},
	state.CommandHandBack:  {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is handed back", more: inRun},
	state.CommandAllow: {
		typed: words("DSP-1", "--request", "r/1", "--always"),
		sent:  state.Command{Ref: "DSP-1", Request: "r/1", Always: true}, says: "DSP-1 is allowed", more: inRun,
	},
	state.CommandDeny: {
		typed: words("DSP-1", "--request", "r/1", "--body", said),
		sent:  state.Command{Ref: "DSP-1", Request: "r/1", Text: said}, says: "DSP-1 is denied", more: inRun,
	},
	state.CommandReply: {
		typed: words("DSP-1", "--request", "r/1", "yes", said),
		sent:  state.Command{Ref: "DSP-1", Request: "r/1", Answers: []string{"yes", said}}, says: "DSP-1 is answered", more: inRun,
	},

	state.CommandMove: {
		typed: words("DSP-1", "ready", "--from", "backlog"),
		sent:  state.Command{Ref: "DSP-1", Role: board.RoleReady, From: board.RoleBacklog},
	},
	state.CommandOrder: {typed: words("DSP-1", "--before", "DSP-2"), sent: state.Command{Ref: "DSP-1", Before: "DSP-2"}},
	state.CommandTick: {
		typed: words("DSP-1", "2", "--off"), sent: state.Command{Ref: "DSP-1", N: 2, Off: true},
		more: func(c *state.Command) { c.Text = said },
	},
	state.CommandLabel:    {typed: words("DSP-1", "UI", "--off"), sent: state.Command{Ref: "DSP-1", Text: "UI", Off: true}},
	state.CommandComment:  {typed: words("DSP-1", "--body", said), sent: about("DSP-1", said), says: "DSP-1 commented"},
	state.CommandClaim:    {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is yours"},
	state.CommandRelease:  {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 released"},
	state.CommandDispatch: {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is next"},
	state.CommandTouch:    {typed: words("DSP-1"), sent: about("DSP-1", ""), says: "DSP-1 is left alone for ten seconds"},
	state.CommandCreate: {
		typed: words("A new one", "--milestone", "m1", "--body", said, "--label", "UI", "--label", "API", "--blocked-by", "dsp-2"),
		sent:  state.Command{Issue: wholeDraft("A new one")},
	},
	state.CommandEdit: {
		typed: words("DSP-1", "--title", "Other", "--milestone", "m1", "--body", said, "--label", "UI", "--label", "API", "--blocked-by", "DSP-2"),
		sent:  state.Command{Ref: "DSP-1", Issue: wholeDraft("Other")},
		more:  func(c *state.Command) { c.Issue.Was = wholeDraft("Before") },
	},
	state.CommandUndo: {typed: words("7"), sent: state.Command{ID: 7}},
	state.CommandMerge: {
		typed: words("3", "--head", "9c1f2e", "--force"), sent: state.Command{PR: "#3", Head: "9c1f2e", Force: true}, more: ofRow,
	},
	state.CommandRequest: {
		typed: words("#3", "--head", "9c1f2e", "--body", said), sent: state.Command{PR: "#3", Head: "9c1f2e", Text: said},
		more: func(c *state.Command) {
			ofRow(c)
			c.Findings = []board.Finding{{Path: "a b.go", Line: 3, Severity: "blocking", Body: said}, {Path: "c.go", Severity: "nit"}}
		},
	},
	state.CommandUpdatePR: {typed: words("3"), sent: state.Command{PR: "#3"}, more: func(c *state.Command) { ofRow(c); c.Head = "9c1f2e" }},
}

func inRun(c *state.Command) { c.Run = "dsp-1-2 ü/x" }
func ofRow(c *state.Command) { c.Ref = "DSP-1" }

func wholeDraft(title string) *state.IssueDraft {
	body, milestone := said, "m1"
	return &state.IssueDraft{
		Title: &title, Body: &body, Milestone: &milestone, Labels: []string{"UI", "API"}, Blockers: []board.Ref{"DSP-2"},
	}
}

// Every kind of command is typed in one way, and arrives as it was typed; what
// only other clients can give arrives with it over the same socket. What the
// loop answers is said in words and as JSON, with the exit code that belongs
// to it.
func TestEveryCommandCrossesTheSocket(t *testing.T) {
	t.Parallel()
	for _, kind := range state.CommandKinds() {
		c, ok := ctlCases[kind]
		if !ok {
			t.Errorf("the command %q has no row in ctlCases", kind)
			continue
		}
		c.sent.Kind = kind
		typed := append([]string{"ctl", string(kind)}, c.typed...)
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			loop := &scriptedLoop{}
			dir, client, end := steered(t, loop)
			isTaken(t, dir, loop, typed, c)
			isRefused(t, dir, loop, typed, c.sent)

			whole := c.sent
			if c.more != nil {
				c.more(&whole)
			}
			isWhole(t, whole)
			loop.err, loop.done = nil, state.Done{Ref: "DSP-3", Undo: 9, Text: said}
			done, err := client.Send(t.Context(), whole)
			if err != nil || done != loop.done {
				t.Errorf("the whole command is answered %+v, %v", done, err)
			}
			if diff := cmp.Diff(whole, <-loop.sent); diff != "" {
				t.Errorf("the whole command (-sent +arrived):\n%s", diff)
			}

			loop.dies = true
			staysUnknown(t, dir, loop, typed, c.sent, end)
		})
	}
	for kind := range ctlCases {
		if !slices.Contains(state.CommandKinds(), kind) {
			t.Errorf("ctlCases has a row for %q, which no loop knows", kind)
		}
	}
}

// ctlAnswer is what ctl answers with --json.
type ctlAnswer struct {
	Command state.CommandKind `json:"command"`
	Ref     board.Ref         `json:"ref"`
	Taken   bool              `json:"taken"`
	Unknown bool              `json:"unknown"`
	Undo    uint64            `json:"undo"`
	Text    string            `json:"text"`
	Error   string            `json:"error"`
}

func decoded(t *testing.T, out string) (a ctlAnswer) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil || d.More() {
		t.Fatalf("%q is not one answer: %v", out, err)
	}
	return a
}

func isTaken(t *testing.T, dir string, loop *scriptedLoop, typed []string, c ctlCase) {
	t.Helper()
	loop.done = state.Done{Undo: 9, Text: "so it is: <done>"}
	code, out, errs := run(t, dir, nil, typed...)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	if diff := cmp.Diff(c.sent, <-loop.sent); diff != "" {
		t.Errorf("%q (-typed +arrived):\n%s", typed, diff)
	}
	says := c.says
	if says == "" { // the loop's own words
		says = "so it is: <done> (ctl undo 9 takes it back)"
	}
	if !strings.HasPrefix(out, says) || strings.Count(out, "\n") != 1 {
		t.Errorf("taken: %q does not say %q in a line", out, says)
	}
	for _, ref := range []board.Ref{"", "DSP-3"} { // the second is made by it
		loop.done.Ref = ref
		code, out, errs = run(t, dir, nil, append(typed, "--json")...)
		<-loop.sent
		want := ctlAnswer{Command: c.sent.Kind, Ref: c.sent.Ref, Taken: true, Undo: 9, Text: "so it is: <done>"}
		if ref != "" {
			want.Ref = ref
		}
		if got := decoded(t, out); code != 0 || errs != "" || got != want {
			t.Errorf("taken: exit %d, %+v, want %+v; %s", code, got, want, errs)
		}
	}
}

func isRefused(t *testing.T, dir string, loop *scriptedLoop, typed []string, sent state.Command) {
	t.Helper()
	const why = "not now: <nothing> runs"
	loop.err = errors.New(why)
	says := strings.TrimSpace(string(sent.Kind)+" "+string(sent.Ref)) + ": " + why
	code, out, errs := run(t, dir, nil, typed...)
	<-loop.sent
	if code != 1 || out != "" || errs != "dispatcher: "+says+"\n" {
		t.Errorf("refused: exit %d, out %q, err %q", code, out, errs)
	}
	code, out, errs = run(t, dir, nil, append(typed, "--json")...)
	<-loop.sent
	want := ctlAnswer{Command: sent.Kind, Ref: sent.Ref, Error: why}
	if got := decoded(t, out); code != 1 || got != want || errs != "dispatcher: "+says+"\n" {
		t.Errorf("refused: exit %d, %+v, want %+v; err %q", code, got, want, errs)
	}
}

// staysUnknown cuts the loop off between what it did and its answer, and then
// asks a loop that is gone.
func staysUnknown(t *testing.T, dir string, loop *scriptedLoop, typed []string, sent state.Command, end func()) {
	t.Helper()
	code, out, errs := run(t, dir, nil, append(typed, "--json")...)
	<-loop.sent
	got := decoded(t, out)
	if code != 1 || !got.Unknown || got.Taken || got.Command != sent.Kind || got.Ref != sent.Ref || !strings.Contains(got.Error, "it may have been, look") {
		t.Errorf("without an answer: exit %d, %+v", code, got)
	}
	if !strings.Contains(errs, got.Error) {
		t.Errorf("without an answer: err %q", errs)
	}
	end()
	code, out, errs = run(t, dir, nil, append(typed, "--json")...)
	got = decoded(t, out)
	if code != 1 || got.Unknown || got.Taken || !strings.Contains(got.Error, "no loop is running") || !strings.Contains(errs, got.Error) {
		t.Errorf("without a loop: exit %d, %+v; err %q", code, got, errs)
	}
}

// isWhole asks that a command has every field that its kind may have: with any
// other one it is refused.
func isWhole(t *testing.T, whole state.Command) {
	t.Helper()
	if err := whole.Check(); err != nil {
		t.Errorf("it is refused: %v", err)
	}
	v := reflect.ValueOf(whole)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			continue
		}
		other := whole
		fill(reflect.ValueOf(&other).Elem().Field(i))
		if other.Check() == nil {
			t.Errorf("the row lacks the field %s", v.Type().Field(i).Name)
		}
	}
	if whole.Issue != nil && whole.Issue.Was == nil {
		draft := *whole.Issue
		draft.Was = &state.IssueDraft{}
		whole.Issue = &draft
		if whole.Check() == nil {
			t.Error("the row lacks the field Issue.Was")
		}
	}
}

// fill puts something into a field, whatever it is.
func fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // what values of the loop are made of
	case reflect.String:
		v.SetString("x " + v.Type().Name())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Type() != reflect.TypeFor[*state.IssueDraft]() { // which holds another
			fill(v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 5, 4, 14, 17, 31, 123456789, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}
