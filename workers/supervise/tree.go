package supervise

import (
	"fmt"
	"os"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// tree lists the agent and everything below it, also what has left it where
// this process adopts orphans.
func (s *supervisor) tree() []int {
	if subreaper {
		return proc.Descendants(os.Getpid())
	}
	return append([]int{s.child.pid}, proc.Descendants(s.child.pid)...)
}

// measure looks at the agent's processes: how many live below it, how many
// there are in all and what they hold. It ends a run that holds more than it
// may.
func (s *supervisor) measure(now time.Time) workers.Life {
	below, all := proc.Descendants(s.child.pid), s.tree()
	s.remember(below)
	l := workers.Life{At: now, Below: len(below), Procs: len(all), RSS: proc.Memory(all...)}
	s.peak = max(s.peak, l.RSS)
	if limit := s.spec.MaxMemory; limit > 0 && l.RSS > limit && s.problem == "" {
		s.problem = fmt.Sprintf("its processes held %d MB of memory, more than limits.maxWorkerMemoryMB, %d MB (%d processes)", l.RSS>>20, limit>>20, l.Procs)
		s.climbFrom(s.times.Grace, now)
	}
	return l
}

// above are the processes that this one was started below, without its parent,
// the loop, which adopts nobody.
func above() []int {
	all := proc.Ancestors(os.Getpid())
	return all[min(1, len(all)):]
}
