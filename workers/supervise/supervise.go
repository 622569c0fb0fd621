// Package supervise looks after one agent process: the body of the hidden
// command that the launcher starts for each run.
//
// It promises that a run gets at most one agent, ever; that the agent writes
// its output straight into the transcript and keeps its input open by itself,
// so that it goes on when the loop dies, and when the supervisor does; that how
// it ended is written once, whole; and that nothing the agent started outlives
// it where the system has subreapers (Linux). On other unix systems what the
// agent's processes had moved away from it before we looked is missed. On
// Windows, which has no pipe that outlives the one who made it, the agent ends
// with the process that started its supervisor and is resumed by its session.
//
// It never decides what a run is for, never touches a board, and does not
// know any agent's language.
package supervise

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/workers"
)

// Options are what a supervisor needs.
type Options struct {
	// Agent answers the language of the agent that the spec names.
	Agent func(name string) (workers.Agent, error)
	Times Times
}

// Times are the supervisor's patience. Zero fields take their defaults.
type Times struct {
	Start      time.Duration // until the first turn begins; 2 min
	Settle     time.Duration // of silence after the last result before the end; 150 ms
	Message    time.Duration // for a turn that is due, or a message never acknowledged; 1 min
	Background time.Duration // of silence while only background tasks run; 10 min
	Owner      time.Duration // for a word after an interrupt; 10 min
	End        time.Duration // from the end of the session to the end of the agent; 10 s
	Grace      time.Duration // when stopped by a signal without a request; 5 s
	Alive      time.Duration // between two signs of life; 10 s
	Poll       time.Duration // between two looks where the folder tells of no changes; 100 ms
	Disk       time.Duration // for a full disk to get room for the exit; 10 min
}

// taskSettle is how much longer the last silence must be in a run that had
// tasks in the background: one that ended just before the result may yet get
// a turn of its own.
const taskSettle = 10

func (t Times) withDefaults() Times {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&t.Start, 2*time.Minute)
	set(&t.Settle, 150*time.Millisecond)
	set(&t.Message, time.Minute)
	set(&t.Background, 10*time.Minute)
	set(&t.Owner, 10*time.Minute)
	set(&t.End, 10*time.Second)
	set(&t.Grace, 5*time.Second)
	set(&t.Alive, 10*time.Second)
	set(&t.Poll, 100*time.Millisecond)
	set(&t.Disk, 10*time.Minute)
	return t
}

// Run looks after the run in the folder at dir until it has ended and its exit
// is written. It refuses (workers.ErrForbidden) a run that was given back or
// that a supervisor has had before.
func Run(ctx context.Context, dir string, o Options) error {
	defer ignoreTerminal()()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	defer signal.Stop(stop)

	f := workers.OpenFolder(dir)
	lockCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	lock, err := statefile.Lock(lockCtx, f.LockPath())
	if err != nil {
		return fmt.Errorf("supervise run %s: %w", f.Run(), err)
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it with the process
	if err := mayStart(f); err != nil {
		return fmt.Errorf("supervise run %s: %w", f.Run(), err)
	}
	s, err := newSupervisor(f, o)
	if err != nil {
		return fmt.Errorf("supervise run %s: %w", f.Run(), err)
	}
	if err := s.run(ctx, stop); err != nil {
		return fmt.Errorf("supervise run %s: %w", f.Run(), err)
	}
	return nil
}

// ignoreTerminal keeps a closed or interrupted terminal from ending the
// supervisor. The signals are caught and dropped, not ignored: an ignored one
// would stay ignored in the agent.
func ignoreTerminal() (restore func()) {
	drop := make(chan os.Signal, 1) // never read: what does not fit is dropped
	signal.Notify(drop, syscall.SIGHUP, os.Interrupt)
	return func() { signal.Stop(drop) }
}

// mayStart is the fence: one supervisor for a run, ever, and none for one that
// was given back. The caller holds the run's lock.
func mayStart(f workers.Folder) error {
	if f.Forbidden() {
		return workers.ErrForbidden
	}
	_, took, err := f.Supervisor()
	if err != nil {
		return err
	}
	if took {
		return fmt.Errorf("%w: another supervisor has had it", workers.ErrForbidden)
	}
	exit, err := f.Exit()
	if err != nil {
		return err
	}
	if exit != nil {
		return fmt.Errorf("%w: it has ended", workers.ErrForbidden)
	}
	return nil
}
