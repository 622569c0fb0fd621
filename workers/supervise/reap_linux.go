package supervise

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// subreaper says that orphans of the agent become children of ours.
const subreaper = true

// prepareProcess makes this process adopt what the agent's processes leave
// behind, also what moved to a session of its own.
func prepareProcess() {
	_, _ = unix.Setsid() // the launcher has done it; by hand it may be needed
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	smallProcess()
}

// growPipe makes room for a long first message.
func growPipe(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) }

// reapAgent reaps every child of this process, adopted ones too, for as long
// as it lives, and tells how the agent ended.
func reapAgent(agent int) <-chan ended {
	exited := make(chan ended, 1)
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGCHLD)
	go func() {
		// The tick is for a signal that came before we listened.
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			reapAll(agent, exited)
			select {
			case <-sig:
			case <-tick.C:
			}
		}
	}()
	return exited
}

func reapAll(agent int, exited chan<- ended) {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if pid == agent && (ws.Exited() || ws.Signaled()) {
			exited <- endedOf(ws)
		}
	}
}

// leftovers lists what lives of the run now that the agent is gone.
func (s *supervisor) leftovers() []workers.Process {
	return workers.Identify(proc.Descendants(os.Getpid()))
}
