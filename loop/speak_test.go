package loop_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// publishing asks for a command that publishes, and completes with what it was
// told.
func publishing(within time.Duration) script {
	return func(a *agent) string {
		a.work(time.Minute)
		r := a.permit("./release.sh", within)
		if r.Allow {
			a.say("released")
		} else {
			a.say("not released: " + r.Text)
		}
		return completing(a)
	}
}

// asks waits until the loop shows a request, and answers it.
func (p *process) asks() state.Request {
	p.w.t.Helper()
	for range 120 {
		time.Sleep(time.Second)
		if s := p.e.Snapshot(); len(s.Requests) > 0 {
			return s.Requests[0]
		}
	}
	p.w.t.Fatal("nothing is asked")
	return state.Request{}
}

func (w *world) wantSaid(ref board.Ref, text string) {
	w.t.Helper()
	for _, c := range w.issue(ref).Comments {
		if c.Body == text {
			return
		}
	}
	w.t.Fatalf("nobody said %q: %+v", text, w.issue(ref).Comments)
}

// TestRequestReachesTheOwner: what a worker asks stands in the snapshot for as
// long as it waits, before all else that needs its owner; it is no stalled
// worker, and the owner's answer is what it goes on with.
func TestRequestReachesTheOwner(t *testing.T) {
	for name, c := range map[string]struct {
		command state.Command
		said    string
	}{
		"allowed":           {state.Command{Kind: state.CommandAllow}, "released"},
		"allowed, by issue": {state.Command{Kind: state.CommandAllow, Request: "-"}, "released"},
		"denied":            {state.Command{Kind: state.CommandDeny, Text: "not on a Friday"}, "not released: not on a Friday"},
	} {
		inWorldNamed(t, name, func(t *testing.T, w *world) {
			ref := w.ready("publish")
			w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
			p := w.start(forever)
			q := p.asks()
			if q.Ref != ref || q.Run != "run-001" || q.Summary != "./release.sh" || q.Worktree == "" {
				t.Fatalf("asked %+v", q)
			}
			time.Sleep(4 * time.Hour)
			s := p.e.Snapshot()
			if len(s.Needs) == 0 || s.Needs[0].Kind != state.NeedRequest || s.Needs[0].Request != q.ID || s.Needs[0].Text != "Bash ./release.sh" || !s.Needs[0].Since.Equal(q.Since) {
				t.Fatalf("needs %+v", s.Needs)
			}
			if n, lives := w.interrupts("run-001"); n != 0 || !lives {
				t.Fatal("a worker that waits for its owner was taken for stalled")
			}
			cmd := c.command
			if cmd.Request == "" {
				cmd.Request = q.ID
			} else {
				cmd.Request, cmd.Ref = "", ref
			}
			p.ask(cmd)
			time.Sleep(time.Second)
			if s := p.e.Snapshot(); len(s.Requests) != 0 {
				t.Fatalf("still asked: %+v", s.Requests)
			}
			if _, err := p.e.Send(t.Context(), cmd); err == nil {
				t.Error("it was answered twice")
			}
			time.Sleep(10 * time.Minute)
			w.wantRow(ref, board.RoleHumanReview, "")
			w.wantSaid(ref, c.said)
			p.leave()
		})
	}
}

// TestRequestSurvivesACrash: what was not answered is asked by the next loop;
// what was answered is not.
func TestRequestSurvivesACrash(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
		p := w.start(forever)
		q := p.asks()
		p.crash()
		p = w.start(forever)
		if again := p.asks(); again.ID != q.ID || !again.Since.Equal(q.Since) {
			t.Fatalf("the next loop asks %+v, the first %+v", again, q)
		}
		p.ask(state.Command{Kind: state.CommandAllow, Request: q.ID})
		p.crash()
		p = w.start(forever)
		time.Sleep(time.Second)
		if s := p.e.Snapshot(); len(s.Requests) != 0 {
			t.Fatalf("asked again: %+v", s.Requests)
		}
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		w.wantSaid(ref, "released")
		p.leave()
	})
}

// TestRequestOfARowThatMoved: the owner's move ends the worker, and with it
// what it asked.
func TestRequestOfARowThatMoved(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
		p := w.start(forever)
		q := p.asks()
		w.board.Edit(ref, func(i *board.Issue) { w.board.Put(i, board.RoleBacklog, board.ActorOwner) })
		time.Sleep(10 * time.Minute)
		if s := p.e.Snapshot(); len(s.Requests) != 0 || w.live() != 0 {
			t.Fatalf("asked %+v, %d live", s.Requests, w.live())
		}
		if _, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandAllow, Request: q.ID}); err == nil || !strings.Contains(err.Error(), "asks no longer") {
			t.Errorf("answered %v", err)
		}
		w.wantRow(ref, board.RoleBacklog, "")
		p.leave()
	})
}

