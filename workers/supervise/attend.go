package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/workers"
)

// supervisor is the state of one run; its goroutine is the one that called
// Run.
type supervisor struct {
	folder workers.Folder
	spec   workers.Spec
	agent  workers.Agent
	times  Times

	me      workers.Supervisor
	child   *child
	course  *course
	follow  *workers.Follower
	index   *workers.Indexer
	events  []workers.Event
	lastOut time.Time    // when output was read last
	signed  time.Time    // when a sign of life was recorded last
	grew    bool         // output since then
	life    workers.Life // as it was recorded then
	peak    int64        // the most that the agent's processes held
	ladder  ladder
	first   atomic.Int32 // what became of the first message
	problem string
	stopped bool
	asking  asking
	seen    map[workers.Process]bool // descendants met so far, where orphans cannot be found later
}

func newSupervisor(f workers.Folder, o Options) (*supervisor, error) {
	spec, err := f.Spec()
	if err != nil {
		return nil, err
	}
	if len(spec.Command) == 0 {
		return nil, errors.New("its spec names no command")
	}
	agent, err := o.Agent(spec.Agent)
	if err != nil {
		return nil, err
	}
	if o.Times.Start <= 0 {
		o.Times.Start = spec.StartWithin
	}
	return &supervisor{
		folder: f,
		spec:   spec,
		agent:  agent,
		times:  o.Times.withDefaults(),
		follow: workers.NewFollower(f.TranscriptPath()),
		seen:   map[workers.Process]bool{},
	}, nil
}

// run records itself, starts the agent, looks after it, and records the end.
func (s *supervisor) run(ctx context.Context, stop <-chan os.Signal) error {
	prepareProcess()
	now := time.Now()
	s.me = workers.Supervisor{PID: os.Getpid(), Boot: proc.BootID(), StartedAt: now, Above: above()}
	s.me.Host, _ = os.Hostname() // only ever shown
	start, err := proc.StartTime(s.me.PID)
	if err != nil {
		return err
	}
	s.me.Start = start
	if err := s.folder.WriteSupervisor(s.me); err != nil {
		return err
	}
	first := uuid.NewString()
	s.course = newCourse(first, s.spec.PriorCostUSD)
	s.index = s.folder.NewIndexer(s.spec.PriorCostUSD, now)
	prompt := s.agent.Message(first, s.spec.Prompt)
	once := !s.agent.Can().Steer // it gets the prompt and nothing after it
	if once {
		s.course.began = true
		s.first.Store(firstSent)
	}
	if err := s.startAgent(prompt, once); err != nil {
		x := exitOf(s.course, ended{code: -1}, fmt.Sprintf("start the agent in %s: %v", s.spec.Dir, err), "", time.Now())
		x.Started = now
		if _, gone := os.Stat(s.spec.Dir); gone == nil && unusable(err) {
			x.Trouble = workers.TroubleSetup
			x.Problem = fmt.Sprintf("the agent's program cannot be run (%v): install it, or name it in agents.<name>.command", err)
		}
		return s.writeExit(x)
	}
	s.signOfLife(now)
	if !once {
		go s.sayFirst(prompt) //nolint:gosec // it has a time limit of its own
	}
	how := s.attend(ctx, stop)
	x := s.finish(how)
	x.Started = now
	return s.writeExit(x)
}

// startAgent starts the agent and records it. When it cannot be recorded it is
// ended again: nobody could find it later.
func (s *supervisor) startAgent(prompt []byte, once bool) error {
	if once {
		if err := os.WriteFile(s.folder.InputPath(), prompt, 0o600); err != nil {
			return fmt.Errorf("write its input: %w", err)
		}
	}
	c, err := startChild(s.folder, s.spec, once)
	if err != nil {
		return err
	}
	s.child = c
	s.me.AgentPID = c.pid
	s.me.AgentStart, _ = proc.StartTime(c.pid) // an agent that is gone already has none
	if err := s.folder.WriteSupervisor(s.me); err != nil {
		_ = proc.KillTree(c.pid) // the write's own error is the one that matters
		<-c.exited
		return err
	}
	return nil
}

