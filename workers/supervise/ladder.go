package supervise

import (
	"context"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/workers"
)

// rung is how far the end of an agent has gone. It only goes up.
type rung uint8

const (
	rungNone      rung = iota
	rungInterrupt      // the running turn was interrupted
	rungEnd            // the session was ended
	rungTerm           // the agent was asked by a signal
	rungKill           // the whole tree was killed
)

// ladder is when which step of the end is due.
type ladder struct {
	rung rung
	due  time.Time // of the next rung
	half time.Duration
}

// How long a step of the end takes before the next one.
const (
	sayWithin  = 2 * time.Second // for the agent to read a line
	termWithin = 2 * time.Second // from the signal to the kill
	killAgain  = time.Second
)

// stop begins the end that a signal or the end of our host asks for.
func (s *supervisor) stop(now time.Time) {
	grace := s.times.Grace
	if req, asked, err := s.folder.StopRequest(); err == nil && asked {
		grace = req.Grace
	}
	s.stopWithin(grace, now)
}

// stopWithin ends the run politely: interrupt, end of session, signal, kill.
// The agent has half the grace to end its turn, and half to end itself. Asked
// again, the shorter grace counts.
func (s *supervisor) stopWithin(grace time.Duration, now time.Time) {
	s.stopped = true
	s.climbFrom(grace, now)
}

// climbFrom begins the end.
func (s *supervisor) climbFrom(grace time.Duration, now time.Time) {
	grace = max(0, grace)
	due := now.Add(grace / 2)
	switch s.ladder.rung {
	case rungNone:
		s.ladder = ladder{rung: rungInterrupt, due: due, half: grace / 2}
		if !s.agent.Can().Steer {
			s.ladder.rung, s.ladder.due = rungEnd, now // a signal is all that it takes
			return
		}
		if grace == 0 {
			s.ladder.rung = rungEnd
			return
		}
		switch {
		case s.first.CompareAndSwap(firstUnsent, firstWithheld):
			s.ladder.due = now // there is no turn to interrupt, and there will be none
		case !s.course.idle:
			_ = s.sayLocked(s.agent.Interrupt("stop")) // the next rung is due anyway
		}
	case rungInterrupt, rungEnd:
		s.ladder.half = min(s.ladder.half, grace/2)
		if due.Before(s.ladder.due) {
			s.ladder.due = due
		}
	case rungTerm, rungKill:
	}
}

// end ends the session of a run that is over. known is how many messages had
// been sent when that was decided: one that came since goes first.
func (s *supervisor) end(now time.Time, known int) {
	ctx, cancel := context.WithTimeout(context.Background(), sayWithin)
	defer cancel()
	lock, err := s.lockInput(ctx)
	if err == nil {
		defer lock.Unlock() //nolint:errcheck // the kernel drops it with the process
		if sent, err := s.folder.Messages(); err == nil && len(sent) != known {
			return
		}
		_ = s.folder.MarkEnding() // a message sent after this is lost with the session
		_ = s.child.say(s.folder, s.agent.End("end"), sayWithin)
	}
	// An agent that cannot be told is ended by the next rung.
	s.ladder = ladder{rung: rungEnd, due: now.Add(s.times.End), half: s.times.End}
}

// climb takes the next step when it is due.
func (s *supervisor) climb(now time.Time) {
	interrupted := s.ladder.rung == rungInterrupt && s.course.idle
	if now.Before(s.ladder.due) && !interrupted {
		return
	}
	switch s.ladder.rung {
	case rungNone:
	case rungInterrupt:
		s.ladder.rung = rungEnd
		s.ladder.due = now.Add(s.ladder.half)
		_ = s.folder.MarkEnding()           // it only spares a sender the loss
		_ = s.sayLocked(s.agent.End("end")) // the next rung ends it without
	case rungEnd:
		s.ladder.rung = rungTerm
		s.ladder.due = now.Add(termWithin)
		if !s.agent.Can().Steer {
			s.ladder.due = now.Add(2 * s.ladder.half) // its whole grace
		}
		s.remember(proc.Descendants(s.child.pid))
		_ = proc.Terminate(s.child.pid) // the next rung kills
	case rungTerm, rungKill:
		s.ladder.rung = rungKill
		s.ladder.due = now.Add(killAgain)
		s.remember(proc.Descendants(s.child.pid))
		_ = proc.KillTree(s.child.pid) // tried again until it is gone
	}
}

// What became of the first message.
const (
	firstUnsent int32 = iota
	firstSent
	firstWithheld // the run was stopped before
)

// sayFirst writes the first message. A long one may take until the agent reads
// it.
func (s *supervisor) sayFirst(line []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), s.times.Start)
	defer cancel()
	lock, err := s.lockInput(ctx)
	if err != nil {
		return // the watchdog of the start reports an agent without a task
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it with the process
	if s.first.CompareAndSwap(firstUnsent, firstSent) {
		_ = s.child.say(s.folder, line, s.times.Start) // the watchdog again
	}
}

// sayLocked writes a line if the agent takes it soon.
func (s *supervisor) sayLocked(line []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), sayWithin)
	defer cancel()
	lock, err := s.lockInput(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it with the process
	return s.child.say(s.folder, line, sayWithin)
}

func (s *supervisor) lockInput(ctx context.Context) (*statefile.FileLock, error) {
	return statefile.Lock(ctx, s.folder.InputLockPath())
}

// remember notes processes of the agent that can't be found any more once
// they have lost their parent.
func (s *supervisor) remember(pids []int) {
	if subreaper {
		return
	}
	for _, p := range workers.Identify(pids) {
		s.seen[p] = true
	}
	for p := range s.seen {
		if !p.Alive() {
			delete(s.seen, p)
		}
	}
}
