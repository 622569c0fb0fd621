package loop_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

func limits(day, issue float64) func(*loop.Options) {
	return func(o *loop.Options) {
		o.Settings.Limits = plan.Limits{DayUSD: day, IssueUSD: issue}
		o.CostCap = day
	}
}

// costing works and has cost so much when it is half way.
func costing(usd float64) script {
	return func(a *agent) string {
		a.work(30 * time.Second)
		a.change(func(v *worker) { v.spent = usd })
		return completing(a)
	}
}

// row is a row as the control room shows it.
func (p *process) row(ref board.Ref) state.Row {
	for _, r := range p.e.Snapshot().Rows {
		if r.Issue.Ref == ref {
			return r
		}
	}
	return state.Row{}
}

// TestDayLimit: at the day's limit nothing new is dispatched, retries neither,
// each row says so with the figure; the next UTC day goes on. What had started
// is finished, and its cost counts while it runs.
func TestDayLimit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first, second, third := w.ready("spends"), w.ready("fails"), w.ready("waits")
		w.on(first, board.KindDeveloper, func(a *agent) string {
			a.change(func(v *worker) { v.spent = 4 })
			a.work(2 * time.Hour)
			return completing(a)
		})
		w.on(second, board.KindDeveloper, func(a *agent) string {
			a.change(func(v *worker) { v.spent = 2 })
			return failing(a)
		}, completing)
		p := w.start(forever, limits(5, 0))
		time.Sleep(30 * time.Minute)
		if w.live() != 1 || w.starts(second, board.KindDeveloper) != 1 || w.starts(third, board.KindDeveloper) != 0 {
			t.Fatalf("%d live; %v", w.live(), w.board.log)
		}
		want := "quota: $6.00 of $5.00 spent today, until 00:00 UTC"
		if r := p.row(third); r.Hold != "quota" || r.Waits != want {
			t.Errorf("the row waits: %q", r.Waits)
		}
		if r := p.row(second); r.Hold != "quota" || !strings.HasPrefix(r.Waits, want+"; then try 2") || w.issue(second).Claim == nil {
			t.Errorf("the armed retry waits: %q", r.Waits)
		}
		if s := p.e.Snapshot(); s.CostToday != 6 || !strings.HasPrefix(s.Status, "at a cap: developer 1 of 2 (DSP-1), DSP-2 tries again at") || !strings.Contains(s.Status, want) {
			t.Errorf("$%.2f today, status %q", s.CostToday, s.Status)
		}
		time.Sleep(3 * time.Hour)
		w.wantRow(first, board.RoleInProgress, board.DelegateReviewer)
		time.Sleep(22 * time.Hour)
		for _, ref := range []board.Ref{first, second, third} {
			w.wantRow(ref, board.RoleHumanReview, "")
		}
		p.leave()
	})
}

// TestDayLimitIsPassedByStartedRunsOnly: with the limit reached by running
// workers, no further one starts.
func TestDayLimitIsPassedByStartedRunsOnly(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for range 6 {
			w.on(w.ready("spends"), board.KindDeveloper, func(a *agent) string {
				a.work(time.Minute)
				a.change(func(v *worker) { v.spent = 3 })
				return endless(a)
			})
		}
		p := w.start(forever, limits(4, 0), slots(1))
		time.Sleep(time.Minute + 30*time.Second)
		p.send(state.CommandFire)
		time.Sleep(10 * time.Minute)
		if w.live() != 1 {
			t.Fatalf("%d workers", w.live())
		}
		p.leave()
		p = w.start(forever, limits(4, 0), slots(5))
		time.Sleep(10 * time.Minute)
		// $3 of $4: the others may start, and pass the limit together; no more after that.
		if w.live() != 5 || p.row("DSP-6").Hold != "quota" {
			t.Fatalf("%d workers, %+v", w.live(), p.row("DSP-6").Waits)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestLedgerThatCannotBeRead: with a limit nothing starts blind; without one
// the work goes on.
func TestLedgerThatCannotBeRead(t *testing.T) {
	for name, limit := range map[string]float64{"with a limit": 5, "without one": 0} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("waits", in(board.RoleBacklog))
				p := w.start(forever, limits(limit, 0))
				p.fail("costs", errors.New("input/output error"))
				w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
				time.Sleep(10 * time.Minute)
				if started := w.starts(ref, board.KindDeveloper) > 0; started == (limit > 0) {
					t.Fatalf("started: %v, status %q", started, p.e.Snapshot().Status)
				}
				p.fail("costs", nil)
				time.Sleep(10 * time.Minute)
				w.wantRow(ref, board.RoleHumanReview, "")
				p.leave()
			})
		})
	}
}

