package supervise

import (
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
	for {
		if grew, err := s.follow.Read(s.output); err != nil || !grew {
			break
		}
	}
	s.follow.Rest(s.output)
	s.close(how)
	now := time.Now()
	stderr := s.folder.StderrTail(problemTail)
	x := exitOf(s.course, how, s.problem, stderr, now)
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

// close makes a result for an agent that does not tell one itself.
func (s *supervisor) close(how ended) {
	c, ok := s.agent.(workers.Closer)
	if !ok || s.course.last != nil {
		return
	}
	said, err := os.Open(s.folder.TranscriptPath())
	if err != nil {
		return // without its words there is no result, which is said
	}
	defer said.Close()
	if r := c.Close(said, s.folder.StderrTail(problemTail), how.code, how.signal); r != nil {
		s.course.result(r)
	}
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
