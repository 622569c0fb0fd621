package loop

import (
	"context"
	"fmt"
	"sync"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

// eventsKept is how far back a reader of events can begin.
const eventsKept = 2000

// events are the last things that happened. Readers keep their own place in
// them, so that a slow one misses some and holds nobody up.
type events struct {
	mu     sync.Mutex
	last   uint64
	list   []state.Event // the newest last
	more   chan struct{} // closed when there is more
	closed bool
}

func newEvents() *events { return &events{more: make(chan struct{})} }

func (v *events) add(list []state.Event) {
	if len(list) == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, ev := range list {
		v.last++
		ev.N = v.last
		v.list = append(v.list, ev)
	}
	if n := len(v.list) - eventsKept; n > 0 {
		v.list = append([]state.Event(nil), v.list[n:]...)
	}
	close(v.more)
	v.more = make(chan struct{})
}

func (v *events) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		v.closed = true
		close(v.more)
	}
}

// since are the events after a number, what to wait for to get more, and
// whether there will ever be more. A number that is still to come is one of an
// earlier loop: its reader has missed all of this one.
func (v *events) since(after uint64) (list []state.Event, more <-chan struct{}, over bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if after > v.last {
		after = 0
	}
	first := v.last - uint64(len(v.list)) + 1
	if after+1 < first && len(v.list) > 0 {
		list = append(list, state.Event{
			N: first - 1, At: v.list[0].At, Kind: state.EventGap, Text: fmt.Sprintf("%d earlier events are not kept", first-1-after),
		})
		after = first - 1
	}
	if after < v.last {
		list = append(list, v.list[after+1-first:]...)
	}
	return list, v.more, v.closed
}

// LastEvent is the number of the newest event, 0 before the first.
func (e *Engine) LastEvent() uint64 {
	e.events.mu.Lock()
	defer e.events.mu.Unlock()
	return e.events.last
}

