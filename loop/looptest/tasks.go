package looptest

import (
	"iter"
	"slices"
	"time"
)

// Tasks are what a driven loop would give to goroutines and to timers: its
// world decides when a task goes on and how much time passes. P is the process
// that a task or an alarm belongs to. The zero value has none.
type Tasks[P comparable] struct {
	Passed time.Duration // what a steady clock has counted

	list    []*Task[P]
	alarms  []alarm[P]
	running *Task[P]
}

// Task is what Run would give a goroutine: a coroutine, which goes on when the
// world says so. It pauses inside the effects that it calls.
type Task[P comparable] struct {
	Of    P
	next  func() (struct{}, bool)
	kill  func()
	yield func(struct{}) bool
	ready func() bool // whether it may go on; nil is always
}

// Ready says whether the task may go on.
func (t *Task[P]) Ready() bool { return t.ready == nil || t.ready() }

// Spawn makes a task of a process; it begins when it is resumed.
func (s *Tasks[P]) Spawn(p P, f func()) {
	t := &Task[P]{Of: p}
	t.next, t.kill = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		f()
	})
	s.list = append(s.list, t)
}

// Under are the tasks that are under way, oldest first.
func (s *Tasks[P]) Under() []*Task[P] { return s.list }

// Running says whether a task is running now.
func (s *Tasks[P]) Running() bool { return s.running != nil }

// Resume lets a task go on to its next pause.
func (s *Tasks[P]) Resume(t *Task[P]) {
	if !s.in(t, func() bool { _, more := t.next(); return more }) {
		s.list = slices.DeleteFunc(s.list, func(o *Task[P]) bool { return o == t })
	}
}

// in does something as a task.
func (s *Tasks[P]) in(t *Task[P], do func() bool) bool {
	before := s.running
	s.running = t
	defer func() { s.running = before }()
	return do()
}

// Pause lets anything else happen, until ready says that the running task may
// go on; nil lets it go on at any time. It answers false when the task was
// reaped meanwhile, and true at once where no task is running.
func (s *Tasks[P]) Pause(ready func() bool) bool {
	t := s.running
	if t == nil {
		return true
	}
	t.ready = ready
	goesOn := t.yield(struct{}{})
	t.ready = nil
	return goesOn
}

// Reap ends what a dead process has under way: its tasks run to their end, in
// which Pause answers false, and its alarms never ring.
func (s *Tasks[P]) Reap(p P) {
	for _, t := range slices.Clone(s.list) {
		if t.Of == p {
			s.in(t, func() bool { t.kill(); return false })
		}
	}
	s.list = slices.DeleteFunc(s.list, func(t *Task[P]) bool { return t.Of == p })
	s.alarms = slices.DeleteFunc(s.alarms, func(a alarm[P]) bool { return a.of == p })
}

// alarm is a call that is due when so much time has passed. It knows no wall
// clock: setting that neither hurries nor delays it.
type alarm[P comparable] struct {
	of  P
	due time.Duration
	do  func()
}

// After sets an alarm of a process.
func (s *Tasks[P]) After(p P, d time.Duration, do func()) {
	s.alarms = append(s.alarms, alarm[P]{of: p, due: s.Passed + d, do: do})
}

// Ring carries out the alarms that are due, oldest first.
func (s *Tasks[P]) Ring() {
	for {
		at := -1
		for n := range s.alarms {
			if s.alarms[n].due <= s.Passed && (at < 0 || s.alarms[n].due < s.alarms[at].due) {
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

// Next is when the next alarm is due, or the limit if none is before it.
func (s *Tasks[P]) Next(limit time.Duration) time.Duration {
	for _, a := range s.alarms {
		limit = min(limit, a.due)
	}
	return limit
}
