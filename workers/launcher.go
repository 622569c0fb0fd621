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
		boot:     proc.BootID(),
		readings: map[string]*reading{},
	}
	if l.now == nil {
		l.now = time.Now
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

// reading follows one run. Its mutex is held while files are read, so that
// lines are counted once however many look.
type reading struct {
	folder Folder
	boot   string
	now    func() time.Time
	agent  func(name string) (Agent, error)

	mu     sync.Mutex
	lang   Agent
	follow *Follower
	events []Event
	tail   Tail
	rev    int // grows with each change of tail
	super  Supervisor
	shown  Status
	policy Policy
	said   said
}

// observe reads on and answers the status with its revision. When the revision
// is still known, the status carries no Tail.
func (r *reading) observe(known int) (Status, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st, err := r.phase()
	if err != nil {
		return Status{}, 0, err
	}
	if st.Phase != PhaseAbsent {
		if err := r.read(st.Phase == PhaseExited); err != nil {
			return Status{}, 0, err
		}
		if r.said.read(r.folder) {
			r.rev++
		}
		r.signs(&st)
	}
	if r.changed(st) {
		r.rev++
	}
	r.shown = st
	if r.rev != known {
		r.tail.fill(&st)
		st.Messages = r.tail.receipts.of(r.said.messages)
		if st.Phase == PhaseRunning {
			st.Requests = r.requests()
		}
		if r.lang != nil && !r.lang.Can().Steer {
			// What does not tell of its tools counts as one of them.
			st.Busy, st.Below = true, max(1, st.Below)
		}
	}
	return st, r.rev, nil
}

// changed says whether more than the lines differs from what was shown last.
func (r *reading) changed(st Status) bool {
	old := r.shown
	return old.Phase != st.Phase || old.AgentPID != st.AgentPID || old.PID != st.PID ||
		st.RSS != old.RSS || st.Procs != old.Procs || st.LastSign.Sub(old.LastSign) >= time.Second
}

// phase judges the run by its folder.
func (r *reading) phase() (Status, error) {
	if err := r.readSupervisor(); err != nil {
		return Status{}, err
	}
	st := Status{Phase: PhaseAbsent}
	if s := r.super; s.PID != 0 {
		st.PID, st.PIDStart, st.AgentPID, st.Started = s.PID, s.Start, s.AgentPID, s.StartedAt
		st.Phase = PhaseStarting
		if s.AgentPID != 0 {
			st.Phase = PhaseRunning
		}
		// Asked before exit.json is read: a supervisor that ends between the two
		// has written it.
		if !r.alive(s) {
			st.Phase = PhaseDead
		}
	}
	exit, err := r.folder.Exit()
	if err != nil {
		return Status{}, err
	}
	if exit != nil {
		st.Phase, st.Exit = PhaseExited, exit
		if st.Started.IsZero() {
			st.Started = exit.Started
		}
	}
	return st, nil
}

func (r *reading) readSupervisor() error {
	if r.super.AgentPID != 0 {
		return nil // it does not change any more
	}
	s, ok, err := r.folder.Supervisor()
	if err != nil {
		return err
	}
	if ok {
		r.super = s
	}
	return nil
}

// alive says whether the supervisor is the living process it was. Another boot,
// or another machine, proves it gone.
func (r *reading) alive(s Supervisor) bool {
	return s.Boot == r.boot && proc.Alive(s.PID, s.Start)
}

func (r *reading) read(ended bool) error {
	if r.lang == nil {
		spec, err := r.folder.Spec()
		if err != nil {
			return err
		}
		lang, err := r.agent(spec.Agent)
		if err != nil {
			return fmt.Errorf("read the transcript of run %s: %w", r.folder.Run(), err)
		}
		r.lang = lang
		r.tail.Usage.Prior = spec.PriorCostUSD
		r.policy = spec.Policy
	}
	now := r.now()
	line := func(b []byte) {
		r.events = r.lang.Parse(r.events[:0], b)
		for i := range r.events {
			r.tail.Add(&r.events[i], now)
			r.rev++
		}
	}
	if _, err := r.follow.Read(line); err != nil {
		return err
	}
	if ended {
		r.follow.Rest(line)
	}
	return nil
}

// signs fills in the newest sign of life, be it what the supervisor recorded or
// output, the newest output, and what the agent's processes are.
func (r *reading) signs(st *Status) {
	st.LastOutput = st.Started
	if info, err := os.Stat(r.folder.TranscriptPath()); err == nil && info.Size() > 0 && info.ModTime().After(st.LastOutput) {
		st.LastOutput = info.ModTime()
	}
	// A worker that was just answered is not quiet: it has yet to go on.
	if n := len(r.said.answers); n > 0 && r.said.answers[n-1].At.After(st.LastOutput) {
		st.LastOutput = r.said.answers[n-1].At
	}
	l := r.folder.Alive()
	st.LastSign, st.Below = l.At, l.Below
	if st.Phase == PhaseStarting || st.Phase == PhaseRunning {
		st.Procs, st.RSS = l.Procs, l.RSS
	}
	if st.LastOutput.After(st.LastSign) {
		st.LastSign = st.LastOutput
	}
}
