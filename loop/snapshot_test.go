package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestSnapshots: a reader gets the newest picture at once, the latest one
// always, and the end; one that never reads holds up nobody.
func TestSnapshots(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first")
		p := w.start(forever)
		asleep, quick := p.e.Snapshots(), p.e.Snapshots()
		var versions []uint64
		done := make(chan struct{})
		go func() {
			defer close(done)
			for s := range quick {
				versions = append(versions, s.Version)
			}
		}()
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		s := <-asleep
		if s.Version != p.e.Snapshot().Version {
			t.Errorf("the sleeper wakes to version %d of %d", s.Version, p.e.Snapshot().Version)
		}
		if s.Rows[0].Issue.Role != board.RoleHumanReview || s.Mode != state.ModeRunning {
			t.Errorf("it sees %+v in mode %s", s.Rows[0].Issue, s.Mode)
		}
		p.leave()
		if s := <-asleep; s == nil || s.Mode != state.ModeStopped {
			t.Errorf("the last picture is %+v", s)
		}
		if _, more := <-asleep; more {
			t.Error("pictures after the end")
		}
		<-done
		for n := 1; n < len(versions); n++ {
			if versions[n] <= versions[n-1] {
				t.Fatalf("versions went from %d to %d", versions[n-1], versions[n])
			}
		}
		late := p.e.Snapshots()
		if s := <-late; s == nil || s.Mode != state.ModeStopped {
			t.Errorf("a late reader gets %+v", s)
		}
		if _, more := <-late; more {
			t.Error("a late reader's subscription is not closed")
		}
	})
}

// TestSnapshotsAreImmutable: a picture that a reader keeps never changes.
func TestSnapshotsAreImmutable(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		fullBoard(w)
		p := w.start(forever)
		kept := map[*state.Snapshot]string{}
		for range 100 {
			time.Sleep(3 * time.Second)
			s := p.e.Snapshot()
			kept[s] = asJSON(t, s)
		}
		p.leave()
		for s, was := range kept {
			if now := asJSON(t, s); now != was {
				t.Fatalf("version %d changed:\n%s\n%s", s.Version, was, now)
			}
		}
	})
}

func asJSON(t *testing.T, s *state.Snapshot) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSnapshotTellsAll: a worker's stream, its outcome, the step under way,
// the slots, the money, the next firing.
func TestSnapshotTellsAll(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first")
		p := w.start(forever)
		let := p.hold("poll")
		p.send(state.CommandFire)
		time.Sleep(time.Second)
		if s := p.e.Snapshot(); s.Step != "poll" || s.StepSince.IsZero() {
			t.Errorf("step %q since %s", s.Step, s.StepSince)
		}
		far := board.Progress{Board: "GitHub", Page: 2, Pages: 3}
		p.telling.Told(far)
		time.Sleep(time.Second)
		if s := p.e.Snapshot(); s.Reading == nil || *s.Reading != far {
			t.Errorf("the poll is at %v, want %v", s.Reading, far)
		}
		let()
		time.Sleep(30 * time.Second)
		s := p.e.Snapshot()
		worker, ok := s.Worker(s.Rows[0].Run)
		if !ok || worker.Run.Ref != ref || worker.LastSign.IsZero() || worker.Outcome != "" || s.Slots.Developers != 1 || s.Slots.MaxDevelopers != 2 {
			t.Errorf("worker %+v, slots %+v", worker, s.Slots)
		}
		if s.Reading != nil {
			t.Errorf("after the poll it is at %v", s.Reading)
		}
		p.telling.Told(far) // by somebody who looks at the board beside the loop
		time.Sleep(time.Second)
		if s := p.e.Snapshot(); s.Reading != nil {
			t.Errorf("between firings it is at %v", s.Reading)
		}
		if s.Step != "" || !s.NextFiring.After(s.At) || s.Repository != "acme/widgets" {
			t.Errorf("step %q, next firing %s", s.Step, s.NextFiring)
		}
		time.Sleep(10 * time.Minute)
		s = p.e.Snapshot()
		if len(s.Workers) != 2 || s.Workers[0].Outcome == "" || s.Workers[0].Run.Kind != board.KindReviewer || s.CostToday != 1 || s.Slots.Developers != 0 {
			t.Errorf("workers %+v, cost %v", s.Workers, s.CostToday)
		}
		if len(s.Pulls) != 1 || s.Pulls[0].Ref != ref {
			t.Errorf("pulls %+v", s.Pulls)
		}
		for _, worker := range s.Workers {
			if len(worker.Tail) != 1 || worker.Tail[0].Text != "at work on DSP-1" || worker.Lines != 1 {
				t.Errorf("the %s that ended has lost its words: %+v", worker.Run.Kind, worker.Tail)
			}
		}
		p.leave()
	})
}

