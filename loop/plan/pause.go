package plan

import (
	"maps"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Pauses are what keeps every row of an agent waiting: none of it is about one
// issue. A pause whose time is over lets one more worker look.
type Pauses struct {
	Busy   map[string]state.Pause // models that do not answer, by kind of agent
	Faults map[string]state.Pause // agents that cannot work here, by profile
	Away   state.Pause            // the remote, for every worker that needs a worktree
}

// awayTries is how often a remote that does not answer is looked at before it
// is a person's to mend.
const awayTries = 8

func (p *Pauses) bar(now time.Time, k board.Kind, agent, kind string) Bar {
	if x := p.Faults[agent]; x.Until.After(now) {
		return Bar{Hold: HoldSetup, Why: "agent " + agent + ": " + x.Why, Until: x.Until, Fault: true}
	}
	if x := p.Busy[kind]; x.Until.After(now) {
		return Bar{Hold: HoldAway, Why: x.Why + "; next try at " + x.Until.UTC().Format("15:04:05Z"), Until: x.Until}
	}
	if x := p.Away; k != board.KindReviewer && x.Until.After(now) {
		return Bar{Hold: HoldAway, Why: x.Why + "; next look at " + x.Until.UTC().Format("15:04:05Z"), Until: x.Until, Fault: x.Fault}
	}
	return Bar{}
}

// AwayAgain is the pause after a remote did not answer once more.
func (p *Pauses) AwayAgain(now time.Time, why string) state.Pause {
	n := p.Away.Tries
	return state.Pause{Why: why, Until: AwayEnds(now, n), Tries: n + 1, Fault: n+1 >= awayTries}
}

// FaultAgain is the pause after an agent could not work here once more.
func (p *Pauses) FaultAgain(now time.Time, agent, why string) state.Pause {
	n := p.Faults[agent].Tries
	return state.Pause{What: agent, Why: why, Until: FaultEnds(now, n), Tries: n + 1, Fault: true}
}

// AllPauses are what is paused now, usage limits first.
func AllPauses(f *Facts) []state.Pause {
	var out []state.Pause
	for _, kind := range slices.Sorted(maps.Keys(f.Limited)) {
		if reset := f.Limited[kind]; reset.After(f.Now) {
			out = append(out, state.Pause{What: kind, Why: limitText(f.Now, kind, reset), Until: reset})
		}
	}
	for _, m := range []map[string]state.Pause{f.Pauses.Faults, f.Pauses.Busy, {"": f.Pauses.Away}} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if m[key].Until.After(f.Now) {
				out = append(out, m[key])
			}
		}
	}
	return out
}

// limitText is a usage limit in words.
func limitText(now time.Time, kind string, reset time.Time) string {
	return "usage limit of " + kind + " until " + clock(now, reset)
}
