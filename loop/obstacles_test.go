package loop_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// troubled is a worker that works for a while and then meets an obstacle.
func troubled(trouble state.Trouble, problem string) script {
	return func(a *agent) string {
		a.work(10 * time.Second)
		a.change(func(v *worker) { v.trouble = trouble })
		a.fail(problem)
		return ""
	}
}

// tries are the runs that were started on an issue, in their order.
func (w *world) tries(ref board.Ref) []state.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []state.Run
	for _, v := range w.workers {
		if v.spec.Run.Ref == ref {
			out = append(out, v.spec.Run)
		}
	}
	slices.SortFunc(out, func(a, b state.Run) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// goesOn fails unless the second run went on in the session of the first, as
// the same try.
func (w *world) goesOn(ref board.Ref) {
	w.t.Helper()
	if r := w.tries(ref); len(r) < 2 || r[1].Session != r[0].Session || !r[1].Resume || r[1].Attempt != r[0].Attempt || r[1].ID == r[0].ID {
		w.t.Errorf("%s does not go on in its session: %+v", ref, r)
	}
	for _, n := range w.notes(ref) {
		if strings.Contains(n, "did not finish") {
			w.t.Errorf("a try was used up: %q", n)
		}
	}
}

func claudes(o *loop.Options) {
	o.Settings.AgentKinds = map[string]string{"developer": "claude", "reviewer": "claude", "cleaner": "claude"}
}

// TestFailure08Resumes: workers that meet the same limit make one pause, say
// so, and go on in their sessions when it is over and a little later, also
// after a restart of the loop in between (failures.md, 8).
func TestFailure08Resumes(t *testing.T) {
	for name, restart := range map[string]func(p *process){
		"a loop that goes on": nil, "killed": (*process).crash, "left": func(p *process) { p.leave() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				one, two, waits := w.ready("one"), w.ready("two"), w.ready("waits")
				reset := time.Now().Add(2 * time.Hour)
				for n, ref := range []board.Ref{one, two} {
					w.on(ref, board.KindDeveloper, func(a *agent) string {
						a.work(time.Duration(10+n) * time.Second)
						return a.limited(reset.Add(time.Duration(n) * time.Minute))
					}, completing)
				}
				drawn := func(o *loop.Options) {
					claudes(o)
					o.Jitter = func(bound time.Duration) time.Duration { return bound / 2 }
				}
				p := w.start(forever, drawn)
				time.Sleep(time.Hour)
				s := p.e.Snapshot()
				if p.told("the usage limit of claude is reached") != 1 {
					t.Errorf("told %+v", s.Notices)
				}
				if len(s.Pauses) != 1 || s.Pauses[0].What != "claude" || s.Pauses[0].Until.Before(reset) || !strings.Contains(s.Status, "usage limit of claude until 02:0") {
					t.Errorf("pauses %+v, status %q", s.Pauses, s.Status)
				}
				if r := p.row(one); !strings.Contains(r.Waits, "try 1 goes on at 02:0") {
					t.Errorf("it waits: %q", r.Waits)
				}
				if restart != nil {
					restart(p)
					p = w.start(forever, drawn)
				}
				time.Sleep(time.Until(reset) + 10*time.Second)
				if w.live() != 0 {
					t.Error("somebody came at the very reset")
				}
				time.Sleep(time.Hour)
				for _, ref := range []board.Ref{one, two, waits} {
					w.wantRow(ref, board.RoleHumanReview, "")
				}
				w.goesOn(one)
				w.goesOn(two)
				if s := p.e.Snapshot(); len(s.Pauses) != 0 {
					t.Errorf("still paused: %+v", s.Pauses)
				}
				p.leave()
			})
		})
	}
}

// TestLimitThatIsOverWhenTheLoopComesBack: nothing waits, nothing is counted.
func TestLimitThatIsOverWhenTheLoopComesBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("one")
		w.on(ref, board.KindDeveloper, func(a *agent) string { a.work(time.Minute); return a.limited(time.Now().Add(time.Hour)) }, completing)
		p := w.start(forever, claudes)
		time.Sleep(30 * time.Second)
		p.crash()
		time.Sleep(3 * time.Hour)
		w.start(claudes).wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		w.goesOn(ref)
	})
}

