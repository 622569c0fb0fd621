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

// Failure 8: a usage limit is no failed try, whoever tells it and wherever; nor
// is a program that is not there. Both are told from one that merely failed, or
// that speaks of a limit and goes on.
func TestAnyProgramMeetsALimit(t *testing.T) {
	b := newBench(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, does string
		trouble    workers.Trouble
		resets     bool // at 15:20 in Berlin
	}{
		{"on-its-output", `echo working; echo "session limit, resets 3:20pm (Europe/Berlin)"; exit 1`, workers.TroubleLimit, true},
		{"on-its-error-output", `echo working; echo "session limit, resets 3:20pm (Europe/Berlin)" >&2; exit 1`, workers.TroubleLimit, true},
		{"on-its-error-output-after-much", `seq 20; echo "session limit, resets 3:20pm (Europe/Berlin)" >&2; exit 1`, workers.TroubleLimit, true},
		{"it-ran-and-quotes-a-shell", `seq 3; echo "make: golangci-lint: command not found"; echo "gates red, I give up"; exit 1`, workers.TroubleNone, false},
		{"it-ran-and-lacked-something", `seq 20; exec /no/such/tool`, workers.TroubleNone, false},
		{"a-page-that-is-not-found", `echo starts; echo "GET /users/7: not found"; exit 1`, workers.TroubleNone, false},
		{"without-a-time", `echo "You've hit your usage limit"; exit 75`, workers.TroubleLimit, false},
		{"a-warning", `echo "you have used 80% of your weekly limit, resets 3pm"; exit 1`, workers.TroubleNone, false},
		{"done-all-the-same", `echo "session limit, resets 3:20pm (Europe/Berlin)"; echo "STATUS: COMPLETE"`, workers.TroubleNone, false},
		{"long-before", `echo "session limit, resets 3pm"; seq 20; exit 1`, workers.TroubleNone, false},
		{"not-there", `exec /no/such/agent`, workers.TroubleSetup, false},
		{"no-interpreter", `printf '#!/no/such/sh\n' >"$HOME/x"; chmod +x "$HOME/x"; exec "$HOME/x"`, workers.TroubleSetup, false},
		{"killed", `echo "session limit, resets 3pm"; kill -9 $$`, workers.TroubleNone, false},
	}
	for _, tt := range tests {
		s := b.program(tt.name, tt.does)
		s.Env = append(s.Env, "HOME="+t.TempDir())
		b.start(s)
		x := b.exit(tt.name)
		at := x.LimitUntil.In(berlin)
		if x.Trouble != tt.trouble || x.LimitUntil.IsZero() == tt.resets || tt.resets && (at.Hour() != 15 || at.Minute() != 20) {
			t.Errorf("%s: %+v", tt.name, x)
		}
		if tt.trouble == workers.TroubleSetup && !strings.Contains(x.Problem, "agents.<name>.command") {
			t.Errorf("%s: %q names no way out", tt.name, x.Problem)
		}
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
