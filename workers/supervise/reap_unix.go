//go:build unix && !linux

package supervise

import (
	"errors"
	"maps"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// subreaper: these systems give orphans to the first process. The agent's
// descendants are noted while they can be found.
const subreaper = false

func prepareProcess() {
	_, _ = unix.Setsid() // the launcher has done it; by hand it may be needed
	smallProcess()
}

func growPipe(int) {}

// reapAgent waits for the agent and tells how it ended.
func reapAgent(agent int) <-chan ended {
	exited := make(chan ended, 1)
	go func() {
		for {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(agent, &ws, 0, nil)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case err != nil:
				exited <- ended{code: -1}
				return
			case pid == agent && (ws.Exited() || ws.Signaled()):
				exited <- endedOf(ws)
				return
			}
		}
	}()
	return exited
}

// leftovers lists what was seen below the agent and still lives, and what that
// has started since.
func (s *supervisor) leftovers() []workers.Process {
	for p := range maps.Clone(s.seen) {
		if p.Alive() {
			s.remember(proc.Descendants(p.PID))
		}
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.seen)), func(p workers.Process) bool { return !p.Alive() })
}
