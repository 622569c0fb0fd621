//go:build unix

package workers_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/supervise"
)

// owner asks the owner, who has as long as it takes.
var owner = workers.Policy{Ask: workers.AskOwner, Wait: time.Hour}

// hasty is a supervisor that is quick to give up.
var hasty = supervise.Times{Owner: 100 * time.Millisecond, Alive: 50 * time.Millisecond, End: 50 * time.Millisecond}

// request waits for the run to ask something and answers it.
func (b *bench) request(run string) workers.Request {
	b.t.Helper()
	var r workers.Request
	b.until(run+" asks", func() bool {
		st := b.phase(run, workers.PhaseRunning)
		if len(st.Requests) == 0 {
			return false
		}
		r = st.Requests[0]
		return true
	})
	return r
}

func TestOwnerAnswersARun(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "asks", "./release.sh,./release.sh,rm -rf x,?Which")
	s.Policy = owner
	b.start(s)
	r := b.request("r")
	if r.Tool != "Bash" || r.Text != "./release.sh" || r.At.IsZero() || r.Until.Sub(r.At) != time.Hour || r.Default != workers.Deny {
		t.Errorf("asked %+v", r)
	}
	for _, bad := range []workers.Answer{
		{Request: r.ID, Behavior: "perhaps"}, {Request: r.ID, Behavior: workers.Allow, Answers: []string{"yes"}},
	} {
		if err := b.l.Answer(b.ctx, "r", bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if err := b.l.Answer(b.ctx, "r", workers.Answer{Request: "other", Behavior: workers.Allow}); !errors.Is(err, workers.ErrNoRequest) {
		t.Errorf("a request that is none: %v", err)
	}
	if err := b.l.Answer(b.ctx, "r", workers.Answer{Request: r.ID, By: workers.ByOwner, Behavior: workers.Allow, Always: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.l.Answer(b.ctx, "r", workers.Answer{Request: r.ID, By: workers.ByOwner, Behavior: workers.Deny}); !errors.Is(err, workers.ErrNoRequest) {
		t.Errorf("answered twice: %v", err)
	}
	// The second time the same is asked nobody is asked. A launcher that was not
	// there finds what is open in the transcript.
	r = b.request("r")
	if r.Text != "rm -rf x" {
		t.Fatalf("asked %+v", r)
	}
	later := b.launcher()
	if st, err := later.Observe(b.ctx, "r"); err != nil || len(st.Requests) != 1 || st.Requests[0].ID != r.ID || !st.Requests[0].At.Equal(r.At) {
		t.Errorf("a new loop sees %+v, %v", st.Requests, err)
	}
	if err := later.Answer(b.ctx, "r", workers.Answer{Request: r.ID, By: workers.ByOwner, Behavior: workers.Deny, Message: "not that"}); err != nil {
		t.Fatal(err)
	}
	r = b.request("r")
	if len(r.Ask.Questions) != 1 || r.Ask.Questions[0].Text != "Which" {
		t.Fatalf("asked %+v", r)
	}
	for _, bad := range [][]string{nil, {""}, {"a", "b"}} {
		if err := b.l.Answer(b.ctx, "r", workers.Answer{Request: r.ID, Behavior: workers.Allow, Answers: bad}); err == nil {
			t.Errorf("answers %q were taken", bad)
		}
	}
	if err := b.l.Answer(b.ctx, "r", workers.Answer{Request: r.ID, By: workers.ByOwner, Behavior: workers.Allow, Answers: []string{"this one"}}); err != nil {
		t.Fatal(err)
	}
	if x := b.exit("r"); x.Final != "allow; allow; deny not that; allow this one" {
		t.Errorf("the agent was told %q", x.Final)
	}
	if st := b.phase("r", workers.PhaseExited); len(st.Requests) != 0 {
		t.Errorf("an ended run asks %+v", st.Requests)
	}
}

// Without a loop the supervisor answers by the policy, and never hangs.
func TestPolicyAnswersWithoutALoop(t *testing.T) {
	for name, c := range map[string]struct {
		p    workers.Policy
		want string
	}{
		"denied at once":  {workers.Policy{}, "deny This worker may not do that, and nobody is asked. Go on without it, or put a question on the board."},
		"allowed at once": {workers.Policy{Ask: "allow"}, "allow"},
		"nobody in time":  {workers.Policy{Ask: workers.AskOwner, Wait: 50 * time.Millisecond}, "deny Nobody answered within 50ms. Go on without it, or put a question on the board and end with your report."},
		"allowed in time": {workers.Policy{Ask: workers.AskOwner, Wait: 50 * time.Millisecond, Default: workers.Allow}, "allow"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			s := b.spec("r", "asks", "./release.sh")
			s.Policy = c.p
			b.start(s)
			if x := b.exit("r"); x.Final != c.want {
				t.Errorf("the agent was told %q", x.Final)
			}
		})
	}
}

// An agent that does not listen is not said to stand still.
func TestHoldOfAnAgentThatDoesNotListen(t *testing.T) {
	b := newBench(t)
	gate := filepath.Join(b.dir, "gate")
	b.start(b.spec("r", "gate", gate))
	b.pid(gate + ".pid")
	hurried := workers.NewLauncher(workers.Options{Runs: b.runs, Binary: os.Args[0], Agent: agents, TookWait: time.Millisecond})
	if stands, err := hurried.Hold(b.ctx, "r"); err != nil || stands {
		t.Errorf("it stands still: %v, %v", stands, err)
	}
	b.open(gate)
	b.exit("r")
}

// An owner's interrupt is waited on for longer than any other, is a sign of
// life, and the next word goes on.
func TestOwnersInterruptHasNoEnd(t *testing.T) {
	b := newBench(t)
	s := b.spec("r", "steered")
	s.Env = append(s.Env, times(t, hasty))
	b.start(s)
	b.until("it works", func() bool { return b.phase("r", workers.PhaseRunning).Lines > 0 })
	if stands, err := b.l.Hold(b.ctx, "r"); err != nil || !stands {
		t.Fatal(stands, err)
	}
	st := b.phase("r", workers.PhaseRunning)
	if !st.Waiting {
		t.Fatalf("it does not stand still: %+v", st)
	}
	if _, err := b.l.Hold(b.ctx, "r"); err == nil {
		t.Error("it was interrupted twice")
	}
	b.until("a sign of life later than the supervisor's hasty", func() bool {
		return b.phase("r", workers.PhaseRunning).LastSign.Sub(st.LastSign) > 5*hasty.Owner
	})
	id, err := b.l.Steer(b.ctx, "r", "go on")
	if err != nil {
		t.Fatal(err)
	}
	if x := b.exit("r"); x.Final != "STATUS: COMPLETE heard" {
		t.Errorf("exit %+v", x)
	}
	st = b.phase("r", workers.PhaseExited)
	if len(st.Messages) != 1 || st.Messages[0].ID != id || st.Messages[0].Text != "go on" || !st.Messages[0].Read {
		t.Errorf("messages %+v", st.Messages)
	}
}