// attend follows the run until the agent has ended.
func (s *supervisor) attend(ctx context.Context, stop <-chan os.Signal) ended {
	changes, end := s.folder.Notify()
	defer end()
	s.lastOut = time.Now()
	tick := time.NewTimer(0)
	defer tick.Stop()
	done, changed := ctx.Done(), changes
	for {
		select {
		case e := <-s.child.exited:
			return e
		case <-stop:
			s.stop(time.Now())
		case <-s.child.hostGone:
			s.child.hostGone = nil
			s.stop(time.Now())
		case <-done:
			done = nil
			s.stop(time.Now())
		case <-changed:
			changed = nil // until the next look: a busy agent writes thousands of times
			tick.Reset(lookAgain)
			continue
		case <-tick.C:
		}
		s.read(time.Now())
		s.look(time.Now())
		changed = changes
		tick.Reset(s.nextLook(time.Now(), changes != nil))
	}
}

// The pace of looking at a run.
const (
	lookAgain = 20 * time.Millisecond  // at a busy one, and at one that is about to end
	lookQuiet = 250 * time.Millisecond // at one that waits for more
	lookIdle  = time.Second            // at one that tells of its changes
)

// nextLook is when to look again, if nothing changes before.
func (s *supervisor) nextLook(now time.Time, told bool) time.Duration {
	switch {
	case s.ladder.rung != rungNone, s.course.idle && now.Sub(s.lastOut) < taskSettle*s.times.Settle+lookIdle:
		return lookAgain
	case told && !s.course.idle && s.course.began:
		return min(lookIdle, s.times.Alive)
	}
	if told {
		return lookQuiet
	}
	return s.times.Poll
}

// read takes what the agent has written since.
func (s *supervisor) read(now time.Time) {
	grew, _ := s.follow.Read(s.output) // what cannot be read now is read next time
	if grew {
		s.lastOut = now
		s.grew = true
	}
}

// output is a line of the transcript.
func (s *supervisor) output(b []byte) {
	s.line(b)
	s.index.Line(s.events, s.follow.LineEnd())
}

func (s *supervisor) line(b []byte) {
	s.events = s.agent.Parse(s.events[:0], b)
	for i := range s.events {
		s.course.add(&s.events[i])
		s.followAsks(&s.events[i], time.Now())
	}
}

// look decides what to do now.
func (s *supervisor) look(now time.Time) {
	if req, asked, err := s.folder.StopRequest(); err == nil && asked && !s.stopped {
		s.stopWithin(req.Grace, now)
	}
	if now.Sub(s.signed) >= s.times.Alive {
		s.signOfLife(now)
	}
	if s.ladder.rung == rungNone {
		s.answer(now)
		s.maybeEnd(now)
		return
	}
	s.climb(now)
}

// signOfLife records one if there was any: output, a tool that runs, or that a
// person is waited for.
func (s *supervisor) signOfLife(now time.Time) {
	l := s.measure(now)
	if s.grew || l.Below > 0 || s.life.Below > 0 || s.signed.IsZero() || s.awaits() {
		s.life.At = now
	}
	l.At = s.life.At
	if l != s.life || l.At.Equal(now) {
		_ = s.folder.WriteAlive(l) // the next one will do
	}
	s.grew, s.life = false, l
	s.signed = now
}

// maybeEnd ends the session when the run is over, or when what it waits for
// does not come.
func (s *supervisor) maybeEnd(now time.Time) {
	if s.course.waits(nil) == waitTurn {
		return
	}
	sent, err := s.folder.Messages()
	if err != nil {
		return // it is asked again at the next look
	}
	quiet := now.Sub(s.lastOut)
	switch s.course.waits(sent) {
	case waitTurn:
		return
	case waitStart:
		if now.Sub(s.me.StartedAt) < s.times.Start {
			return
		}
		// A prompt that waits ends no line.
		said := firstOf(s.folder.StderrTail(problemTail), s.course.raw, s.folder.OutputTail(problemTail))
		s.problem = noStart(s.times.Start, said)
		s.climbFrom(0, now) // who has not read its task reads no goodbye
		return
	case waitMessages, waitFollowUp:
		if quiet < s.times.Message {
			return
		}
	case waitTasks:
		if quiet < s.times.Background {
			return
		}
	case waitOwner:
		if s.course.owner || quiet < s.times.Owner {
			return // the owner's own interrupt waits for the owner's word, however long
		}
	case waitNothing:
		settle := s.times.Settle
		if s.course.hadTask {
			settle *= taskSettle
		}
		if quiet < settle {
			return
		}
	}
	s.end(now, len(sent))
}
