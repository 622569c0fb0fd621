package workers

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// stopMargin is how much longer than the grace a supervisor may take to end
// the tree and to write its exit.
const stopMargin = 15 * time.Second

// Stop ends a run: the agent is asked to finish (interrupt, end of session),
// gets grace to do so, then its whole process tree is killed by the
// supervisor. Where the supervisor is gone, or does not do it, the processes
// are found and ended from here. One that is only on its way is fenced off. It
// returns when none is left. A run that has ended already is no error.
func (l *Launcher) Stop(ctx context.Context, run string, grace time.Duration) error {
	st, err := l.Observe(ctx, run)
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if f, err := l.Folder(run); err == nil && st.Phase == PhaseAbsent && exists(f.Dir()) {
		if _, err := l.Forbid(ctx, run); err != nil {
			return fmt.Errorf("stop: %w", err)
		}
		if st, err = l.Observe(ctx, run); err != nil {
			return fmt.Errorf("stop: %w", err)
		}
	}
	if st.Phase == PhaseStarting || st.Phase == PhaseRunning {
		if err := l.askToStop(ctx, run, st, grace); err != nil {
			return fmt.Errorf("stop run %s: %w", run, err)
		}
	}
	st, err = l.Observe(ctx, run)
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if st.Phase != PhaseDead {
		return nil
	}
	_, err = l.EndLeftovers(ctx, run)
	return err
}

// askToStop leaves a request, wakes the supervisor and waits for it. One that
// does not answer in time is killed.
func (l *Launcher) askToStop(ctx context.Context, run string, st Status, grace time.Duration) error {
	f, err := l.Folder(run)
	if err != nil {
		return err
	}
	if err := f.WriteStop(StopRequest{Grace: grace, At: l.now()}); err != nil {
		return err
	}
	if proc.Alive(st.PID, st.PIDStart) {
		if err := wakeSupervisor(st.PID); err != nil && proc.Alive(st.PID, st.PIDStart) {
			return fmt.Errorf("wake the supervisor: %w", err)
		}
	}
	within, cancel := context.WithTimeout(ctx, grace+stopMargin)
	defer cancel()
	err = l.Watch(within, run, func(Status) {})
	if err == nil || ctx.Err() != nil {
		return err
	}
	if proc.Alive(st.PID, st.PIDStart) {
		if err := proc.KillTree(st.PID); err != nil {
			return fmt.Errorf("kill the supervisor, which does not answer: %w", err)
		}
	}
	return waitGone(ctx, []Process{{PID: st.PID, Start: st.PIDStart}})
}

// Forbid fences a run off for a loop that does not know whether it was ever
// started: after PhaseAbsent no agent has been started and none ever will be,
// even if a supervisor is on its way. Any other phase says what the run is; it
// is not changed then.
func (l *Launcher) Forbid(ctx context.Context, run string) (Phase, error) {
	f, err := l.Folder(run)
	if err != nil {
		return "", fmt.Errorf("forbid run: %w", err)
	}
	if err := os.MkdirAll(f.Dir(), 0o700); err != nil {
		return "", fmt.Errorf("forbid run %s: %w", run, err)
	}
	for {
		lock, ok, err := statefile.TryLock(f.LockPath())
		if err != nil {
			return "", fmt.Errorf("forbid run %s: %w", run, err)
		}
		if ok {
			return l.forbidLocked(f, lock)
		}
		st, err := l.Observe(ctx, run)
		if err != nil {
			return "", fmt.Errorf("forbid run %s: %w", run, err)
		}
		if st.Phase == PhaseStarting || st.Phase == PhaseRunning {
			return st.Phase, nil
		}
		// Whoever holds the lock is about to record itself, or about to leave.
		select {
		case <-ctx.Done():
			return PhaseStarting, fmt.Errorf("forbid run %s: its lock is held: %w", run, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (l *Launcher) forbidLocked(f Folder, lock *statefile.FileLock) (Phase, error) {
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
	exit, err := f.Exit()
	if err != nil {
		return "", fmt.Errorf("forbid run %s: %w", f.Run(), err)
	}
	if exit != nil {
		return PhaseExited, nil
	}
	_, took, err := f.Supervisor()
	if err != nil {
		return "", fmt.Errorf("forbid run %s: %w", f.Run(), err)
	}
	if took {
		return PhaseDead, nil // no other supervisor takes a run that one has had
	}
	if err := f.Forbid(); err != nil {
		return "", fmt.Errorf("forbid run %s: %w", f.Run(), err)
	}
	return PhaseAbsent, nil
}

// EndLeftovers ends what a dead supervisor left running: the agent, its
// descendants, and whatever else carries the run in its environment. It
// answers how many processes that were. It refuses while a supervisor lives.
// The run is marked first: what escapes is refused wherever it says who it is.
func (l *Launcher) EndLeftovers(ctx context.Context, run string) (int, error) {
	f, err := l.Folder(run)
	if err != nil {
		return 0, fmt.Errorf("end leftovers: %w", err)
	}
	super, took, err := f.Supervisor()
	if err != nil {
		return 0, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	if !took || super.Boot != l.boot {
		return 0, nil // nothing of it ever ran, or not under this boot
	}
	if proc.Alive(super.PID, super.Start) {
		return 0, fmt.Errorf("end leftovers of run %s: its supervisor lives; stop it instead", run)
	}
	// A process that was killed may look dead a moment before it has let go.
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock, err := statefile.Lock(within, f.LockPath())
	if err != nil {
		return 0, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
	if err := f.Forbid(); err != nil {
		return 0, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	n, err := EndAll(ctx, func() []Process { return findLeftovers(f, super) })
	if err != nil {
		return n, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	return n, nil
}

// findLeftovers lists what lives of a run, without this process and those it
// descends from.
func findLeftovers(f Folder, super Supervisor) []Process {
	spare := append(proc.Ancestors(os.Getpid()), os.Getpid())
	pids := processesOf(f, super)
	if agent := (Process{super.AgentPID, super.AgentStart}); agent.PID > 1 && agent.Alive() {
		pids = append(pids, agent.PID)
	}
	for _, p := range slices.Clone(pids) {
		pids = append(pids, proc.Descendants(p)...)
	}
	slices.Sort(pids)
	pids = slices.DeleteFunc(slices.Compact(pids), func(p int) bool { return slices.Contains(spare, p) })
	return Identify(pids)
}
