package workers

import (
	"context"
	"errors"
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
// are found and ended from here. It returns when none is left. A run that has
// ended already is no error.
func (l *Launcher) Stop(ctx context.Context, run string, grace time.Duration) error {
	st, err := l.Observe(ctx, run)
	if err != nil {
		return fmt.Errorf("stop: %w", err)
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
	return waitGone(ctx, []leftover{{pid: st.PID, start: st.PIDStart}})
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

// leftover is a process of a run, known by more than its id.
type leftover struct {
	pid   int
	start string
}

func (p leftover) alive() bool { return proc.Alive(p.pid, p.start) }

// EndLeftovers ends what a dead supervisor left running: the agent, its
// descendants, and whatever else carries the run in its environment. It
// answers how many processes that were. It refuses while a supervisor lives.
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
	lock, ok, err := statefile.TryLock(f.LockPath())
	if err != nil {
		return 0, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	if !ok {
		return 0, fmt.Errorf("end leftovers of run %s: its supervisor lives; stop it instead", run)
	}
	defer lock.Unlock() //nolint:errcheck // the kernel drops it at the latest with the process
	n, err := endAll(ctx, func() []leftover { return findLeftovers(f, super) })
	if err != nil {
		return n, fmt.Errorf("end leftovers of run %s: %w", run, err)
	}
	return n, nil
}

// findLeftovers lists what lives of a run, without this process and those it
// descends from.
func findLeftovers(f Folder, super Supervisor) []leftover {
	spare := append(proc.Ancestors(os.Getpid()), os.Getpid())
	pids := processesOf(f)
	if agent := (leftover{super.AgentPID, super.AgentStart}); agent.pid > 1 && agent.alive() {
		pids = append(pids, agent.pid)
	}
	for _, p := range slices.Clone(pids) {
		pids = append(pids, proc.Descendants(p)...)
	}
	slices.Sort(pids)
	var found []leftover
	for _, p := range slices.Compact(pids) {
		if p <= 1 || slices.Contains(spare, p) {
			continue
		}
		if start, err := proc.StartTime(p); err == nil {
			found = append(found, leftover{p, start})
		}
	}
	return found
}

// endAll asks the processes that find names to end, kills those that do not,
// and looks again until none is left.
func endAll(ctx context.Context, find func() []leftover) (int, error) {
	const polite, rounds = 2 * time.Second, 50
	found := find()
	ended := map[leftover]bool{}
	for _, p := range found {
		ended[p] = true
		_ = proc.Terminate(p.pid) // it may be gone already, or will be killed
	}
	soft, cancel := context.WithTimeout(ctx, polite)
	_ = waitGone(soft, found)
	cancel()
	for range rounds {
		found = find()
		if len(found) == 0 {
			return len(ended), nil
		}
		for _, p := range found {
			ended[p] = true
			if p.alive() {
				_ = proc.KillTree(p.pid) // what is left is seen in the next round
			}
		}
		hard, cancel := context.WithTimeout(ctx, polite)
		err := waitGone(hard, found)
		cancel()
		if ctx.Err() != nil {
			return len(ended), err
		}
	}
	return len(ended), errors.New("processes come back faster than they are killed")
}

// waitGone waits until none of the processes lives.
func waitGone(ctx context.Context, ps []leftover) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if !slices.ContainsFunc(ps, leftover.alive) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for processes to end: %w", ctx.Err())
		case <-time.After(wait):
		}
	}
}
