package loop_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// silent works for a while and is never heard of again. A deaf one does not
// even hear an interrupt.
func silent(deaf bool) script {
	return func(a *agent) string {
		a.work(time.Minute)
		a.change(func(v *worker) { v.deaf = deaf })
		a.hush()
		return endless(a)
	}
}

// interrupts is how often a worker was interrupted, and whether it lives.
func (w *world) interrupts(run string) (n int, lives bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.workers[run].interrupted, w.workers[run].lives()
}

var errTimeout = errors.New("503, and a page of HTML")

// told counts the notices that hold a text.
func (p *process) told(text string) int {
	n := 0
	for _, notice := range p.e.Snapshot().Notices {
		if strings.Contains(notice.Text, text) {
			n++
		}
	}
	return n
}

// TestStalledWorker: a worker without a sign of life is interrupted after ten
// minutes, stopped when the grace is over, and that is a failed try with its
// reason; the next try goes on with the work.
func TestStalledWorker(t *testing.T) {
	for name, deaf := range map[string]bool{"hears the interrupt": false, "hears nothing": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("hangs")
				w.on(ref, board.KindDeveloper, silent(deaf), completing)
				p := w.start(forever)
				time.Sleep(10*time.Minute + 30*time.Second)
				if n, lives := w.interrupts("run-001"); n != 0 || !lives {
					t.Fatal("it was taken for stalled before its time")
				}
				time.Sleep(4 * time.Minute)
				if n, lives := w.interrupts("run-001"); n != 1 || lives || p.told("no sign of life for 10 minutes") != 1 {
					t.Fatalf("interrupted %d times, lives %v, told %+v", n, lives, p.e.Snapshot().Notices)
				}
				time.Sleep(10 * time.Minute)
				w.wantRow(ref, board.RoleHumanReview, "")
				if n := w.notes(ref); !strings.Contains(n[0], "Try 1 of 2 by the developer did not finish: it gave no sign of life for 10 minutes") {
					t.Fatalf("the dispatcher said %q", n)
				}
				p.leave()
			})
		})
	}
}

// TestStalledSurvivesACrash: what was interrupted before a crash is stopped
// after it, and still counts as a failed try.
func TestStalledSurvivesACrash(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("hangs")
		w.on(ref, board.KindDeveloper, silent(true), completing)
		p := w.start(forever)
		time.Sleep(11*time.Minute + 30*time.Second)
		if len(w.saved()) != 1 || w.saved()[0].StalledAt.IsZero() {
			t.Fatalf("journal %+v", w.saved())
		}
		p.crash()
		p = w.start(forever)
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := w.notes(ref); !strings.Contains(n[0], "Try 1 of 2") {
			t.Fatalf("the dispatcher said %q", n)
		}
		p.leave()
	})
}

// TestNotStalled: what is not taken for a stalled worker.
func TestNotStalled(t *testing.T) {
	cases := map[string]struct {
		play script
		long time.Duration // for how long it is left alone
		then bool          // it is stopped in the end
	}{
		"it writes":                         {endless, 5 * time.Hour, false},
		"a tool with living processes runs": {func(a *agent) string { a.hush(); a.change(func(v *worker) { v.tool = 1 }); return endless(a) }, 29 * time.Minute, true},
		"it waits for a person's word":      {func(a *agent) string { a.hush(); a.change(func(v *worker) { v.waits = true }); return endless(a) }, 5 * time.Hour, false},
		"it has asked, and may clean up":    {func(a *agent) string { a.ask("a or b?"); a.hush(); return endless(a) }, 29 * time.Minute, true},
		"it was interrupted and writes again": {func(a *agent) string {
			a.change(func(v *worker) { v.deaf = true })
			a.hush()
			a.work(10*time.Minute + 30*time.Second)
			a.speak()
			return endless(a)
		}, 5 * time.Hour, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("long")
				w.on(ref, board.KindDeveloper, c.play)
				p := w.start(forever)
				time.Sleep(c.long)
				if w.live() != 1 || p.told("is stopped") != 0 {
					t.Fatalf("%d live, told %+v", w.live(), p.e.Snapshot().Notices)
				}
				time.Sleep(5 * time.Minute)
				if stopped := p.told("is stopped") == 1; stopped != c.then {
					t.Fatalf("stopped: %v; told %+v", stopped, p.e.Snapshot().Notices)
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestParkedWorkerThatHangs: it is stopped without a failed try, and its
// question stands.
func TestParkedWorkerThatHangs(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.ask("a or b?"); a.hush(); return endless(a) })
		p := w.start(forever)
		time.Sleep(time.Hour)
		w.wantRow(ref, board.RoleQuestion, "")
		if n := w.notes(ref); len(n) != 0 || w.live() != 0 || len(w.saved()) != 0 {
			t.Fatalf("notes %q, %d live", n, w.live())
		}
		p.leave()
	})
}

