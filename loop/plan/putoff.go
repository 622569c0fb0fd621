package plan

import (
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// How long a try is put off by what is not its own work, each time in a row
// twice as long as before, up to a bound.
const (
	limitFirst, limitMax = 5 * time.Minute, time.Hour         // a usage limit that nobody says the end of
	againFirst, againMax = time.Minute, 30 * time.Minute      // a limit that is met again at once
	busyFirst, busyMax   = 30 * time.Second, 15 * time.Minute // a model that does not answer
	setupFirst, setupMax = 5 * time.Minute, time.Hour         // what a person must mend, looked at again
	awayFirst, awayMax   = 30 * time.Second, 5 * time.Minute  // a remote that does not answer
	busyTries            = 14                                 // about three hours; then it is a failed try
	sessionTries         = 2
	limitTold            = 8 // each so many limits in a row
)

// sameLimit: two workers of one account tell the same limit with a little
// difference.
const sameLimit = 10 * time.Minute

// grow is first·2^n, at most the bound.
func grow(n int, first, bound time.Duration) time.Duration {
	return Retry{First: first, Max: bound}.Wait(n + 1)
}

// LimitEnds is when a usage limit that a run has met is over: when it says,
// and never so soon that a run which meets it again and again would do so
// without rest. putOffs is how often in a row the run was put off before.
func LimitEnds(now time.Time, x *state.WorkerExit, putOffs int) time.Time {
	if x.LimitUntil.IsZero() {
		return now.Add(grow(putOffs, limitFirst, limitMax))
	}
	soonest := now
	if putOffs > 0 {
		soonest = now.Add(grow(putOffs-1, againFirst, againMax))
	}
	if x.LimitUntil.Before(soonest) {
		return soonest
	}
	return x.LimitUntil
}

// LimitTold says whether a person is told that a run meets its limit again and
// again, before is how often: a limit is waited for however long it lasts, and
// never in silence.
func LimitTold(before int) bool { return before > 0 && before%limitTold == 0 }

// SameLimit says whether a limit is one that is known already, so that several
// workers that meet it make one pause.
func SameLimit(known, until time.Time) bool {
	return !known.IsZero() && until.Sub(known) <= sameLimit
}

// BusyEnds is when to look again at a model that does not answer.
func BusyEnds(now time.Time, putOffs int) time.Time {
	return now.Add(grow(putOffs, busyFirst, busyMax))
}

// FaultEnds is when to look again at what a person must mend.
func FaultEnds(now time.Time, tries int) time.Time { return now.Add(grow(tries, setupFirst, setupMax)) }

// AwayEnds is when to look again at a remote that does not answer.
func AwayEnds(now time.Time, tries int) time.Time { return now.Add(grow(tries, awayFirst, awayMax)) }

// putOff settles a run that met an obstacle which is none of its own work: no
// try is counted, and the session goes on when the obstacle is gone (design.md,
// section 4, retry; failures.md, 8). It answers nothing for a run that has
// failed.
func putOff(f *Finished, reason string) []state.Decision {
	x, before := &f.Exit, f.Run.PutOffs
	if f.Run.Stopped == state.StoppedStall {
		return nil
	}
	trouble := x.Trouble
	if !x.LimitUntil.IsZero() {
		trouble = state.TroubleLimit
	}
	switch trouble {
	case state.TroubleLimit:
		at := LimitEnds(f.Now, x, before.Limit)
		return later(f, state.PutOffLimit, at, "usage limit until "+clock(f.Now, at), true)
	case state.TroubleBusy:
		if before.Busy >= busyTries {
			return nil
		}
		return later(f, state.PutOffBusy, BusyEnds(f.Now, before.Busy), reason, true)
	case state.TroubleSession:
		if before.Session >= sessionTries {
			return nil
		}
		return later(f, state.PutOffSession, f.Now, reason+"; it starts anew", false)
	case state.TroubleSetup:
		ds := GiveBack(&f.Run, &f.Issue)
		if f.Issue.Claim == nil {
			return settle(f, "given back: "+reason, requeue(f)...)
		}
		return ds
	case state.TroubleNone, state.TroubleSpent:
	}
	return nil
}

// later arms the same try again. A row that its worker has released goes back
// to its queue instead.
func later(f *Finished, cause state.PutOff, at time.Time, why string, resume bool) []state.Decision {
	if f.Issue.Claim == nil {
		return settle(f, "put off: "+why, requeue(f)...)
	}
	return []state.Decision{{Op: state.OpRetry, Ref: f.Run.Ref, At: at, Text: why, PutOff: cause, Resume: resume, Why: "put off"}}
}
