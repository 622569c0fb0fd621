package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

// TestTakeOver: the owner goes on in a worker's session. Its agent ends, its
// claim stays fresh and its slot is free, for as long as that takes and
// whatever becomes of the loop; when the owner leaves, or the owner's process
// is killed, the same try goes on in the same session.
func TestTakeOver(t *testing.T) {
	for name, back := range map[string]func(p *process, w *world){
		"handed back": func(p *process, w *world) {
			w.take("run-001", state.Taker{Came: true})
			p.ask(state.Command{Kind: state.CommandHandBack, Ref: "DSP-1"})
		},
		"killed in it": func(_ *process, w *world) { w.take("run-001", state.Taker{Came: true}) },
	} {
		inWorldNamed(t, name, func(t *testing.T, w *world) {
			ref, other := w.ready("mine for a while"), w.ready("another")
			var goesOn state.Run
			w.on(ref, board.KindDeveloper, endless, func(a *agent) string { goesOn = a.Run; return completing(a) })
			one := func(o *loop.Options) { o.UntilIdle = false; o.Settings.Caps.Total, o.Settings.Caps.Developers = 1, 1 }
			p := w.start(one)
			time.Sleep(time.Minute)
			p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
			time.Sleep(time.Minute)
			w.take("run-001", state.Taker{Came: true, Lives: true, PID: 4711})
			time.Sleep(5 * time.Hour)
			for range 2 {
				s := p.e.Snapshot()
				worker, _ := s.Worker("run-001")
				if !worker.TakenOver || worker.Run.Phase != state.PhaseTakenOver {
					t.Fatalf("workers %+v", s.Workers)
				}
				i := w.issue(ref)
				if i.Role != board.RoleInProgress || i.Claim == nil || i.Claim.Session != "run-001" || time.Since(i.Claim.Stamp) > time.Hour {
					t.Fatalf("row %s, claim %+v", i.State, i.Claim)
				}
				if row := p.row(ref); !strings.Contains(row.Waits, "you have its developer's session (taken over)") {
					t.Fatalf("the row waits: %q", row.Waits)
				}
				p.crash()
				p = w.start(one)
				time.Sleep(5 * time.Hour)
			}
			w.wantRow(other, board.RoleHumanReview, "") // in the slot that was free
			if _, err := p.e.Send(t.Context(), state.Command{Kind: state.CommandHandBack, Ref: ref}); err == nil || !strings.Contains(err.Error(), "pid 4711") {
				t.Errorf("handed back while it is open: %v", err)
			}
			back(p, w)
			time.Sleep(20 * time.Minute)
			w.wantRow(ref, board.RoleHumanReview, "")
			if goesOn.Session != "run-001" || !goesOn.Resume || !goesOn.HandedBack || goesOn.Attempt != 1 || goesOn.ID == "run-001" {
				t.Errorf("it went on as %+v", goesOn)
			}
			p.leave()
		})
	}
}

// TestTakeOverComesToNothing: what had finished is routed, what cannot be taken
// over says why, and a row that its owner moved is let go.
func TestTakeOverComesToNothing(t *testing.T) {
	inWorldNamed(t, "no worker", func(t *testing.T, w *world) {
		ref := w.ready("waits", in(board.RoleBacklog))
		p := w.start(forever)
		for _, k := range []state.CommandKind{state.CommandTakeOver, state.CommandHandBack} {
			if _, err := p.e.Send(t.Context(), state.Command{Kind: k, Ref: ref}); err == nil {
				t.Errorf("%s was taken", k)
			}
		}
		p.leave()
	})
	inWorldNamed(t, "it finished while it was stopped", func(t *testing.T, w *world) {
		ref := w.ready("quick")
		w.on(ref, board.KindDeveloper, func(a *agent) string {
			<-a.ctx.Done()
			a.ctx = t.Context()
			return completing(a)
		})
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if p.told("had finished before you could take it over") != 1 {
			t.Errorf("told %+v", p.e.Snapshot().Notices)
		}
		p.leave()
	})
	inWorldNamed(t, "the owner moves the row", func(t *testing.T, w *world) {
		ref := w.ready("mine")
		w.on(ref, board.KindDeveloper, endless)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
		time.Sleep(time.Minute)
		w.board.Edit(ref, func(i *board.Issue) { w.board.Put(i, board.RoleBacklog, board.ActorOwner) })
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleBacklog, "")
		if len(w.saved()) != 0 {
			t.Errorf("journal %+v", w.saved())
		}
		p.leave()
	})
	inWorldNamed(t, "opened once more before its next try", func(t *testing.T, w *world) {
		ref := w.ready("mine")
		var goesOn state.Run
		w.on(ref, board.KindDeveloper, endless, func(a *agent) string { goesOn = a.Run; return completing(a) })
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
		time.Sleep(time.Minute)
		w.take("run-001", state.Taker{Came: true})
		w.onTaker(func() { w.take("run-001", state.Taker{Came: true, Lives: true, PID: 4711}) }) // just after the look that finds nobody
		time.Sleep(5 * time.Hour)
		if worker, _ := p.e.Snapshot().Worker("run-001"); !worker.TakenOver || goesOn.ID != "" {
			t.Errorf("a second writer was started: %+v", p.e.Snapshot().Workers)
		}
		w.take("run-001", state.Taker{Came: true})
		time.Sleep(20 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if goesOn.Session != "run-001" || !goesOn.Resume || goesOn.Attempt != 1 {
			t.Errorf("it went on as %+v", goesOn)
		}
		p.leave()
	})
	inWorldNamed(t, "an abort leaves it to its owner", func(t *testing.T, w *world) {
		ref := w.ready("mine")
		w.on(ref, board.KindDeveloper, endless, completing)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
		time.Sleep(time.Minute)
		w.take("run-001", state.Taker{Came: true, Lives: true, PID: 1})
		p.send(state.CommandAbort)
		if end := p.wait(); !end.Aborted || len(w.saved()) != 1 {
			t.Fatalf("ended %+v, journal %+v", end, w.saved())
		}
		w.take("run-001", state.Taker{Came: true})
		p = w.start()
		p.wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}
