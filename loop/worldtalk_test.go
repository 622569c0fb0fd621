package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// talk is what a worker asks and what was said to it. It lasts as the run
// folder does, whatever becomes of the loop.
type talk struct {
	requests []state.Request
	told     map[string]chan state.RequestReply
	messages []state.Message
	heard    chan struct{}
	news     chan struct{} // closed at the next change
}

func newTalk() talk {
	return talk{told: map[string]chan state.RequestReply{}, heard: make(chan struct{}, 8), news: make(chan struct{})}
}

func sameRequest(a, b state.Request) bool { return a.ID == b.ID }

// tell wakes the watchers; the world's lock is held.
func (v *worker) tell() {
	close(v.talk.news)
	v.talk.news = make(chan struct{})
}

// permit asks whether a command may run, and waits for the answer. Nobody
// answers for its owner within the policy's time but the policy.
func (a *agent) permit(command string, within time.Duration) state.RequestReply {
	told := make(chan state.RequestReply, 1)
	q := state.Request{ID: fmt.Sprintf("%s-%s", a.Run.ID, command), Kind: state.RequestPermission, Tool: "Bash", Summary: command, Since: time.Now(), Until: time.Now().Add(within), Default: "deny"}
	a.change(func(v *worker) {
		v.hushed = time.Now()
		v.talk.requests, v.talk.told[q.ID] = append(v.talk.requests, q), told
		v.tell()
	})
	defer a.change(func(v *worker) {
		v.hushed = time.Time{}
		v.talk.requests = slices.DeleteFunc(v.talk.requests, func(r state.Request) bool { return r.ID == q.ID })
		v.tell()
	})
	select {
	case r := <-told:
		return r
	case <-time.After(within):
		return state.RequestReply{Request: q.ID, Text: "nobody answered"}
	case <-a.ctx.Done():
		a.fail("stopped")
	}
	return state.RequestReply{}
}

// hear stands still until somebody says something.
func (a *agent) hear() string {
	select {
	case <-a.v.talk.heard:
	case <-a.ctx.Done():
		a.fail("stopped")
	}
	text := ""
	a.change(func(v *worker) {
		v.hushed, v.waits = time.Time{}, false
		m := &v.talk.messages[len(v.talk.messages)-1]
		m.State, m.ReadAt, text = state.MessageRead, time.Now(), m.Text
		v.tell()
	})
	return text
}

func (f launcherOf) Steer(ctx context.Context, run, text string) (string, error) {
	err := f.p.effect(ctx, "steer", func() error {
		w := f.p.w
		w.mu.Lock()
		defer w.mu.Unlock()
		v := w.workers[run]
		if v == nil || !v.lives() {
			return errors.New("it does not run")
		}
		v.talk.messages = append(v.talk.messages, state.Message{ID: fmt.Sprint(len(v.talk.messages)), At: time.Now(), Text: text, State: state.MessageSent})
		v.tell()
		v.talk.heard <- struct{}{}
		return nil
	})
	return "m", err
}

func (f launcherOf) Hold(ctx context.Context, run string) (stands bool, err error) {
	err = f.p.effect(ctx, "hold", func() error {
		f.p.w.interruptWorker(run)
		f.p.w.mu.Lock()
		defer f.p.w.mu.Unlock()
		v := f.p.w.workers[run]
		stands = v != nil && v.waits
		return nil
	})
	return stands, err
}

func (f launcherOf) Reply(ctx context.Context, run string, r state.RequestReply) error {
	return f.p.effect(ctx, "reply", func() error {
		w := f.p.w
		w.mu.Lock()
		defer w.mu.Unlock()
		v := w.workers[run]
		if w.deaf > 0 {
			w.deaf--
			return errors.New("its run folder cannot be written")
		}
		if v == nil || !slices.ContainsFunc(v.talk.requests, func(q state.Request) bool { return q.ID == r.Request }) {
			return errors.New("it asks no longer")
		}
		v.talk.requests = slices.DeleteFunc(v.talk.requests, func(q state.Request) bool { return q.ID == r.Request })
		v.talk.told[r.Request] <- r
		v.hushed = time.Time{} // an answer ends the silence, as it does in a run folder
		v.tell()
		return nil
	})
}

func (f launcherOf) MayTakeOver(context.Context, string) error { return nil }

func (f launcherOf) Taker(_ context.Context, run string) (state.Taker, error) {
	w := f.p.w
	w.mu.Lock()
	t, then := w.takers[run], w.taking
	w.taking = nil
	w.mu.Unlock()
	if then != nil {
		then()
	}
	return t, nil
}

// onTaker does something just after the next look at who has a session.
func (w *world) onTaker(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taking = do
}

// take is the owner, who opens a session or leaves it.
func (w *world) take(run string, t state.Taker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.takers == nil {
		w.takers = map[string]state.Taker{}
	}
	w.takers[run] = t
}
