package simtest

import (
	"iter"
	"slices"
	"time"
)

// task is what Run would give a goroutine: a coroutine, which goes on when the
// world says so. It pauses inside the effects that it calls.
type task struct {
	p     *process
	next  func() (struct{}, bool)
	kill  func()
	yield func(struct{}) bool
	ready func() bool // whether it may go on; nil is always
}

// spawn makes a task of a process; it begins when it is resumed.
func (s *sim) spawn(p *process, f func()) {
	t := &task{p: p}
	t.next, t.kill = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		f()
	})
	s.tasks = append(s.tasks, t)
}

// resume lets a task go on to its next pause.
func (s *sim) resume(t *task) {
	before := s.running
	s.running = t
	_, more := t.next()
	s.running = before
	if !more {
		s.tasks = slices.DeleteFunc(s.tasks, func(o *task) bool { return o == t })
	}
}

// pause lets anything else happen, until ready says that the task may go on.
// A process that died meanwhile is dead when it returns.
func (s *sim) pause(p *process, ready func() bool) {
	t := s.running
	if t == nil || p.dead {
		return
	}
	t.ready = ready
	if !t.yield(struct{}{}) {
		p.dead = true
	}
	t.ready = nil
}

// reap ends the tasks of dead processes: they run to their end without another
// effect.
func (s *sim) reap(p *process) {
	for _, t := range slices.Clone(s.tasks) {
		if t.p == p {
			before := s.running
			s.running = t
			t.kill()
			s.running = before
		}
	}
	s.tasks = slices.DeleteFunc(s.tasks, func(t *task) bool { return t.p == p })
	s.alarms = slices.DeleteFunc(s.alarms, func(a alarm) bool { return a.p == p })
}

// alarm is a call that is due when so much time has passed. It knows no wall
// clock: setting that neither hurries nor delays it.
type alarm struct {
	p   *process
	due time.Duration
	do  func()
}

func (s *sim) after(p *process, d time.Duration, do func()) {
	s.alarms = append(s.alarms, alarm{p: p, due: s.passed + d, do: do})
}

// ring carries out the alarms that are due, oldest first.
func (s *sim) ring() {
	for {
		at := -1
		for n := range s.alarms {
			if s.alarms[n].due <= s.passed && (at < 0 || s.alarms[n].due < s.alarms[at].due) {
				at = n
			}
		}
		if at < 0 {
			return
		}
		a := s.alarms[at]
		s.alarms = slices.Delete(s.alarms, at, at+1)
		a.do()
	}
}

// wall is the clock that everybody reads. Setting it changes skew.
func (s *sim) wall() time.Time { return genesis.Add(s.passed + s.skew) }

var genesis = time.Date(2026, 8, 27, 8, 0, 0, 0, time.UTC)