// TestNobodyToAsk: a loop that ends by itself gives the default at once while
// nobody looks at it; while somebody does, it waits for them.
func TestNobodyToAsk(t *testing.T) {
	inWorldNamed(t, "nobody", func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
		began := time.Now()
		if end := w.start().wait(); !end.Idle || time.Since(began) > time.Hour {
			t.Fatalf("ended %+v after %s", end, time.Since(began))
		}
		w.wantSaid(ref, "not released: ")
	})
	inWorldNamed(t, "an answer that cannot be given is given later", func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.deaf = 2
		w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
		began := time.Now()
		if end := w.start().wait(); !end.Idle || time.Since(began) > time.Hour {
			t.Fatalf("ended %+v after %s", end, time.Since(began))
		}
		w.wantSaid(ref, "not released: ")
	})
	inWorldNamed(t, "somebody who leaves", func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.on(ref, board.KindDeveloper, publishing(5*time.Hour))
		p := w.start()
		leave, other := p.e.Attend(), p.e.Attend()
		p.asks()
		other()
		other() // leaves once
		time.Sleep(2 * time.Hour)
		if s := p.e.Snapshot(); len(s.Requests) != 1 {
			t.Fatalf("asked %+v", s.Requests)
		}
		leave()
		if end := p.wait(); !end.Idle {
			t.Fatalf("ended %+v", end)
		}
		w.wantSaid(ref, "not released: ")
	})
	inWorldNamed(t, "a loop that goes on leaves the owner the time", func(t *testing.T, w *world) {
		ref := w.ready("publish")
		w.on(ref, board.KindDeveloper, publishing(3*time.Hour))
		p := w.start(forever)
		p.asks()
		time.Sleep(2 * time.Hour)
		p.asks()
		time.Sleep(2 * time.Hour)
		w.wantSaid(ref, "not released: nobody answered")
		p.leave()
	})
}

// TestSteerAndInterrupt: an interrupted worker stands still for as long as its
// owner likes, keeps its claim fresh and its slot, outlives the loop, and goes
// on with the owner's word, of which the snapshot shows that it was read.
func TestSteerAndInterrupt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref, other := w.ready("long"), w.ready("waits")
		var heard atomic.Value
		w.on(ref, board.KindDeveloper, func(a *agent) string { heard.Store(a.hear()); return completing(a) })
		one := func(o *loop.Options) { o.UntilIdle = false; o.Settings.Caps.Total = 1 }
		p := w.start(one)
		time.Sleep(time.Minute)
		if _, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandInterrupt, Ref: other}); err == nil || !strings.Contains(err.Error(), "no worker of this loop") {
			t.Errorf("an issue without a worker: %v", err)
		}
		if _, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandSteer, Ref: ref, Text: " \n"}); err == nil {
			t.Error("nothing was said, and taken")
		}
		p.ask(state.Command{Kind: state.CommandInterrupt, Ref: ref})
		for range 2 {
			time.Sleep(5 * time.Hour)
			s := p.e.Snapshot()
			if len(s.Needs) == 0 || s.Needs[0].Kind != state.NeedInterrupted || s.Needs[0].Ref != ref || !s.Workers[0].Waiting {
				t.Fatalf("needs %+v of %+v", s.Needs, s.Workers)
			}
			i := w.issue(ref)
			if w.live() != 1 || i.Claim == nil || time.Since(i.Claim.Stamp) > time.Hour || s.Slots.Developers != 1 {
				t.Fatalf("%d live, claim %+v, slots %+v", w.live(), i.Claim, s.Slots)
			}
			p.crash()
			p = w.start(one)
		}
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandSteer, Run: "run-001", Text: "go on\nplease"})
		time.Sleep(time.Second)
		s := p.e.Snapshot()
		if m := s.Workers[0].Messages; len(m) != 1 || m[0].State != state.MessageRead || m[0].Text != "go on\nplease" || s.Workers[0].Waiting {
			t.Fatalf("messages %+v", s.Workers[0])
		}
		time.Sleep(20 * time.Minute)
		if heard.Load() != "go on\nplease" {
			t.Errorf("it heard %q", heard.Load())
		}
		w.wantRow(ref, board.RoleHumanReview, "")
		p.leave()
	})
}

// TestInterruptNotTaken: of a worker that does not listen nobody is told that it
// stands still, but what ends it.
func TestInterruptNotTaken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		w.mu.Lock()
		w.workers["run-001"].deaf = true
		w.mu.Unlock()
		done, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandInterrupt, Ref: ref})
		if err != nil || !done.Pending || !strings.Contains(done.Text, "stop ends it") {
			t.Errorf("it is said to be %+v, %v", done, err)
		}
		if s := p.e.Snapshot(); slices.ContainsFunc(s.Needs, func(n state.Need) bool { return n.Kind == state.NeedInterrupted }) {
			t.Error("it is said to wait for a word")
		}
		p.ask(state.Command{Kind: state.CommandStop, Ref: ref, Text: "enough"})
		time.Sleep(10 * time.Minute)
		p.leave()
	})
}

// TestInterruptedThenStopped: stop is the other way on.
func TestInterruptedThenStopped(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandInterrupt, Ref: ref})
		p.ask(state.Command{Kind: state.CommandStop, Ref: ref, Text: "enough"})
		time.Sleep(10 * time.Minute)
		if w.live() != 0 || w.issue(ref).Claim != nil {
			t.Fatalf("%d live, claim %+v", w.live(), w.issue(ref).Claim)
		}
		if i := w.issue(ref); i.Role != board.RoleInProgress {
			t.Errorf("the row is in %s", i.State)
		}
		p.leave()
	})
}
