//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// A loop that dies at exactly this moment is taken up by the next start as if
// nothing had happened: the issue is worked by as many runs as without the
// death, and goes where it should.
func TestDeathAtAnExactMoment(t *testing.T) {
	t.Parallel()
	path, err := self()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, at string
		lives    bool // a worker must live when the loop is dead
		says     string
	}{
		{name: "between journal and claim", at: "journalled"},
		{name: "on the board, not yet in the journal", at: "claimed"},
		{name: "between claim and start", at: "moved to " + string(board.RoleInProgress)},
		{name: "right before the start", at: "before the start"},
		{name: "started, not yet in the journal", at: "started", lives: true, says: "re-adopted the developer that had just started"},
		{name: "running, its worktree still locked by the loop", at: "running", lives: true, says: "re-adopted the living developer"},
		{name: "after a worker ended", at: "ended"},
		{name: "moved, not yet released", at: "moved to " + string(board.RoleHumanReview)},
		{name: "released, not yet out of the journal", at: "released"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, playOptions{})
			ref := p.ready("Note this")
			p.bin = path
			if c.lives {
				p.shut()
			}
			p.env = append(p.env, "DYING_AT="+c.at)
			s := p.start(untilIdle...)
			if code, out := s.end(); code != -1 {
				t.Fatalf("it did not die at %q: exit %d\n%s", c.at, code, out)
			}
			if c.lives {
				p.eventually("the worker lives", func() bool { return len(p.alive()) == 1 })
			}
			p.env = p.env[:len(p.env)-1]
			s = p.start(untilIdle...)
			if c.lives {
				// The new loop prunes with the worker still at work.
				s.until("firing 3")
				p.open()
			}
			if code, out := s.end(); code != 0 {
				t.Fatalf("started again: exit %d\n%s", code, out)
			}
			if !strings.Contains(p.log(), c.says) {
				t.Errorf("nothing like %q in the log:\n%s", c.says, p.log())
			}
			p.wantOnce(ref)
		})
	}
}

// wantOnce holds an issue to one developer and one reviewer that came to their
// end, one branch, one pull request and Human Review.
func (p *play) wantOnce(ref board.Ref) {
	p.t.Helper()
	p.wantRow(ref, board.RoleHumanReview)
	p.wantSound()
	ran := map[board.Kind]int{}
	for _, f := range p.folders() {
		if _, ok, err := f.Supervisor(); err != nil {
			p.t.Fatal(err)
		} else if !ok {
			continue // it was cut before an agent could start
		}
		spec, err := f.Spec()
		if err != nil {
			p.t.Fatal(err)
		}
		if spec.Ref != ref {
			continue
		}
		ran[spec.Kind]++
		if spec.Attempt != 1 {
			p.t.Errorf("%s of %s was counted as try %d", spec.Kind, ref, spec.Attempt)
		}
	}
	if len(ran) != 2 || ran[board.KindDeveloper] != 1 || ran[board.KindReviewer] != 1 {
		p.t.Errorf("agents that ran on %s: %v", ref, ran)
	}
	if n := len(p.pulls()); n != 1 {
		p.t.Errorf("%d pull requests", n)
	}
	if p.t.Failed() {
		p.t.Logf("the log:\n%s", p.log())
	}
}

// A loop that is killed while a worker runs: the worker goes on, and the next
// loop is told of its end.
func TestDeathWhileAWorkerRuns(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	p.shut()
	first := p.start(untilIdle...)
	p.working(1)
	before := p.alive()
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.end()
	second := p.start(untilIdle...)
	p.eventually("the worker is re-adopted", func() bool { return strings.Contains(p.log(), "re-adopted the living developer") })
	if after := p.alive(); len(after) != 1 || after[0] != before[0] {
		t.Errorf("at work: %v, before %v", after, before)
	}
	p.open()
	if code, out := second.end(); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	p.wantOnce(ref)
}

// A worker that dies while no loop runs goes on with the next one, without a
// failed try being counted.
func TestWorkerThatDiesWithTheLoop(t *testing.T) {
	t.Parallel()
	p := newPlay(t, playOptions{})
	ref := p.ready("Note this")
	p.shut()
	first := p.start(untilIdle...)
	p.working(1)
	p.killAll()
	first.end()
	p.eventually("everything is dead", func() bool { return len(p.processes()) == 0 })
	p.open()
	p.loop()
	p.wantRow(ref, board.RoleHumanReview)
	p.wantNothingLeft()
	if !strings.Contains(p.log(), "died while no loop ran") {
		t.Errorf("the log:\n%s", p.log())
	}
}
