package command_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/command"
)

func TestOutputIsText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"working":                      "working",
		"  indented \t\r":              "  indented",
		`{"type":"result","result":1}`: `{"type":"result","result":1}`,
		"usage limit reached":          "usage limit reached",
		"bad \xff byte":                "bad � byte",
		"":                             "",
		"   ":                          "",
	} {
		var got string
		for _, e := range (command.Agent{}).Parse(nil, []byte(line)) {
			if e.Kind != workers.EventText {
				t.Errorf("%q is of kind %d", line, e.Kind)
			}
			got += e.Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, said, errors string
		code               int
		signal             string
		want               *workers.Result
	}{
		{"done", "working\nSTATUS: COMPLETE\n\n", "a warning", 0, "", &workers.Result{Text: "working\nSTATUS: COMPLETE", Subtype: "exit", Terminal: "completed"}},
		{"its first line is not its last word", "STATUS: COMPLETE\ntests failed, I give up\n", "", 0, "", &workers.Result{Text: "Output:\nSTATUS: COMPLETE\ntests failed, I give up", Subtype: "exit", Terminal: "completed"}},
		{"nothing said", " \n", "", 0, "", nil},
		{"an exit code is no success", "STATUS: COMPLETE\n", "", 3, "", &workers.Result{IsError: true, Text: "the program exited 3: STATUS: COMPLETE", Subtype: "exit", Terminal: "exit_code"}},
		{"its own words", "trying\n", "usage: x\nerror: no key\n", 2, "", &workers.Result{IsError: true, Text: "the program exited 2: error: no key", Subtype: "exit", Terminal: "exit_code"}},
		{"silent failure", "", "", 1, "", &workers.Result{IsError: true, Text: "the program exited 1", Subtype: "exit", Terminal: "exit_code"}},
		{"killed", "half a li", "", -1, "SIGKILL", &workers.Result{IsError: true, Text: "the program was ended by SIGKILL: half a li", Subtype: "exit", Terminal: "signal"}},
	}
	for _, tt := range tests {
		got, err := command.Agent{}.Close(strings.NewReader(tt.said), tt.errors, tt.code, tt.signal)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// What cannot be read is no silence.
func TestCloseOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	gone := errors.New("input/output error")
	for _, code := range []int{0, 3} {
		got, err := command.Agent{}.Close(io.MultiReader(strings.NewReader("STATUS: COMPLETE\n"), iotest.ErrReader(gone)), "", code, "")
		if got != nil || !errors.Is(err, gone) {
			t.Errorf("after %d it is %+v, %v", code, got, err)
		}
	}
}

func TestItTakesNothingMore(t *testing.T) {
	t.Parallel()
	a := command.Agent{}
	if can := a.Can(); can.Steer || can.Interrupt || can.Resume || can.Why == "" {
		t.Errorf("it can %+v", can)
	}
	if a.Interrupt("x") != nil || a.End("x") != nil {
		t.Error("it has words for what it cannot take")
	}
	if got := string(a.Message("id", "do it")) + string(a.Message("id", "twice\n")); got != "do it\ntwice\n" {
		t.Errorf("prompts %q", got)
	}
}
