package supervise

import (
	"context"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// asking is what the agent asks and what it was told.
type asking struct {
	asks  workers.Asks
	clock time.Time       // the newest time that the agent's output told
	sent  map[string]bool // asks whose answer was sent
}

// answer sends what was answered, by a person through the launcher or by the
// run's policy, to every ask that waits. It alone sends answers, so that none is
// sent twice, and it does so without a loop.
func (s *supervisor) answer(now time.Time) {
	open := s.asking.asks.Open()
	if s.asking.sent == nil || len(open) == 0 {
		s.asking.sent = map[string]bool{}
	}
	if len(open) == 0 {
		return
	}
	given, err := s.folder.Answers()
	if err != nil {
		return // it is asked again at the next look
	}
	for i := range open {
		r := &open[i]
		if s.asking.sent[r.ID] {
			continue
		}
		a, ok := s.decide(r, given, now)
		if !ok {
			continue
		}
		if err := s.sayLocked(s.agent.Answer(*r, a)); err == nil {
			s.asking.sent[r.ID] = true
		}
	}
}

// decide is the answer that counts; false while there is none.
func (s *supervisor) decide(r *workers.Request, given []workers.Answer, now time.Time) (workers.Answer, bool) {
	if i := slices.IndexFunc(given, func(g workers.Answer) bool { return g.Request == r.ID }); i >= 0 {
		return given[i], true
	}
	a, ok := workers.Rule(given, r)
	if !ok {
		a, ok = s.spec.Policy.Decide(r, now)
	}
	if !ok {
		return workers.Answer{}, false
	}
	a.At = now
	ctx, cancel := context.WithTimeout(context.Background(), sayWithin)
	defer cancel()
	a, err := s.folder.RecordAnswer(ctx, a)
	return a, err == nil
}

// followAsks keeps the asks in step with an event.
func (s *supervisor) followAsks(e *workers.Event, now time.Time) {
	if !e.At.IsZero() {
		s.asking.clock = e.At
	}
	at := s.asking.clock
	if at.IsZero() {
		at = now
	}
	s.asking.asks.Add(e, at)
}

// awaits says whether the run stands still until a person says something.
func (s *supervisor) awaits() bool {
	return len(s.asking.asks.Open()) > 0 || s.course.idle && s.course.owner
}
