package supervise

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/workers"
)

// finish ends what the agent left behind, reads to the end and puts the exit
// together.
func (s *supervisor) finish(how ended) workers.Exit {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	reaped, _ := workers.EndAll(ctx, s.leftovers) // what cannot be ended is counted all the same
	unread := s.readOut()
	if unread == nil {
		unread = s.close(how)
	}
	now := time.Now()
	stderr := s.folder.StderrTail(problemTail)
	x := exitOf(s.course, how, cmp.Or(s.problem, s.unreadable(how, unread)), stderr, now)
	x.Stopped, x.PeakRSS = s.stopped, s.peak
	if s.problem == "" {
		said := s.course.raw
		if _, ok := s.agent.(workers.Closer); ok {
			said = s.folder.OutputTail(problemTail) // all that it says is words
		}
		explain(&x, s.course, s.agent, stderr, said)
	}
	x.Reaped = reaped
	return x
}

// readOut reads what is left of the output, to its end.
func (s *supervisor) readOut() error {
	for {
		grew, err := s.follow.Read(s.output)
		if err != nil {
			return err
		}
		if !grew {
			s.follow.Rest(s.output)
			return nil
		}
	}
}

// close makes a result for an agent that does not tell one itself.
func (s *supervisor) close(how ended) error {
	c, ok := s.agent.(workers.Closer)
	if !ok || s.course.last != nil {
		return nil
	}
	said, err := os.Open(s.folder.TranscriptPath())
	if err != nil {
		return err
	}
	defer said.Close()
	r, err := c.Close(said, s.folder.StderrTail(problemTail), how.code, how.signal)
	if r != nil {
		s.course.result(r)
	}
	return err
}

// unreadable is the problem of a run whose output could not be read to its end
// and showed no result before; empty if there is none.
func (s *supervisor) unreadable(how ended, err error) string {
	if err == nil || s.course.last != nil {
		return ""
	}
	return noResult(how, "its output cannot be read: "+err.Error())
}

// writeExit writes how the run ended, and waits for room on a full disk.
func (s *supervisor) writeExit(x workers.Exit) error {
	deadline := time.Now().Add(s.times.Disk)
	for {
		err := s.folder.WriteExit(x)
		if err == nil || !errors.Is(err, statefile.ErrNoSpace) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Second)
	}
}
