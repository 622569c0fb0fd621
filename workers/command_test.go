//go:build unix

package workers_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// program is a run of any program: a shell that does what is said.
func (b *bench) program(run, does string) workers.Spec {
	s := b.spec(run, "")
	s.Agent, s.Command = "command", []string{"/bin/sh", "-c", does}
	return s
}

func TestAnyProgramIsAnAgent(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("all of it. ", 200_000) // more than a pipe holds
	tests := []struct {
		name, does, prompt   string
		final, problem       string
		code                 int
		isError, hasNoResult bool
	}{
		{name: "reads-and-says", does: `cat; echo; echo "STATUS: COMPLETE"; echo`, prompt: "do it", final: "do it\n\nSTATUS: COMPLETE"},
		{name: "counts", does: `wc -c | tr -d " "`, prompt: long, final: "2200001"},
		{name: "never-reads", does: `echo "STATUS: INCOMPLETE"`, prompt: long, final: "STATUS: INCOMPLETE"},
		{name: "fails", does: `echo trying; echo "no key" >&2; exit 3`, prompt: "x", code: 3, isError: true, problem: "the program exited 3: no key"},
		{name: "says-nothing", does: `true`, prompt: "x", problem: "the agent exited 0 without a result", hasNoResult: true},
	}
	for _, tt := range tests {
		s := b.program(tt.name, tt.does)
		s.Prompt = tt.prompt
		b.start(s)
		x := b.exit(tt.name)
		if x.Final != tt.final || x.Problem != tt.problem || x.Code != tt.code || x.IsError != tt.isError {
			t.Errorf("%s: %+v", tt.name, x)
		}
	}
	tr, err := b.l.OpenTranscript("reads-and-says")
	if err != nil {
		t.Fatal(err)
	}
	lines, _, err := tr.Lines(t.Context(), 0, 10)
	if err != nil || len(lines) != 2 || lines[0].Text != "do it" || lines[1].Text != "STATUS: COMPLETE" {
		t.Errorf("transcript %+v, %v", lines, err)
	}
}

// What it cannot do it refuses with the reason, and it ends when it is told to,
// also when it does not want to.
func TestAnyProgramTakesNothingMore(t *testing.T) {
	b := newBench(t)
	for name, does := range map[string]string{
		"polite":   `trap "echo bye; exit 0" TERM; touch "$READY"; while :; do sleep 0.05; done`,
		"stubborn": `trap "" TERM; touch "$READY"; while :; do sleep 0.05; done`,
	} {
		s := b.program(name, does)
		ready := b.dir + "/" + name
		s.Env = append(s.Env, "READY="+ready)
		b.start(s)
		b.until("it has set its trap", func() bool { _, err := os.Stat(ready); return err == nil })
		if _, err := b.l.Steer(b.ctx, name, "hear"); !errors.Is(err, workers.ErrUnable) || !strings.Contains(err.Error(), "takes nothing after it") {
			t.Errorf("%s: steer: %v", name, err)
		}
		if err := b.l.Interrupt(b.ctx, name); !errors.Is(err, workers.ErrUnable) {
			t.Errorf("%s: interrupt: %v", name, err)
		}
		if st := b.phase(name, workers.PhaseRunning); !st.Busy || st.Below < 1 {
			t.Errorf("%s: busy %v, below %d", name, st.Busy, st.Below)
		}
		if err := b.l.Stop(b.ctx, name, time.Second); err != nil {
			t.Errorf("%s: stop: %v", name, err)
		}
		x := b.exit(name)
		if !x.Stopped || (x.Signal == "") != (name == "polite") {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
