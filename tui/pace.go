package tui

import (
	"reflect"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// pace is how often a room is written at most.
type pace struct {
	// every is the time that a frame takes up: a change that comes sooner after
	// the last frame waits for the rest of it.
	every time.Duration
	// ahead is how much of that a change with a key in it need not wait for. The
	// time is owed: later frames come later by it.
	ahead time.Duration
}

var (
	// quickly keeps any second within 60 frames: 58 and the two that can stand at
	// its beginning, of which a key may bring the second at once.
	quickly = pace{time.Second / 58, time.Second / 58}
	// slowly is for slow lines.
	slowly = pace{every: time.Second / slowFrames}
)

func (l Look) pace() pace {
	if l.Slow {
		return slowly
	}
	return quickly
}

// pacer decides when a Bubble Tea program writes its frames. By itself the
// program looks for a change at each tick of a clock of 60 Hz: an idle room then
// takes a hundredth of a core, and a key waits half a tick. The pacer stands in
// for that clock and ticks once after a message was handled, and never else.
//
// What the program writes at a tick is changed only while it handles a message:
// the view, the size, queries to the terminal, and a renderer that was started
// again after an editor. So a tick after each message misses nothing.
type pacer struct {
	pace
	send  func(tea.Msg)  // hands a message to the program; returns once it is taken, or at the end
	ticks chan time.Time // what the program takes for its clock
	asked chan struct{}  // holds one: a message came after the last tick was prepared
	typed atomic.Bool    // a person did something in one of them
	next  time.Time      // when a frame is due that nobody waits for; run's own
}

func newPacer(every pace) *pacer {
	return &pacer{pace: every, ticks: make(chan time.Time), asked: make(chan struct{}, 1)}
}

// handledMsg is the pacer's own message. The program takes it when it has
// handled and drawn whatever came before.
type handledMsg struct{}

// filter looks at each message before it is handled, and keeps the pacer's own
// from the room. It runs on the program's own goroutine.
func (p *pacer) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case handledMsg:
		return nil
	case tea.BatchMsg: // its parts come as messages of their own
		return msg
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg, typedMsg:
		p.typed.Store(true)
	}
	select {
	case p.asked <- struct{}{}:
	default:
	}
	return msg
}

// run ticks until done is closed.
func (p *pacer) run(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-p.asked:
		}
		if !p.await(done) {
			return
		}
		p.typed.Store(false) // a key from here on has the next frame, or this one too
		p.send(handledMsg{}) // returns when what asked is drawn
		now := time.Now()
		select {
		case <-done:
			return
		case p.ticks <- now: // taken when the last frame is written, and the terminal is the program's
		}
		p.spend(time.Now())
	}
}

// await waits until the next frame is due, and reports whether done is still open.
func (p *pacer) await(done <-chan struct{}) bool {
	for {
		wait := time.Until(p.due(p.typed.Load()))
		if wait <= 0 {
			return true
		}
		timer := time.NewTimer(wait)
		select {
		case <-done:
			timer.Stop()
			return false
		case <-p.asked: // by a key perhaps
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due is when the next frame may be written.
func (p *pacer) due(typed bool) time.Time {
	if typed {
		return p.next.Add(-p.ahead)
	}
	return p.next
}

// spend notes a frame.
func (p *pacer) spend(at time.Time) {
	if p.next.Before(at) {
		p.next = at
	}
	p.next = p.next.Add(p.every)
}

// newProgram is tea.NewProgram at the room's own pace, which stop ends. It is
// called when the program has run.
func newProgram(room tea.Model, every pace, options ...tea.ProgramOption) (p *tea.Program, stop func()) {
	pacing := newPacer(every)
	p = pacing.program(room, options...)
	return p, pacing.start(p)
}

// program is a program that the pacer can drive. Its frame rate is what it has
// where the library keeps its own clock.
func (p *pacer) program(room tea.Model, options ...tea.ProgramOption) *tea.Program {
	own := []tea.ProgramOption{tea.WithFilter(p.filter), tea.WithFPS(int(time.Second / p.every))}
	program := tea.NewProgram(room, append(own, options...)...)
	p.send = program.Send
	return program
}

// start drives a program that has not run yet, until it is stopped.
func (p *pacer) start(program *tea.Program) (stop func()) {
	if !drive(program, p.ticks) {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { defer close(ended); p.run(done) }()
	return func() { close(done); <-ended }
}

// drive lets ticks be the clock of a program that has not run yet. The library
// has no way to do that, so its field is set from here: it makes a ticker of its
// own only where there is none, and else starts and stops the one it finds. That
// one has another channel, which its timer does not know: as nobody waits for
// the timer it costs nothing.
//
// It answers false where the library has no such field, and changes nothing. A
// library that no longer heeds the field goes at its own pace too.
func drive(p *tea.Program, ticks <-chan time.Time) bool {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || !field.IsNil() {
		return false
	}
	clock := time.NewTicker(time.Hour)
	clock.Stop()
	clock.C = ticks
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(clock))
	return true
}