// TestLimitWithoutAnEnd: what nobody says the end of is tried again after a
// while, then after a longer one; a limit that is met again and again at its
// reset is not run into without rest.
func TestLimitWithoutAnEnd(t *testing.T) {
	for name, until := range map[string]func() time.Time{
		"nobody says":      func() time.Time { return time.Time{} },
		"always just over": func() time.Time { return time.Now().Add(-time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ref := w.ready("one")
				w.on(ref, board.KindDeveloper, func(a *agent) string {
					a.change(func(v *worker) { v.trouble = state.TroubleLimit })
					return a.limited(until())
				})
				p := w.start(forever, claudes)
				time.Sleep(4 * time.Hour)
				n := w.starts(ref, board.KindDeveloper)
				if n < 4 || n > 13 {
					t.Errorf("%d starts in four hours", n)
				}
				w.goesOn(ref)
				if told := p.told("met the usage limit of claude 9 times"); (told > 0) != (n > 8) {
					t.Errorf("%d limits in a row, told %d times: %+v", n, told, p.e.Snapshot().Notices)
				}
				p.ask(state.Command{Kind: state.CommandRetry, Ref: ref, Text: "with the other account"})
				if notes := w.issue(ref).Comments; !slices.ContainsFunc(notes, func(c board.Comment) bool {
					return c.Role == board.ActorOwner && c.Body == "with the other account"
				}) {
					t.Errorf("the note for the next try is not on the row: %+v", notes)
				}
				time.Sleep(time.Minute)
				if got := w.starts(ref, board.KindDeveloper); got != n+1 {
					t.Errorf("%d starts after the owner's word, %d before", got, n)
				}
				p.send(state.CommandAbort)
				p.wait()
			})
		})
	}
}

// TestModelThatDoesNotAnswer: overload backs off, bars nobody for ever, counts
// apart, and goes on in the session. One that never ends is a failed try at
// last.
func TestModelThatDoesNotAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		busy := troubled(state.TroubleBusy, "the model's service does not keep up (529: Overloaded)")
		one := w.ready("one")
		w.on(one, board.KindDeveloper, busy, busy, busy, completing)
		var others []board.Ref
		for range 6 {
			ref := w.ready("other")
			w.on(ref, board.KindDeveloper, busy, busy, completing)
			others = append(others, ref)
		}
		p := w.start(forever, claudes, slots(2))
		time.Sleep(time.Minute)
		claimed := 0
		for _, ref := range append(others, one) {
			if w.issue(ref).Claim != nil {
				claimed++
			}
		}
		if r := p.row(others[5]); claimed > 2 || r.Hold != "away" || !strings.HasPrefix(r.Waits, "the model of claude does not answer; next try at 00:0") {
			t.Errorf("%d rows are claimed, the last one waits: %q", claimed, r.Waits)
		}
		time.Sleep(3 * time.Hour)
		for _, ref := range append(others, one) {
			w.wantRow(ref, board.RoleHumanReview, "")
			w.goesOn(ref)
		}
		p.leave()

		never := w.ready("never")
		w.on(never, board.KindDeveloper, busy)
		w.start(claudes).wait()
		if n := w.notes(never); len(n) != 2 || !strings.Contains(n[1], "2 failed dispatcher attempts - the model's service does not keep up (529: Overloaded)") {
			t.Errorf("the dispatcher said %q", n)
		}
	})
}

// TestAgentThatCannotWorkHere: a wrong login, a program that is not there, an
// option or a model that it does not know are no issue's fault. One row finds
// out, the others wait with the way out, and an owner who has mended it says
// so or waits.
func TestAgentThatCannotWorkHere(t *testing.T) {
	const says = "Claude Code is not logged in (Please run /login): log in with `claude /login`"
	inWorld(t, func(t *testing.T, w *world) {
		var rows []board.Ref
		for range 5 {
			ref := w.ready("one")
			w.on(ref, board.KindDeveloper, troubled(state.TroubleSetup, says), completing)
			rows = append(rows, ref)
		}
		end := w.start(claudes, slots(1)).wait()
		started := 0
		for _, ref := range rows {
			started += w.starts(ref, board.KindDeveloper)
			if i := w.issue(ref); len(i.Comments) != 0 || i.Claim != nil {
				t.Errorf("%s: claim %v, comments %+v", ref, i.Claim, i.Comments)
			}
		}
		if want := "blocked on you: agent developer: " + says + "; 5 waiting"; !end.Idle || started != 1 || !strings.HasPrefix(end.Status, want) {
			t.Errorf("%d starts, ended %+v, want %q", started, end, want)
		}
		p := w.start(forever, claudes, slots(1))
		time.Sleep(2 * time.Minute)
		if n := p.told("agent developer cannot work here: " + says); n != 1 {
			t.Errorf("told %d times", n)
		}
		p.send(state.CommandFire)
		time.Sleep(time.Hour)
		for _, ref := range rows {
			w.wantRow(ref, board.RoleHumanReview, "")
			if n := len(w.tries(ref)); n > 3 {
				t.Errorf("%s was started %d times", ref, n)
			}
		}
		p.leave()
	})
}

// TestMendedMeanwhile: what a person has mended is found by the loop itself.
func TestMendedMeanwhile(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("one")
		w.on(ref, board.KindDeveloper, troubled(state.TroubleSetup, "not logged in"), troubled(state.TroubleSetup, "not logged in"), completing)
		p := w.start(forever, claudes)
		time.Sleep(4 * time.Minute)
		if n := w.starts(ref, board.KindDeveloper); n != 1 {
			t.Errorf("%d starts in four minutes", n)
		}
		time.Sleep(30 * time.Minute)
		w.wantRow(ref, board.RoleHumanReview, "")
		if n := p.told("cannot work here"); n != 1 {
			t.Errorf("told %d times", n)
		}
		p.leave()
	})
}

