package loop

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// limitJitter is how much longer than a usage limit its pause lasts at most, so
// that not everybody who waited for the same reset comes at once.
const limitJitter = time.Minute

// obstacle notes what ended a run that was none of its own work, before the run
// is settled: nobody else starts on that account, that model or that agent
// before it is worth a try (failures.md, 8). A run that ended well proves that
// there is nothing in the way.
func (f *firing) obstacle(r state.Run, x state.WorkerExit) error {
	now, kind := f.e.o.Now(), f.facts.Settings.KindOf(r.Agent)
	f.incomplete(r, &x)
	if !x.LimitUntil.IsZero() {
		x.Trouble = state.TroubleLimit
	}
	switch x.Trouble {
	case state.TroubleLimit:
		return f.limited(r, kind, &x)
	case state.TroubleBusy:
		if f.pauses().Busy[kind].Tries == 0 {
			f.say(r.Ref, true, "%s; nothing starts on %s until it answers", x.Problem, kind)
		}
		f.changePauses(func(p *plan.Pauses) {
			p.Busy[kind] = state.Pause{
				What: kind, Why: "the model of " + kind + " does not answer", Until: plan.BusyEnds(now, r.PutOffs.Busy), Tries: p.Busy[kind].Tries + 1,
			}
		})
	case state.TroubleSetup:
		if f.pauses().Faults[r.Agent].Why != x.Problem {
			f.notify(r.Ref, fmt.Sprintf("agent %s cannot work here: %s", r.Agent, x.Problem))
		}
		f.changePauses(func(p *plan.Pauses) { p.Faults[r.Agent] = p.FaultAgain(now, r.Agent, x.Problem) })
	case state.TroubleNone, state.TroubleSession, state.TroubleSpent:
		if x.Problem == "" {
			f.changePauses(func(p *plan.Pauses) { delete(p.Busy, kind); delete(p.Faults, r.Agent) })
		}
	}
	return nil
}

// missingTold is how many different lacks of one agent are told of.
const missingTold = 10

// incomplete says that an agent works without something that it was to load. It
// is told once, not for each of its runs; a run that worked and lacked nothing
// shows that it was mended, one that died shows nothing.
func (f *firing) incomplete(r state.Run, x *state.WorkerExit) {
	missing := x.Missing
	if missing == "" {
		if x.Problem == "" {
			delete(f.e.missing, r.Agent)
		}
		return
	}
	told := f.e.missing[r.Agent]
	if slices.Contains(told, missing) || len(told) >= missingTold {
		return
	}
	f.e.missing[r.Agent] = append(told, missing)
	f.notify(r.Ref, fmt.Sprintf("agent %s works without a part of what it was to load: %s; mend it, or take it out of agents.%[1]s.args or of your own settings of the agent", r.Agent, missing))
}

// limited pauses an account that has met its usage limit. Several workers that
// meet it make one pause.
func (f *firing) limited(r state.Run, kind string, x *state.WorkerExit) error {
	now := f.e.o.Now()
	if plan.LimitTold(r.PutOffs.Limit) {
		f.notify(r.Ref, fmt.Sprintf("met the usage limit of %s %d times: no try is counted, and none will get through before its account has room", kind, r.PutOffs.Limit+1))
	}
	until, known := plan.LimitEnds(now, x, r.PutOffs.Limit), f.e.runtime.limits(now)[kind]
	if !until.After(now) || !known.Before(until) {
		return nil
	}
	if plan.SameLimit(known, until) {
		return f.e.runtime.limited(kind, until)
	}
	if f.e.o.Jitter != nil {
		until = until.Add(f.e.o.Jitter(min(limitJitter, until.Sub(now))))
	}
	f.notify(r.Ref, fmt.Sprintf("the usage limit of %s is reached; nothing starts on it before %s", kind, until.UTC().Format("2006-01-02 15:04Z")))
	return f.e.runtime.limited(kind, until)
}

// untilPauseEnds lets a run that met a usage limit wait as long as its account
// does.
func (f *firing) untilPauseEnds(r state.Run, x state.WorkerExit) state.WorkerExit {
	if x.Trouble != state.TroubleLimit && x.LimitUntil.IsZero() {
		return x
	}
	x.Trouble = state.TroubleLimit
	if until := f.e.runtime.limits(f.e.o.Now())[f.facts.Settings.KindOf(r.Agent)]; until.After(x.LimitUntil) {
		x.LimitUntil = until
	}
	return x
}

// pauses are what keeps everything waiting now. They belong to the firing under
// way, as the book does.
func (f *firing) pauses() plan.Pauses { return f.e.pauses }

// changePauses replaces them, so that facts which are being judged stay as they
// were read.
func (f *firing) changePauses(change func(p *plan.Pauses)) {
	next := f.e.pauses
	next.Busy, next.Faults = clonePauses(next.Busy), clonePauses(next.Faults)
	change(&next)
	f.e.pauses = next
}

func clonePauses(m map[string]state.Pause) map[string]state.Pause {
	out := make(map[string]state.Pause, len(m)+1)
	maps.Copy(out, m)
	return out
}

// lookAgain ends every pause but the usage limits: the owner says that
// something has changed.
func (f *firing) lookAgain() {
	now := f.e.o.Now()
	f.changePauses(func(p *plan.Pauses) {
		for _, m := range []map[string]state.Pause{p.Busy, p.Faults} {
			for key, x := range m {
				x.Until = now
				m[key] = x
			}
		}
		p.Away.Until = now
	})
}
