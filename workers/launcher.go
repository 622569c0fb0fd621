package workers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// SuperviseCommand is the hidden command of our program that looks after one
// run; its argument is the run folder.
const SuperviseCommand = "__supervise"

// The names in the environment by which a run's processes are known. The
// launcher sets both, whatever a spec says.
const (
	EnvRun       = "DISPATCHER_RUN"
	EnvRunFolder = "DISPATCHER_RUN_FOLDER"
)

// Options are what a Launcher needs.
type Options struct {
	Runs   string // the folder of run folders
	Binary string // our program, where it stays as long as a run may live
	// Agent answers the language of the agent that a spec names.
	Agent func(name string) (Agent, error)
	Now   func() time.Time // default time.Now
	// StartWait bounds how long Start waits for an agent; default 20 s.
	StartWait time.Duration
	// TookWait is how long Hold and Answer wait for the agent to show that it has
	// what was sent; default 5 s.
	TookWait time.Duration
}

// Launcher starts runs on this machine and looks after them through their
// folders. It may be used by many goroutines at once, and any number of
// launchers, in any number of processes, may look at one run.
type Launcher struct {
	runs   string
	binary string
	agent  func(name string) (Agent, error)
	now    func() time.Time
	wait   time.Duration
	took   time.Duration
	boot   string
	host   string

	mu       sync.Mutex
	readings map[string]*reading // of runs that have not ended
	inputs   inputs              //nolint:unused // on Windows alone an input needs its holder
}

// NewLauncher makes a launcher. It touches nothing.
func NewLauncher(o Options) *Launcher {
	l := &Launcher{
		runs:     o.Runs,
		binary:   o.Binary,
		agent:    o.Agent,
		now:      o.Now,
		wait:     o.StartWait,
		took:     o.TookWait,
		boot:     proc.BootID(),
		readings: map[string]*reading{},
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.took <= 0 {
		l.took = 5 * time.Second
	}
	if l.wait <= 0 {
		l.wait = 20 * time.Second
	}
	l.host, _ = os.Hostname() // only ever shown
	return l
}

// Folder is the folder of a run, which need not exist. It fails on an id that
// cannot be a folder's name.
func (l *Launcher) Folder(run string) (Folder, error) {
	if err := CheckRunID(run); err != nil {
		return Folder{}, err
	}
	return OpenFolder(filepath.Join(l.runs, run)), nil
}

// RoleFile is where Start will put the role text of a run, for the agent's
// command to name.
func (l *Launcher) RoleFile(run string) string {
	return OpenFolder(filepath.Join(l.runs, run)).RolePath()
}

// SettingsFile is where Start will put the settings of a run's agent, for the
// agent's command to name.
func (l *Launcher) SettingsFile(run string) string {
	return OpenFolder(filepath.Join(l.runs, run)).SettingsPath()
}

// Runs lists the ids of all runs that have a folder, in the order of their
// names.
func (l *Launcher) Runs() ([]string, error) {
	entries, err := os.ReadDir(l.runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && CheckRunID(e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Observe tells what can be told of a run now. A run that has no folder is
// PhaseAbsent and no error.
func (l *Launcher) Observe(ctx context.Context, run string) (Status, error) {
	if err := ctx.Err(); err != nil {
		return Status{}, fmt.Errorf("observe run %s: %w", run, err)
	}
	r, err := l.reading(run)
	if err != nil {
		return Status{}, fmt.Errorf("observe run %s: %w", run, err)
	}
	st, _, err := r.observe(0)
	if err != nil {
		return Status{}, fmt.Errorf("observe run %s: %w", run, err)
	}
	l.forget(run, st.Phase)
	return st, nil
}

// Glance tells what can be told of a run without reading its output.
func (l *Launcher) Glance(run string) (Status, error) {
	f, err := l.Folder(run)
	if err != nil {
		return Status{}, fmt.Errorf("look at run %q: %w", run, err)
	}
	r := reading{folder: f, boot: l.boot}
	st, err := r.phase()
	if err != nil {
		return Status{}, fmt.Errorf("look at run %s: %w", run, err)
	}
	return st, nil
}

// reading is how far one run has been read.
func (l *Launcher) reading(run string) (*reading, error) {
	f, err := l.Folder(run)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.readings[run]; r != nil {
		return r, nil
	}
	r := &reading{folder: f, boot: l.boot, now: l.now, agent: l.agent, follow: NewFollower(f.TranscriptPath())}
	l.readings[run] = r
	return r, nil
}

// forget drops what was read of a run that will not change any more, so that
// memory does not grow with the number of runs.
func (l *Launcher) forget(run string, phase Phase) {
	if phase == PhaseStarting || phase == PhaseRunning {
		return
	}
	l.mu.Lock()
	delete(l.readings, run)
	l.mu.Unlock()
}