// TestBoundedMemory: logs, notices and outcomes of a long life stay bounded.
func TestBoundedMemory(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.ready("rests", in(board.RoleBacklog))
		p := w.start(forever)
		p.fail("poll", errors.New("timeout"))
		for n := range 120 {
			_, _ = p.e.Send(t.Context(), answer(board.Ref(fmt.Sprintf("DSP-%d", n+100)), "x"))
		}
		time.Sleep(24 * time.Hour)
		s := p.e.Snapshot()
		if len(s.Log) > 500 || len(s.Notices) > 100 || len(s.Firings) > 100 || len(s.Notices) == 0 {
			t.Errorf("%d lines, %d notices, %d firings", len(s.Log), len(s.Notices), len(s.Firings))
		}
		p.leave()
	})
}

// TestHeartWithoutAFiring: a firing that hangs never makes a healthy run look
// dead.
func TestHeartWithoutAFiring(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		let := p.hold("pulls")
		p.send(state.CommandFire)
		for range 20 {
			time.Sleep(3 * time.Minute)
			if c := w.issue(ref).Claim; c == nil || time.Now().After(c.LeaseUntil) || time.Since(c.Stamp) > 6*time.Minute {
				t.Fatalf("the claim went stale: %+v", c)
			}
		}
		if p.e.Snapshot().Step == "" {
			t.Fatal("the firing does not hang")
		}
		let()
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestStampsAreNotWasted: a stamp is rewritten when it is old enough, not in
// every firing (design.md, section 17).
func TestStampsAreNotWasted(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		before := p.count()
		time.Sleep(time.Hour)
		if renewals := p.times("renew", before); renewals < 10 || renewals > 13 {
			t.Errorf("%d renewals in an hour, one in five minutes is due", renewals)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestClaimNamesItsWorker: the claim on the board says where its worker lives.
func TestClaimNamesItsWorker(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("long")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Second)
		c := w.issue(ref).Claim
		if c == nil || c.PID != 1 || c.Host != "here" || c.Boot != "boot-1" || c.Session != w.saved()[0].Session || c.Run != w.saved()[0].ID {
			t.Fatalf("claim %+v of %+v", c, w.saved())
		}
		if held := w.held(); len(held) != 1 {
			t.Errorf("locked worktrees: %v", held)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestWakes: a change of the board is seen at once, many changes are one
// firing.
func TestWakes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.ready("rests", in(board.RoleBacklog))
		wakes := make(chan struct{})
		p := w.start(forever, func(o *loop.Options) { o.Wakes, o.Poll = wakes, 24*time.Hour })
		time.Sleep(time.Second)
		before := p.e.Snapshot().Firing
		ref := w.ready("new")
		wakes <- struct{}{}
		time.Sleep(time.Second)
		if w.starts(ref, board.KindDeveloper) != 1 {
			t.Fatal("the change was not seen")
		}
		let := p.hold("poll")
		for range 100 {
			wakes <- struct{}{}
		}
		let()
		time.Sleep(time.Second)
		if n := p.e.Snapshot().Firing - before; n > 4 {
			t.Errorf("%d firings for 101 hints", n)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestFiringThatPanics: an error of the program's own ends a firing, not the
// loop; the owner is told.
func TestFiringThatPanics(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("first")
		p := w.start(forever)
		p.panics("poll", 1)
		p.send(state.CommandFire)
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := p.e.Snapshot().Notices; len(n) != 1 {
			t.Fatalf("notices %+v", n)
		}
		p.leave()
	})
}

// TestNoRequestIsLeftUnanswered: who asks for something is answered, also when
// the program fails, or a step before the one that would do it.
func TestNoRequestIsLeftUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		kind  state.CommandKind
		spoil func(p *process)
		want  string
	}{
		"a panic":     {state.CommandUnhold, func(p *process) { p.panics("issue", 1) }, "an error in the program"},
		"a dead poll": {state.CommandDispatch, func(p *process) { p.fail("poll", errors.New("the board is away")) }, "the board is away"},
	} {
		inWorldNamed(t, name, func(t *testing.T, w *world) {
			ref := w.ready("later", in(board.RoleBacklog))
			p := w.start(forever)
			time.Sleep(time.Minute)
			c.spoil(p)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := p.e.Send(ctx, state.Command{Kind: c.kind, Ref: ref}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("answered %v, want %q", err, c.want)
			}
			p.fail("poll", nil)
			p.leave()
		})
	}
}
