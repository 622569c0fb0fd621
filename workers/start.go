package workers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNotStarted says that no agent was started for the run, and none will be.
var ErrNotStarted = errors.New("no agent was started")

// Start writes the run folder, starts the supervisor and returns once the
// agent runs or has failed to: an agent that could not be started is a run
// that has exited, with the reason as its Problem, and no error. The supervisor
// outlives this process; a run that ctx leaves waiting goes on too.
//
// ErrRunExists: the id was used before, nothing was started now.
// ErrNotStarted: nothing runs, and nothing will. After any other error ask
// Forbid.
func (l *Launcher) Start(ctx context.Context, spec Spec) (Status, error) {
	f, err := l.prepare(&spec)
	if err != nil {
		return Status{}, fmt.Errorf("start run %s: %w", spec.Run, err)
	}
	if err := f.create(spec); err != nil {
		return Status{}, fmt.Errorf("start run %s: %w", spec.Run, err)
	}
	ended, err := l.spawn(f, runEnv(spec.Env, f))
	if err != nil {
		return Status{}, l.giveUp(f, fmt.Errorf("start the supervisor: %w", err))
	}
	return l.await(ctx, f, ended)
}

// prepare checks a spec and fills in what only the launcher knows.
func (l *Launcher) prepare(spec *Spec) (Folder, error) {
	f, err := l.Folder(spec.Run)
	if err != nil {
		return Folder{}, err
	}
	if len(spec.Command) == 0 || spec.Command[0] == "" {
		return Folder{}, errors.New("the spec names no command")
	}
	if !filepath.IsAbs(spec.Dir) {
		return Folder{}, fmt.Errorf("the working directory %q is not absolute", spec.Dir)
	}
	if _, err := l.agent(spec.Agent); err != nil {
		return Folder{}, err
	}
	if spec.Resume && spec.PriorCostUSD == 0 {
		spec.PriorCostUSD = l.priorCost(spec.Session)
	}
	return f, nil
}

// priorCost adds up what earlier runs of a session cost. Runs that cannot be
// read count nothing.
func (l *Launcher) priorCost(session string) float64 {
	ids, err := l.Runs()
	if err != nil {
		return 0
	}
	var sum float64
	for _, id := range ids {
		f := OpenFolder(filepath.Join(l.runs, id))
		if s, err := f.Spec(); err != nil || s.Session != session {
			continue
		}
		if e, err := f.Exit(); err == nil && e != nil {
			sum += e.CostUSD
		}
	}
	return sum
}

// runEnv is the supervisor's environment: the spec's, and the names by which
// the run's processes are found again.
func runEnv(env []string, f Folder) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, EnvRun+"=") || strings.HasPrefix(kv, EnvRunFolder+"=")
	})
	return append(out, EnvRun+"="+f.Run(), EnvRunFolder+"="+f.Dir())
}

// await waits until the agent runs, the run has ended, or the supervisor is
// gone without either.
func (l *Launcher) await(ctx context.Context, f Folder, ended <-chan error) (Status, error) {
	deadline := time.NewTimer(l.wait)
	defer deadline.Stop()
	const slowest = 20 * time.Millisecond
	for pause := time.Millisecond; ; pause = min(2*pause, slowest) {
		st, err := l.Observe(ctx, f.Run())
		if err != nil {
			return Status{}, err
		}
		if st.Phase == PhaseRunning || st.Phase == PhaseExited {
			return st, nil
		}
		next := time.NewTimer(pause)
		select {
		case <-next.C:
			continue
		case err := <-ended:
			next.Stop()
			return l.supervisorEnded(ctx, f, err)
		case <-ctx.Done():
			next.Stop()
			return st, fmt.Errorf("start run %s: %w", f.Run(), ctx.Err())
		case <-deadline.C:
			next.Stop()
			return st, l.giveUp(f, fmt.Errorf("no agent within %s", l.wait))
		}
	}
}

// supervisorEnded tells the end of a supervisor that had no agent yet when we
// looked last.
func (l *Launcher) supervisorEnded(ctx context.Context, f Folder, cause error) (Status, error) {
	st, err := l.Observe(ctx, f.Run())
	if err != nil {
		return Status{}, err
	}
	if st.Phase == PhaseExited {
		return st, nil
	}
	if log := f.LogTail(1000); log != "" {
		cause = errors.New(log)
	}
	if cause == nil {
		cause = errors.New("it exited at once")
	}
	return st, l.giveUp(f, fmt.Errorf("the supervisor ended before it had an agent: %w", cause))
}

// giveUp makes sure that no agent will ever run and says so, or says that one
// may.
func (l *Launcher) giveUp(f Folder, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	phase, err := l.Forbid(ctx, f.Run())
	switch {
	case err == nil && phase == PhaseAbsent:
		return fmt.Errorf("start run %s: %w: %w", f.Run(), ErrNotStarted, cause)
	case err != nil:
		return fmt.Errorf("start run %s: %w (and it could not be fenced off: %w)", f.Run(), cause, err)
	}
	return fmt.Errorf("start run %s: %w; it is %s", f.Run(), cause, phase)
}

// reap waits for a supervisor that is our child, so that it leaves no zombie.
func reap(cmd *exec.Cmd) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended
}