// TestIssueLimit: an issue that has cost what it may is held in every queue
// with its figure, until its owner comments or raises the limit; the others go
// on.
func TestIssueLimit(t *testing.T) {
	ways := map[string]func(t *testing.T, w *world, ref board.Ref){
		"the owner comments": func(t *testing.T, w *world, ref board.Ref) {
			t.Helper()
			_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "go on")
			w.must(err)
		},
		"the owner raises it": func(_ *testing.T, w *world, _ board.Ref) {
			o := w.options(limits(0, 20))
			w.mu.Lock()
			defer w.mu.Unlock()
			w.tuning = &loop.Tuning{Settings: o.Settings, Poll: o.Poll}
		},
	}
	for name, do := range ways {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				dear, cheap := w.ready("dear"), w.ready("cheap")
				w.on(dear, board.KindDeveloper, costing(3))
				w.on(dear, board.KindReviewer, passing)
				p := w.start(forever, limits(0, 2))
				time.Sleep(20 * time.Minute)
				w.wantRow(dear, board.RoleInProgress, board.DelegateReviewer)
				w.wantRow(cheap, board.RoleHumanReview, "")
				if r := p.row(dear); r.Hold != "budget" || !strings.HasPrefix(r.Waits, "quota: $3.00 of $2.00 spent on this issue; comment on it") {
					t.Fatalf("it waits: %q", r.Waits)
				}
				if n := p.e.Snapshot().Needs; len(n) != 2 || n[0].Ref != dear || n[0].Kind != state.NeedAttention {
					t.Fatalf("needs %+v", n)
				}
				do(t, w, dear)
				time.Sleep(5 * time.Minute)
				w.wantRow(dear, board.RoleHumanReview, "")
				p.leave()
			})
		})
	}
}

// TestIssueLimitAndARetry: a retry that the issue's limit bars gives the row
// back instead of keeping its claim for ever, and the loop can end.
func TestIssueLimitAndARetry(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("dear")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.change(func(v *worker) { v.spent = 3 }); return failing(a) }, completing)
		end := w.start(limits(0, 2)).wait()
		if !end.Idle || w.starts(ref, board.KindDeveloper) != 1 || !strings.Contains(end.Status, "quota: $3.00 of $2.00 spent on this issue") {
			t.Fatalf("ended %+v: %s", end, strings.Join(w.board.log, "\n"))
		}
		w.wantRow(ref, board.RoleInProgress, board.DelegateDeveloper)
		_, err := w.owner().Comment(t.Context(), ref, board.ActorOwner, "go on")
		w.must(err)
		w.start(limits(0, 2)).wait()
		w.wantRow(ref, board.RoleHumanReview, "")
	})
}

// TestFailure08UsageLimit: the account's limit pauses every dispatch on it
// until it resets, uses no try up, leaves who runs alone, and outlives the
// loop (failures.md, 8).
func TestFailure08UsageLimit(t *testing.T) {
	for name, killed := range map[string]bool{"a loop that goes on": false, "a loop that is killed": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				hits, runs, waits := w.ready("hits the limit"), w.ready("runs"), w.ready("waits")
				other := w.ready("another account", func(n *board.NewIssue) { n.Labels = []string{"agent:cheap"} })
				reset := time.Now().Add(5 * time.Hour)
				w.on(hits, board.KindDeveloper, func(a *agent) string { a.work(10 * time.Second); return a.limited(reset) }, completing)
				w.on(runs, board.KindDeveloper, func(a *agent) string { a.work(time.Hour); return completing(a) })
				two := func(o *loop.Options) {
					o.Settings.Agents["cheap"] = true
					o.Settings.AgentKinds = map[string]string{"developer": "claude", "reviewer": "claude", "cleaner": "claude", "cheap": "script"}
				}
				p := w.start(forever, two)
				time.Sleep(30 * time.Minute)
				if p.told("the usage limit of claude is reached") != 1 {
					t.Errorf("told %+v", p.e.Snapshot().Notices)
				}
				if killed {
					p.crash()
					w.mu.Lock()
					w.runs = nil // not even the run that met it is left to tell
					w.mu.Unlock()
					w.board.Edit(hits, func(i *board.Issue) { i.Claim = nil })
					w.board.Edit(runs, func(i *board.Issue) { i.Claim = nil })
					p = w.start(forever, two)
				}
				time.Sleep(90 * time.Minute)
				if w.starts(hits, board.KindDeveloper) != 1 || w.starts(waits, board.KindDeveloper) != 0 || w.starts(runs, board.KindReviewer) != 0 {
					t.Fatalf("something started before the reset: %v", w.board.log)
				}
				if w.starts(other, board.KindDeveloper) != 1 {
					t.Error("another account waits, too")
				}
				if r := p.row(waits); r.Hold != "quota" || r.Waits != "quota: usage limit of claude until 05:00Z" {
					t.Errorf("it waits: %q", r.Waits)
				}
				time.Sleep(5 * time.Hour)
				w.wantRow(hits, board.RoleHumanReview, "")
				w.wantRow(waits, board.RoleHumanReview, "")
				for _, n := range w.notes(hits) {
					if strings.Contains(n, "did not finish") {
						t.Errorf("a try was used up: %q", n)
					}
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestPauseOutlivesEverything: the owner's pause is written down when it is
// answered, whatever ends the loop next, a firing under way or a drain.
func TestPauseOutlivesEverything(t *testing.T) {
	ends := map[string]func(p *process){
		"killed":  func(p *process) { p.crash() },
		"SIGTERM": func(p *process) { p.leave() },
		"drained": func(p *process) { p.send(state.CommandDrain); p.wait() },
		"aborted": func(p *process) { p.send(state.CommandAbort); p.wait() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("waits", in(board.RoleBacklog))
				p := w.start(forever)
				time.Sleep(time.Second)
				p.send(state.CommandPause)
				end(p)
				w.must(w.owner().SetState(t.Context(), ref, board.RoleReady))
				p = w.start(forever)
				time.Sleep(10 * time.Minute)
				if s := p.e.Snapshot(); s.Mode != state.ModePaused || w.starts(ref, board.KindDeveloper) != 0 {
					t.Fatalf("after the restart the loop is %s", s.Mode)
				}
				p.send(state.CommandResume)
				p.crash()
				w.start().wait()
				w.wantRow(ref, board.RoleHumanReview, "")
			})
		})
	}
}

