package cli_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Every kind of event arrives whole at who follows, in words and as JSON, and
// the end of the loop is a failure: there may be more that was not read.
func TestEveryEventCrossesTheSocket(t *testing.T) {
	t.Parallel()
	loop := &scriptedLoop{}
	for _, kind := range state.EventKinds() {
		var ev state.Event
		fill(reflect.ValueOf(&ev).Elem())
		ev.N, ev.Kind, ev.Ref, ev.Text = uint64(len(loop.events)+1), kind, "DSP-1", "told by "+string(kind)+"\nand <more>"
		loop.events = append(loop.events, ev)
	}
	dir, _, _ := steered(t, loop)

	code, out, errs := run(t, dir, nil, "ctl", "events", "--follow", "--json")
	if code != 1 || !strings.Contains(errs, "the loop went away") {
		t.Errorf("exit %d, %s", code, errs)
	}
	var got []state.Event
	for line := range strings.Lines(out) {
		var ev state.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, ev)
	}
	if diff := cmp.Diff(loop.events, got); diff != "" {
		t.Errorf("as JSON (-happened +printed):\n%s", diff)
	}

	code, out, errs = run(t, dir, nil, "ctl", "events", "--follow", "--after", "1")
	if code != 1 || !strings.Contains(errs, "the loop went away") {
		t.Errorf("exit %d, %s", code, errs)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(loop.events)-1 {
		t.Fatalf("%d lines for %d events:\n%s", len(lines), len(loop.events)-1, out)
	}
	for i, line := range lines {
		ev := loop.events[i+1]
		for _, want := range []string{" " + string(ev.Kind) + " ", "DSP-1 " + string(ev.Worker), "told by " + string(ev.Kind)} {
			if !strings.Contains(line, want) {
				t.Errorf("%q does not say %q", line, want)
			}
		}
	}

	code, out, errs = run(t, dir, nil, "ctl", "events", "--json")
	if code != 0 || errs != "" || strings.Count(out, "\n") != len(loop.events) {
		t.Errorf("so far: exit %d, %s%s", code, errs, out)
	}
}

// A picture with something in every field crosses as it is, notices and needs
// with it.
func TestAWholePictureCrossesTheSocket(t *testing.T) {
	t.Parallel()
	loop := &scriptedLoop{snap: &state.Snapshot{}}
	fill(reflect.ValueOf(loop.snap).Elem())
	dir, _, _ := steered(t, loop)
	code, out, errs := run(t, dir, nil, "ctl", "status", "--json")
	var got state.Snapshot
	if err := json.Unmarshal([]byte(out), &got); code != 0 || errs != "" || err != nil {
		t.Fatalf("exit %d, %s, %v", code, errs, err)
	}
	if diff := cmp.Diff(loop.snap, &got); diff != "" {
		t.Errorf("(-shown +printed):\n%s", diff)
	}
}

// A status says how far a poll is that takes longer than a moment.
func TestStatusSaysHowFarThePollIs(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 5, 4, 14, 17, 0, 0, time.UTC)
	loop := &scriptedLoop{snap: &state.Snapshot{Step: "poll", StepSince: began, Reading: &board.Progress{Board: "Linear", Rows: 80}}}
	dir, _, _ := steered(t, loop)
	for after, want := range map[time.Duration]bool{time.Second: false, 3 * time.Second: true} {
		loop.snap.At = began.Add(after)
		code, out, errs := run(t, dir, nil, "ctl", "status")
		if code != 0 || errs != "" || strings.Contains(out, "reading the board: Linear, 80 rows so far") != want {
			t.Errorf("after %s: exit %d, %s%s", after, code, errs, out)
		}
	}
}
