package loop

import (
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Bounds of what a snapshot keeps.
const (
	frameEvery  = 33 * time.Millisecond // at most one snapshot a frame for a worker's stream
	logEntries  = 500
	endedShown  = 8
	noticesKept = 100
	firingsKept = 100
)

// view is what the owner knows beyond the book: the last firing's reading, the
// workers' streams, the log.
type view struct {
	version    uint64
	firing     int
	step       string
	stepSince  time.Time
	reading    *board.Progress // of the poll under way
	nextFiring time.Time
	rows       []state.Row
	polledAt   time.Time
	pollError  string
	pulls      []state.Pull
	needs      []state.Need
	pausedFor  []state.Pause
	status     string
	runs       []state.Run
	live       map[string]state.WorkerStatus
	outcomes   []state.Worker // ended, newest last
	firings    []state.Firing
	log        []state.Entry
	notices    []state.Notice
	lastNotice uint64
	costToday  float64
	dirty      bool
}

func newView(o Options) view {
	v := view{firing: o.Firing, live: map[string]state.WorkerStatus{}, runs: slices.Clone(o.Runs), outcomes: slices.Clone(o.Ended)}
	for _, n := range o.Notices {
		v.addNotice(o.Now(), "", n)
	}
	return v
}

func (v *view) addNotice(at time.Time, ref board.Ref, text string) {
	v.lastNotice++
	v.notices = append(v.notices, state.Notice{ID: v.lastNotice, At: at, Ref: ref, Text: text})
	if n := len(v.notices) - noticesKept; n > 0 {
		v.notices = slices.Clone(v.notices[n:])
	}
}

// notify tells the owner something that must not be missed.
func (e *Engine) notify(ref board.Ref, text string) {
	e.addNotice(e.o.Now(), ref, text)
	e.say(ref, true, text)
}

// say adds a line to the log.
func (e *Engine) say(ref board.Ref, bad bool, text string) {
	e.log = append(e.log, state.Entry{At: e.o.Now(), Firing: e.firing, Ref: ref, Text: text, Bad: bad})
	if n := len(e.log) - logEntries; n > 0 {
		e.log = slices.Clone(e.log[n:])
	}
	e.dirty = true
	level := e.o.Log.Info
	if bad {
		level = e.o.Log.Warn
	}
	level("Loop", logkey.Ref, string(ref), logkey.Firing, e.firing, logkey.Reason, text)
}

// forget notes how a run was settled, for the screen.
func (e *Engine) forget(r state.Run, outcome string) {
	st := e.live[r.ID]
	delete(e.live, r.ID)
	e.outcomes = append(e.outcomes, state.Worker{
		Run: r, LastSign: st.LastSign, Activity: st.Activity, CostUSD: st.CostUSD, Tokens: st.Tokens,
		Tail: st.Tail, Lines: st.Lines, Outcome: outcome, Messages: unread(st.Messages),
	})
	if n := len(e.outcomes) - endedShown; n > 0 {
		e.outcomes = slices.Clone(e.outcomes[n:])
	}
	e.say(r.Ref, false, fmt.Sprintf("%s try %d: %s", r.Kind, r.Attempt, outcome))
}

// adopt takes over what a firing read.
func (e *Engine) adopt(f *firing) {
	e.step, e.reading = "", nil
	e.costToday = f.costToday
	e.record(f)
	if f.opening || !f.read {
		e.pollError = f.pollError
		e.status = firstOf(f.pollError, e.status)
		return
	}
	e.rows, e.pulls, e.needs, e.pausedFor = f.rows, f.shown, f.needs, f.paused
	e.status, e.polledAt, e.pollError = f.status, f.polledAt, ""
}

// record keeps the line of a firing that is over.
func (e *Engine) record(f *firing) {
	if f.opening || f.closing || (!f.read && f.pollError == "") {
		return
	}
	now := e.o.Now()
	e.firings = append(e.firings, state.Firing{
		N: f.n, At: now, Why: f.why, Took: now.Sub(f.began), Status: firstOf(f.pollError, f.status), Bad: f.pollError != "",
	})
	if n := len(e.firings) - firingsKept; n > 0 {
		e.firings = slices.Clone(e.firings[n:])
	}
}

// publish makes a snapshot of everything and hands it to the readers.
func (e *Engine) publish() {
	e.version++
	e.dirty = false
	next := &state.Snapshot{
		Version: e.version, At: e.o.Now(), Mode: e.modeNow(),
		Repository: e.o.Repository, Milestones: e.o.Milestones, Agents: e.o.Agents,
		Rows: e.shownRows(), PolledAt: e.polledAt, PollError: e.pollError,
		Workers: e.workers(), Pulls: e.pulls, Requests: e.asked(), Needs: e.allNeeds(), Pauses: e.pausedFor,
		Status: e.status, Firing: e.firing, Step: e.step, StepSince: e.stepSince, Reading: e.reading, NextFiring: e.nextFiring,
		Slots: e.slots(), CostToday: e.costToday, CostCap: e.tuning.CostCap,
		Firings: slices.Clone(e.firings), Log: slices.Clone(e.log), Notices: slices.Clone(e.notices),
	}
	was := e.pub.last.Load()
	if was == nil {
		was = &state.Snapshot{Mode: next.Mode}
	}
	e.events.add(happened(was, next))
	e.pub.publish(next)
}

// workers are the live ones in the order in which they started, then those
// that ended last.
func (e *Engine) workers() []state.Worker {
	out := make([]state.Worker, 0, len(e.runs)+len(e.outcomes))
	for _, r := range e.runs {
		st := e.live[r.ID]
		out = append(out, state.Worker{
			Run: r, LastSign: st.LastSign, Activity: st.Activity,
			CostUSD: st.CostUSD, Tokens: st.Tokens, Context: st.Context, Tail: st.Tail, Lines: st.Lines,
			Waiting: standsStill(&r, &st), TakenOver: r.Phase == state.PhaseTakenOver, Messages: st.Messages, RSS: st.RSS, Procs: st.Procs,
		})
	}
	for _, w := range slices.Backward(e.outcomes) {
		out = append(out, w)
	}
	return out
}

func (e *Engine) slots() state.Slots {
	caps := e.tuning.Settings.Caps
	s := state.Slots{
		MaxDevelopers: caps.Developers, MaxReviewers: caps.Reviewers, MaxCleaners: caps.Cleaners, MaxWorkers: caps.Total,
	}
	for i := range e.runs {
		if !e.runs[i].Alive() {
			continue
		}
		switch e.runs[i].Kind {
		case board.KindDeveloper:
			s.Developers++
		case board.KindReviewer:
			s.Reviewers++
		case board.KindCleaner:
			s.Cleaners++
		}
	}
	return s
}
