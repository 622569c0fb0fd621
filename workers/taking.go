package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// ErrTaken says that somebody has the run's session open.
var ErrTaken = errors.New("its session is open already")

// Taker is who works by hand in the session of a run: taken.json. The process
// that has taken it is not the one that writes to the session: that is the agent
// that it has started, which goes on when the first is killed.
type Taker struct {
	Version    int       `json:"version"`
	PID        int       `json:"pid"`
	Start      string    `json:"start"`
	AgentPID   int       `json:"agentPid,omitempty"` // once it has started
	AgentStart string    `json:"agentStart,omitempty"`
	Boot       string    `json:"boot"`
	At         time.Time `json:"at"`
	Left       time.Time `json:"left,omitzero"`
}

// living is the id of a process that has the session still, 0 if none of the
// recorded ones does.
func (t Taker) living() int {
	switch {
	case !t.Left.IsZero() || t.Boot != proc.BootID():
	case proc.Alive(t.PID, t.Start):
		return t.PID
	case t.AgentPID > 1 && proc.Alive(t.AgentPID, t.AgentStart):
		return t.AgentPID
	}
	return 0
}

// Taken says who works by hand in a run's session.
type Taken struct {
	Came  bool // somebody has taken it, now or earlier
	Lives bool // and something that was started for it may write to it still
	PID   int  // of what lives; 0 where only the kernel knows of it
}

// Taken looks at who has the session: by the processes that were recorded, and
// by the mark, which tells also of what was started and never recorded. Who has
// left of its own accord has it no more, whatever it left running.
func (f Folder) Taken() (Taken, error) {
	t, came, err := f.taker()
	if err != nil || !came || !t.Left.IsZero() {
		return Taken{Came: came}, err
	}
	if pid := t.living(); pid != 0 {
		return Taken{Came: true, Lives: true, PID: pid}, nil
	}
	held, err := statefile.Marked(f.takenLockPath())
	if err != nil {
		return Taken{}, fmt.Errorf("look who has run %s: %w", f.Run(), err)
	}
	return Taken{Came: true, Lives: held}, nil
}

// taker reads taken.json; false if nobody has ever taken the run.
func (f Folder) taker() (Taker, bool, error) {
	var t Taker
	ok, err := readVersioned(f.takenPath(), &t, func() int { return t.Version })
	return t, ok, err
}

// Taking is a session that this process, and what it starts by Run, has to
// itself.
type Taking struct {
	Spec   Spec
	folder Folder
	taker  Taker
	lock   *statefile.FileLock
	mark   *statefile.Mark
}

// Take waits until the run's agent has ended, and keeps every other writer out
// of its session until Release, or the end of this process and of all that it
// has started by Run: a supervisor holds the same lock for as long as it lives.
// ErrTaken if another person has it.
func (l *Launcher) Take(ctx context.Context, run string) (*Taking, error) {
	f, err := l.Folder(run)
	if err != nil {
		return nil, fmt.Errorf("take run over: %w", err)
	}
	spec, err := f.Spec()
	if err != nil {
		return nil, fmt.Errorf("take run %s over: %w", run, err)
	}
	switch t, err := f.Taken(); {
	case err == nil && t.Lives && t.PID == 0:
		return nil, fmt.Errorf("take run %s over: %w: something that was started in it still runs; end that first", run, ErrTaken)
	case err == nil && t.Lives:
		return nil, fmt.Errorf("take run %s over: %w, in pid %d", run, ErrTaken, t.PID)
	}
	lock, err := statefile.Lock(ctx, f.LockPath())
	if err != nil {
		return nil, fmt.Errorf("take run %s over: its agent has not ended: %w", run, err)
	}
	t := &Taking{Spec: spec, folder: f, lock: lock}
	if err := l.takenBy(ctx, t); err != nil {
		return nil, errors.Join(fmt.Errorf("take run %s over: %w", run, err), lock.Unlock())
	}
	return t, nil
}

// takenBy notes this process. The caller holds the lock.
func (l *Launcher) takenBy(ctx context.Context, t *Taking) error {
	if _, took, err := t.folder.Supervisor(); err != nil || !took {
		return errors.Join(errors.New("it never ran"), err)
	}
	who := Taker{Version: FormatVersion, PID: os.Getpid(), Boot: l.boot, At: l.now()}
	start, err := proc.StartTime(who.PID)
	if err != nil {
		return err
	}
	who.Start = start
	mark, err := l.mark(ctx, t.folder)
	if err != nil {
		return err
	}
	t.taker, t.mark = who, mark
	if err := writeJSON(t.folder.takenPath(), who); err != nil {
		return errors.Join(err, mark.Clear())
	}
	return nil
}

// mark takes the mark of a run's taker. Others hold it for a moment when they
// look at it.
func (l *Launcher) mark(ctx context.Context, f Folder) (*statefile.Mark, error) {
	const tries, pause = 100, 20 * time.Millisecond
	for range tries {
		m, ok, err := statefile.TryMark(f.takenLockPath())
		if err != nil || ok {
			return m, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil, fmt.Errorf("%w: something that was started in it still runs; end that first", ErrTaken)
}

// endsWithin is how long a person's process may take to end by itself when it
// is told to.
const endsWithin = 10 * time.Second

// Run runs a person's process in the run's directory to its end. It and all
// that it starts hold the session, also when this process is killed: the mark is
// theirs before they run, and the process is noted as soon as it does.
func (t *Taking) Run(ctx context.Context, argv, env []string, in io.Reader, out, errs io.Writer) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = t.Spec.Dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.Cancel = func() error { return proc.Terminate(cmd.Process.Pid) }
	cmd.WaitDelay = endsWithin
	if file := t.mark.File(); file != nil {
		cmd.ExtraFiles = []*os.File{file}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the session: %w", err)
	}
	t.taker.AgentPID = cmd.Process.Pid
	t.taker.AgentStart, _ = proc.StartTime(cmd.Process.Pid) // one that is gone already has none
	noted := writeJSON(t.folder.takenPath(), t.taker)
	return errors.Join(cmd.Wait(), noted)
}

// Release lets others in again.
func (t *Taking) Release() error {
	t.taker.Left = time.Now()
	return errors.Join(writeJSON(t.folder.takenPath(), t.taker), t.mark.Clear(), t.lock.Unlock())
}
