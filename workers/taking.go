package workers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// ErrTaken says that somebody has the run's session open.
var ErrTaken = errors.New("its session is open already")

// Taker is who works by hand in the session of a run: taken.json.
type Taker struct {
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Start   string    `json:"start"`
	Boot    string    `json:"boot"`
	At      time.Time `json:"at"`
	Left    time.Time `json:"left,omitzero"`
}

// Lives says whether the process has the session still.
func (t Taker) Lives() bool {
	return t.Left.IsZero() && t.Boot == proc.BootID() && proc.Alive(t.PID, t.Start)
}

// Taker reads taken.json; false if nobody has ever taken the run.
func (f Folder) Taker() (Taker, bool, error) {
	var t Taker
	ok, err := readVersioned(f.takenPath(), &t, func() int { return t.Version })
	return t, ok, err
}

// Taking is a session that this process has to itself.
type Taking struct {
	Spec   Spec
	folder Folder
	taker  Taker
	lock   *statefile.FileLock
}

// Take waits until the run's agent has ended, and keeps every other writer out
// of its session until Release, or the end of this process: a supervisor holds
// the same lock for as long as it lives. ErrTaken if another person has it.
func (l *Launcher) Take(ctx context.Context, run string) (*Taking, error) {
	f, err := l.Folder(run)
	if err != nil {
		return nil, fmt.Errorf("take run over: %w", err)
	}
	spec, err := f.Spec()
	if err != nil {
		return nil, fmt.Errorf("take run %s over: %w", run, err)
	}
	if t, came, err := f.Taker(); err == nil && came && t.Lives() {
		return nil, fmt.Errorf("take run %s over: %w, in pid %d", run, ErrTaken, t.PID)
	}
	lock, err := statefile.Lock(ctx, f.LockPath())
	if err != nil {
		return nil, fmt.Errorf("take run %s over: its agent has not ended: %w", run, err)
	}
	t, err := l.takenBy(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take run %s over: %w", run, err), lock.Unlock())
	}
	return &Taking{Spec: spec, folder: f, taker: t, lock: lock}, nil
}

// takenBy notes this process. The caller holds the lock.
func (l *Launcher) takenBy(f Folder) (Taker, error) {
	if _, took, err := f.Supervisor(); err != nil || !took {
		return Taker{}, errors.Join(errors.New("it never ran"), err)
	}
	t := Taker{Version: FormatVersion, PID: os.Getpid(), Boot: l.boot, At: l.now()}
	start, err := proc.StartTime(t.PID)
	if err != nil {
		return Taker{}, err
	}
	t.Start = start
	return t, writeJSON(f.takenPath(), t)
}

// Command is a person's process in the run's directory.
func (t *Taking) Command(ctx context.Context, argv, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = t.Spec.Dir, env
	return cmd
}

// Release lets others in again.
func (t *Taking) Release() error {
	t.taker.Left = time.Now()
	return errors.Join(writeJSON(t.folder.takenPath(), t.taker), t.lock.Unlock())
}