// TestSpentGivesUpAtOnce: a run that used up its budget is not repeated.
func TestSpentGivesUpAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("dear")
		w.on(ref, board.KindDeveloper, troubled(state.TroubleSpent, "it used up what one run may cost: raise limits.maxCostPerRunUSD"))
		w.start(claudes).wait()
		i := w.issue(ref)
		reason, held := board.Attention(&i, "", "")
		if w.starts(ref, board.KindDeveloper) != 1 || !held || !strings.Contains(reason, "1 failed dispatcher attempt - it used up what one run may cost: raise") {
			t.Errorf("%d starts, %q", w.starts(ref, board.KindDeveloper), reason)
		}
	})
}

// TestFailure10SessionGone: a session that is not there any more is begun anew,
// at once and without counting a try (failures.md, 10).
func TestFailure10SessionGone(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("one")
		w.on(ref, board.KindDeveloper,
			func(a *agent) string { return a.limited(time.Now().Add(time.Hour)) },
			troubled(state.TroubleSession, "the session is gone"), completing)
		w.start(claudes).wait()
		w.wantRow(ref, board.RoleHumanReview, "")
		w.goesOn(ref)
		if r := w.tries(ref); len(r) < 3 || r[2].Session == r[0].Session || r[2].Resume || r[2].Attempt != 1 {
			t.Errorf("tries %+v", r)
		}
	})
}

// TestCutOffGoesOn: a worker that was killed is followed by one in its session,
// and that is a try; one that failed by itself is not.
func TestCutOffGoesOn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		killed, failed := w.ready("killed"), w.ready("failed")
		w.on(killed, board.KindDeveloper, endless, completing)
		w.on(failed, board.KindDeveloper, failing, completing)
		p := w.start(forever, claudes)
		time.Sleep(30 * time.Second)
		w.killAll()
		time.Sleep(30 * time.Minute)
		if r := w.tries(killed); len(r) < 2 || r[1].Session != r[0].Session || !r[1].Resume || r[1].Attempt != 2 {
			t.Errorf("killed: %+v", r)
		}
		if r := w.tries(failed); len(r) < 2 || r[1].Session == r[0].Session || r[1].Resume {
			t.Errorf("failed: %+v", r)
		}
		p.leave()
	})
}

// TestSessionless: an agent that keeps no session is started anew.
func TestSessionless(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ref := w.ready("one")
		w.on(ref, board.KindDeveloper, func(a *agent) string { return a.limited(time.Now().Add(time.Hour)) }, completing)
		w.start(claudes, func(o *loop.Options) { o.Settings.Sessionless = map[string]bool{"claude": true} }).wait()
		if r := w.tries(ref); len(r) < 2 || r[1].Session == r[0].Session || r[1].Resume || r[1].Attempt != 1 {
			t.Errorf("tries %+v", r)
		}
	})
}

// TestLimitEnds: when a limit is over, for every way to be told.
func TestLimitEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		until   time.Time
		putOffs int
		want    time.Duration
	}{
		{"in an hour", now.Add(time.Hour), 0, time.Hour},
		{"in an hour, again", now.Add(time.Hour), 5, time.Hour},
		{"it is over", now.Add(-time.Hour), 0, 0},
		{"it is over, again", now.Add(-time.Hour), 1, time.Minute},
		{"it is over, and again", now.Add(-time.Hour), 3, 4 * time.Minute},
		{"it is over, for ever", now.Add(-time.Hour), 50, 30 * time.Minute},
		{"nobody says", time.Time{}, 0, 5 * time.Minute},
		{"nobody says, again", time.Time{}, 2, 20 * time.Minute},
		{"nobody says, for ever", time.Time{}, 50, time.Hour},
	} {
		if got := plan.LimitEnds(now, &state.WorkerExit{LimitUntil: c.until}, c.putOffs).Sub(now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMissingPartsAreToldOnce: an agent that works without a plugin or a server
// that its profile names is told of once, again when it is something else, and
// holds nothing up.
func TestMissingPartsAreToldOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		without := func(part string) script {
			return func(a *agent) string {
				a.change(func(v *worker) { v.missing = part })
				return completing(a)
			}
		}
		one, two, three := w.ready("one"), w.ready("two"), w.ready("three")
		w.on(one, board.KindDeveloper, without("the MCP server db did not start"))
		w.on(two, board.KindDeveloper, failing, without("the MCP server db did not start")) // one that died says nothing
		w.on(three, board.KindDeveloper, without("the plugin p did not load: no manifest"))
		p := w.start(forever, claudes)
		time.Sleep(4 * time.Hour)
		for _, ref := range []board.Ref{one, two, three} {
			w.wantRow(ref, board.RoleHumanReview, "")
		}
		if p.told("the MCP server db did not start; mend it, or take it out of agents.developer.args") != 1 || p.told("the plugin p did not load: no manifest") != 1 {
			t.Errorf("told %+v", p.e.Snapshot().Notices)
		}
		p.leave()
	})
}