// TestReload: a changed configuration holds from the next firing on, also for
// the time between firings; what it says of itself is said once.
func TestReload(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for range 3 {
			w.on(w.ready("long"), board.KindDeveloper, endless)
		}
		p := w.start(forever, slots(1))
		time.Sleep(10 * time.Minute)
		if w.live() != 1 {
			t.Fatalf("%d live", w.live())
		}
		o := w.options(slots(2))
		w.mu.Lock()
		w.tuning, w.changes = &loop.Tuning{Settings: o.Settings, Poll: 5 * time.Minute, CostCap: 7}, []string{"platform is read at the start only"}
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		s := p.e.Snapshot()
		if w.live() != 2 || s.Slots.MaxDevelopers != 2 || s.CostCap != 7 || p.told("platform is read") != 1 {
			t.Fatalf("%d live, slots %+v, cap %v, told %+v", w.live(), s.Slots, s.CostCap, s.Notices)
		}
		n := s.Firing
		time.Sleep(20 * time.Minute)
		if n = p.e.Snapshot().Firing - n; n < 3 || n > 5 {
			t.Errorf("%d firings in 20 minutes with a poll of 5", n)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestEstimateOfTheKilled: what a worker was killed before telling the price of
// counts by what such workers paid for a token, once, and is marked.
func TestEstimateOfTheKilled(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.on(w.ready("first"), board.KindDeveloper, completing)
		p := w.start(forever, limits(3, 0))
		time.Sleep(time.Hour)
		if s := p.e.Snapshot(); s.CostToday != 1 { // its developer and its reviewer, each 100 tokens
			t.Fatalf("$%.2f today", s.CostToday)
		}
		ref := w.ready("killed")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.change(func(v *worker) { v.unbilled = 1000 }); return endless(a) })
		time.Sleep(5 * time.Minute)
		w.killAll()
		time.Sleep(5 * time.Minute)
		if s := p.e.Snapshot(); s.CostToday != 6 || w.starts(ref, board.KindDeveloper) != 1 || !strings.HasPrefix(p.row(ref).Waits, "quota: $6.00 of $3.00 spent today") {
			t.Errorf("$%.2f today, %d tries, it waits: %q", s.CostToday, w.starts(ref, board.KindDeveloper), p.row(ref).Waits)
		}
		w.mu.Lock()
		marked := 0
		for _, c := range w.costs {
			if c.Estimated {
				marked++
			}
		}
		w.mu.Unlock()
		if marked != 1 {
			t.Errorf("%d are marked as estimates", marked)
		}
		p.send(state.CommandAbort)
		p.wait()
	})
}

// TestCostOfTheDead: what a worker cost that died with its machine, or
// vanished, was spent all the same.
func TestCostOfTheDead(t *testing.T) {
	for name, loopDies := range map[string]bool{"it vanished": false, "the machine died": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("dear")
				w.on(ref, board.KindDeveloper, func(a *agent) string { a.change(func(v *worker) { v.spent = 3 }); return endless(a) })
				p := w.start(forever, limits(2, 0))
				time.Sleep(5 * time.Minute)
				if loopDies {
					p.crash()
				}
				w.killAll()
				if loopDies {
					p = w.start(forever, limits(2, 0))
				}
				time.Sleep(5 * time.Minute)
				if s := p.e.Snapshot(); s.CostToday != 3 || w.starts(ref, board.KindDeveloper) != 1 || !strings.HasPrefix(p.row(ref).Waits, "quota: $3.00 of $2.00 spent today") {
					t.Errorf("$%.2f today, %d tries, it waits: %q", s.CostToday, w.starts(ref, board.KindDeveloper), p.row(ref).Waits)
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}
