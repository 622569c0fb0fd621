package workers

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
)

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