// Events answers what happened after an event, and then what happens, until the
// context or the loop ends, which closes the channel.
func (e *Engine) Events(ctx context.Context, after uint64) <-chan state.Event {
	out := make(chan state.Event)
	go func() {
		defer close(out)
		for {
			list, more, over := e.events.since(after)
			for _, ev := range list {
				select {
				case out <- ev:
					after = ev.N
				case <-ctx.Done():
					return
				}
			}
			if len(list) > 0 {
				continue
			}
			if over {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// happened tells what is new in a picture, in the order in which it came about.
func happened(was, now *state.Snapshot) []state.Event {
	h := &happenings{at: now}
	h.workers(was)
	h.asked(was)
	if was.Firing != now.Firing || len(was.Firings) != len(now.Firings) || !was.PolledAt.Equal(now.PolledAt) {
		h.needs(was)
		h.limits(was)
		h.firings(was)
	}
	h.notices(was)
	if was.Mode != now.Mode {
		h.tell(state.EventMode, "", string(now.Mode))
	}
	return h.out
}

type happenings struct {
	at  *state.Snapshot
	out []state.Event
}

func (h *happenings) tell(k state.EventKind, ref board.Ref, text string) {
	h.out = append(h.out, state.Event{At: h.at.At, Kind: k, Ref: ref, Text: text})
}

func (h *happenings) run(k state.EventKind, w *state.Worker, text string) {
	h.out = append(h.out, state.Event{At: h.at.At, Kind: k, Ref: w.Run.Ref, Run: w.Run.ID, Worker: w.Run.Kind, Text: text})
}

// workers tells of runs: a run that passed through several phases between two
// pictures is told of in each.
func (h *happenings) workers(was *state.Snapshot) {
	before := make(map[string]*state.Worker, len(was.Workers))
	for i := range was.Workers {
		before[was.Workers[i].Run.ID] = &was.Workers[i]
	}
	for i := range h.at.Workers {
		w := &h.at.Workers[i]
		old := before[w.Run.ID]
		stage, now := 0, stageOf(w)
		switch {
		case old != nil:
			stage = stageOf(old)
		case now == 4:
			stage = 3 // it left the book a picture ago, and was told of until then
		}
		if stage < 1 && now >= 1 {
			h.run(state.EventClaimed, w, fmt.Sprintf("try %d of %s", w.Run.Attempt, w.Run.Title))
		}
		if stage < 2 && now >= 2 && !w.Run.StartedAt.IsZero() {
			h.run(state.EventStarted, w, fmt.Sprintf("try %d", w.Run.Attempt))
		}
		if stage < 3 && now >= 3 && !w.Run.StartedAt.IsZero() {
			h.run(state.EventFinished, w, w.Run.Failure)
		}
		if stage < 4 && now >= 4 {
			h.run(state.EventRouted, w, w.Outcome)
		}
	}
}

// stageOf is how far a run is: claimed, alive, ended, settled.
func stageOf(w *state.Worker) int {
	if w.Outcome != "" {
		return 4
	}
	switch w.Run.Phase {
	case state.PhaseClaiming:
		return 0
	case state.PhaseClaimed, state.PhaseStarting:
		return 1
	case state.PhaseRunning:
		return 2
	case state.PhaseEnded, state.PhaseVerifying, state.PhaseRetrying, state.PhaseTakenOver:
		return 3
	}
	return 0
}

// asked tells of what running workers ask.
func (h *happenings) asked(was *state.Snapshot) {
	before := make(map[string]bool, len(was.Requests))
	for i := range was.Requests {
		before[was.Requests[i].ID] = true
	}
	for i := range h.at.Requests {
		r := &h.at.Requests[i]
		if before[r.ID] {
			continue
		}
		ev := state.Event{At: h.at.At, Kind: state.EventPermission, Ref: r.Ref, Run: r.Run, Text: r.Tool + " " + r.Summary}
		if r.Kind == state.RequestQuestion {
			ev.Kind, ev.Text = state.EventQuestion, r.Summary
			if len(r.Questions) > 0 {
				ev.Text = r.Questions[0].Text
			}
		}
		h.out = append(h.out, ev)
	}
}

// needs tells of rows that wait for their owner since this firing.
func (h *happenings) needs(was *state.Snapshot) {
	type key struct {
		kind state.NeedKind
		ref  board.Ref
	}
	before := make(map[key]bool, len(was.Needs))
	for i := range was.Needs {
		before[key{was.Needs[i].Kind, was.Needs[i].Ref}] = true
	}
	for i := range h.at.Needs {
		n := &h.at.Needs[i]
		if before[key{n.Kind, n.Ref}] {
			continue
		}
		switch n.Kind {
		case state.NeedQuestion:
			h.tell(state.EventQuestion, n.Ref, n.Text)
		case state.NeedAttention:
			h.tell(state.EventGaveUp, n.Ref, n.Text)
		case state.NeedRequest, state.NeedInterrupted, state.NeedReview, state.NeedConfirm, state.NeedStale:
		}
	}
}

// limits tells once that rows wait for money or quota.
func (h *happenings) limits(was *state.Snapshot) {
	if why := barred(h.at.Rows); why != "" && barred(was.Rows) == "" {
		h.tell(state.EventLimit, "", why)
	}
}

func barred(rows []state.Row) string {
	for i := range rows {
		if rows[i].Hold == plan.HoldQuota {
			return rows[i].Waits
		}
	}
	return ""
}

func (h *happenings) firings(was *state.Snapshot) {
	last := 0
	if n := len(was.Firings); n > 0 {
		last = was.Firings[n-1].N
	}
	for _, f := range h.at.Firings {
		if f.N > last {
			h.out = append(h.out, state.Event{At: f.At, Kind: state.EventFiring, Text: fmt.Sprintf("%d: %s", f.N, f.Status)})
		}
	}
}

func (h *happenings) notices(was *state.Snapshot) {
	last := uint64(0)
	for _, n := range was.Notices {
		last = max(last, n.ID)
	}
	for _, n := range h.at.Notices {
		if n.ID > last {
			h.out = append(h.out, state.Event{At: n.At, Kind: state.EventNotice, Ref: n.Ref, Text: n.Text})
		}
	}
}