// TestFailure40MovedWhileAWorkerRuns: whatever makes a worker's result useless
// while it runs stops it politely at the next firing; the owner's state stays,
// nothing is written, and the slot is free again (failures.md, 40).
func TestFailure40MovedWhileAWorkerRuns(t *testing.T) {
	pushed := func(a *agent) string { a.push(); return endless(a) }
	move := func(to board.Role) func(t *testing.T, w *world, ref board.Ref) {
		return func(t *testing.T, w *world, ref board.Ref) { w.must(w.owner().SetState(t.Context(), ref, to)) }
	}
	closed := func(_ *testing.T, w *world, ref board.Ref) {
		w.board.Edit(ref, func(i *board.Issue) { w.board.Put(i, board.RoleDone, board.ActorOwner) })
	}
	merge := func(_ *testing.T, w *world, ref board.Ref) { w.merge(ref) }
	cases := map[string]struct {
		kind board.Kind
		play script
		do   func(t *testing.T, w *world, ref board.Ref)
		want board.Role
		told string
	}{
		"a developer's row to Backlog":          {board.KindDeveloper, endless, move(board.RoleBacklog), board.RoleBacklog, "moved to Backlog"},
		"a developer's row to Human Review":     {board.KindDeveloper, endless, move(board.RoleHumanReview), board.RoleHumanReview, "moved to"},
		"a developer's row to Question":         {board.KindDeveloper, endless, move(board.RoleQuestion), board.RoleQuestion, "moved to Question"},
		"a developer's issue closed":            {board.KindDeveloper, endless, closed, board.RoleDone, "closed"},
		"a reviewer's row to Changes Requested": {board.KindReviewer, endless, move(board.RoleBacklog), board.RoleBacklog, "moved to Backlog"},
		"a reviewer's issue closed":             {board.KindReviewer, endless, closed, board.RoleDone, "closed"},
		"merged while a developer works":        {board.KindDeveloper, pushed, merge, board.RoleDone, "is merged"},
		"merged while a reviewer works":         {board.KindReviewer, endless, merge, board.RoleDone, "is merged"},
		"taken by a person": {board.KindDeveloper, endless, func(_ *testing.T, w *world, ref board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) { i.Assignee, i.Delegate, i.Claim = "ann", "", nil })
		}, board.RoleInProgress, "ann has taken the row"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("moved")
				w.on(ref, c.kind, c.play)
				p := w.start(forever)
				time.Sleep(5 * time.Minute)
				notes := len(w.notes(ref))
				c.do(t, w, ref)
				time.Sleep(3 * time.Minute)
				if w.live() != 0 || len(w.saved()) != 0 || p.told(c.told) == 0 {
					t.Fatalf("%d live, journal %v, told %+v", w.live(), w.saved(), p.e.Snapshot().Notices)
				}
				if i := w.issue(ref); i.Role != c.want || i.Claim != nil || len(w.notes(ref)) != notes {
					t.Fatalf("the row is %+v, notes %q", i, w.notes(ref))
				}
				p.leave()
			})
		})
	}
}

// TestAnsweredWhileItsWorkerLingers: an answer does not wait for the worker
// that asked.
func TestAnsweredWhileItsWorkerLingers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("asks")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.ask("a or b?"); return endless(a) }, completing)
		p := w.start(forever)
		time.Sleep(5 * time.Minute)
		p.ask(answer(ref, "take a"))
		time.Sleep(10 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if p.told("you answered") != 1 || w.starts(ref, board.KindDeveloper) != 2 {
			t.Fatalf("told %+v, %d developers", p.e.Snapshot().Notices, w.starts(ref, board.KindDeveloper))
		}
		p.leave()
	})
}

// TestFailure13IssueGone: a proven deletion stops the worker and says where
// its work is; an answer that lacks the row, or none at all, changes nothing
// (failures.md, 13).
func TestFailure13IssueGone(t *testing.T) {
	cases := map[string]struct {
		do   func(w *world, p *process, ref board.Ref)
		live int
	}{
		"deleted": {func(w *world, _ *process, ref board.Ref) { w.board.Remove(ref) }, 0},
		"moved to another milestone": {func(w *world, _ *process, ref board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) { i.Milestone = "m2" })
		}, 1},
		"unreadable": {func(w *world, _ *process, ref board.Ref) {
			w.board.Edit(ref, func(i *board.Issue) { i.Unreadable = "cut" })
		}, 1},
		"the board does not answer": {func(_ *world, p *process, _ board.Ref) { p.fail("issue", errTimeout) }, 1},
		"the forge does not answer": {func(_ *world, p *process, _ board.Ref) { p.fail("pulls", errTimeout) }, 1},
		"the poll answers without it": {func(w *world, _ *process, _ board.Ref) {
			w.board.Edit("DSP-1", func(*board.Issue) { w.board.Hide = true })
		}, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.ready("keeps the milestone", in(board.RoleBacklog))
				ref := w.ready("goes")
				w.on(ref, board.KindDeveloper, endless)
				p := w.start(forever)
				time.Sleep(2 * time.Minute)
				c.do(w, p, ref)
				time.Sleep(20 * time.Minute)
				if w.live() != c.live || len(w.saved()) != c.live {
					t.Fatalf("%d live, journal %v", w.live(), w.saved())
				}
				if c.live == 0 && p.told("no longer on the board; its developer's work stays in task/") != 1 {
					t.Fatalf("told %+v", p.e.Snapshot().Notices)
				}
				p.fail("issue", nil)
				p.fail("pulls", nil)
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestFailure13IssueGoneWhileARetryWaits: the same for a run between two
// tries, however long its pause.
func TestFailure13IssueGoneWhileARetryWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.ready("keeps the milestone", in(board.RoleBacklog))
		ref := w.ready("goes")
		w.on(ref, board.KindDeveloper, func(a *agent) string { return a.limited(time.Now().Add(5 * time.Hour)) })
		p := w.start(forever)
		time.Sleep(2 * time.Minute)
		w.board.Remove(ref)
		time.Sleep(3 * time.Minute)
		if len(w.saved()) != 0 || p.told("no longer on the board") != 1 {
			t.Fatalf("journal %v, told %+v", w.saved(), p.e.Snapshot().Notices)
		}
		p.leave()
	})
}
